// Redacts secrets before storage: by format, by context, by name.
import { type Edit, editPieces, joinPieces } from "./pieces.ts";
import { placeholder, placeholderEnd, placeholderOpening } from "./placeholder.ts";
import { namedSecret } from "./secret-assignments.ts";
import { secretsBehindEscapes, secretsInBase64 } from "./secret-disguises.ts";
import { secretFiles } from "./secret-files.ts";
import { secretNameOf, secretNameWords } from "./secret-names.ts";
import { type SecretPattern, secretPatterns } from "./secret-patterns.ts";
import { keyBeforeEnd, keyBlockBegins, keyBlockEnds, keyFromBegin } from "./secret-pem.ts";
import { seedPhrases } from "./secret-phrases.ts";
import { secretPlaces } from "./secret-places.ts";
import { secretsInSentences } from "./secret-sentences.ts";
import type { SecretSpan } from "./secret-value.ts";
import { isSecretValue, looksRandom } from "./secret-value.ts";
import { createWordScan } from "./word-scan.ts";

/**
 * The text with every secret replaced by a typed placeholder such as `[redacted:aws-key]`; `key` is the name the text
 * stands under (an object key, a flag), which can make the whole of it a secret. A second pass changes nothing.
 */
export function redactSecrets(text: string, key?: string): string {
  return redactPieces([key === undefined ? text : redactNamed(text, key)])[0] ?? "";
}

/** True when a key says that what stands under it may be a secret. */
export function saysSecret(key: string): boolean {
  return secretNameOf(key) !== undefined || headerName.test(key);
}

/** The text after what its key says about it; nothing else is looked for. */
export function redactNamed(text: string, key: string): string {
  const name = secretNameOf(key);
  if (name !== undefined && isSecretValue(text, name, "given")) return labelled(text, name);
  const header = headerName.exec(key);
  return header === null ? text : redactHeader(`${header[0]}: `, text);
}

const headerName = /(?:authorization|cookie)$/i;

function redactHeader(name: string, value: string): string {
  return (redactPieces([name + value])[0] ?? "").slice(name.length);
}

/**
 * Several texts with the secrets of all of them redacted, also those that begin in one and end in another: they are read
 * as the lines of one text. Of a secret over several texts the first has the placeholder.
 *
 * A placeholder can end what looked like more than a secret before, so a text that had one is read again. Most texts
 * have none, and two passes settle all but one in 200,000 of the worst that the tests make up.
 */
export function redactPieces(texts: readonly string[]): readonly string[] {
  let left = texts;
  for (let pass = 0; pass < maxPasses; pass++) {
    let isChanged = false;
    for (const look of looks) {
      const text = joinPieces(left, "\n");
      const edits = editsOf(text, look(text), labelled);
      if (edits.every(({ isNew }) => !isNew)) continue;
      left = editPieces(left, edits);
      isChanged = true;
    }
    if (!isChanged) break;
  }
  return left;
}

const looks: readonly ((text: string) => readonly SecretSpan[])[] = [
  secretsIn,
  (text) => secretsBehindEscapes(text, secretsIn),
  (text) => secretsInBase64(text, secretsIn),
  seedPhrases,
  secretsInSentences,
];

function secretsIn(text: string): readonly SecretSpan[] {
  return found(text, allFinders);
}

const maxPasses = 5;

// Finds the secrets at a word, none of which begins before `from`.
type Find = (text: string, start: number, from: number) => readonly SecretSpan[];

interface Finder {
  word: string;
  find: Find;
}

const none: readonly SecretSpan[] = [];

const formFinders: readonly Finder[] = secretPatterns.flatMap((pattern) =>
  pattern.anchors.map((word) => ({ word, find: (text, start, from) => atForm(pattern, text, start, from) })),
);

const allFinders = createFinders([
  ...secretFiles.flatMap(({ words, find }) => words.map((word) => ({ word, find }))),
  ...formFinders,
  ...keyBlockBegins.map((word) => ({ word, find: single(keyFromBegin) })),
  ...keyBlockEnds.map((word) => ({ word, find: single(keyBeforeEnd) })),
  ...secretPlaces.flatMap(({ words, find }) => words.map((word) => ({ word, find }))),
  ...secretNameWords.map((word): Finder => ({ word, find: single(namedSecret) })),
]);

// Made when a secret is first found: most texts have none, and a hook's fallback pays for everything at its start.
let formsOnly: Finders | undefined;

interface Finders {
  scan: ReturnType<typeof createWordScan>;
  finders: readonly Finder[];
}

function createFinders(finders: readonly Finder[]): Finders {
  const words = finders.map(({ word }) => word);
  return { scan: createWordScan([...words, placeholderOpening]), finders };
}

function found(text: string, { scan, finders }: Finders): readonly SecretSpan[] {
  const secrets: SecretSpan[] = [];
  let from = 0;
  scan(text, (word, start) => {
    // The words in a placeholder name nothing.
    const finder = finders[word];
    if (finder === undefined) return placeholderEnd(text, start);
    const spans = finder.find(text, start, from);
    if (spans[0] === undefined || spans[0].start < from) return undefined;
    secrets.push(...spans);
    from = spans.at(-1)?.end ?? from;
    return Math.max(from, start + 1);
  });
  return secrets;
}

interface Redaction extends Edit {
  /** Whether the placeholder differs from what stood there. */
  isNew: boolean;
}

function editsOf(
  text: string,
  spans: readonly SecretSpan[],
  label: (secret: string, kind: string) => string,
): Redaction[] {
  const edits: Redaction[] = [];
  let from = 0;
  for (const { start, end, kind } of spans) {
    if (start < from) continue;
    const secret = text.slice(start, end);
    const placed = label(secret, kind);
    edits.push({ start, end, text: placed, isNew: placed !== secret });
    from = end;
  }
  return edits;
}

// No form is shorter; a text can be nothing but short passwords.
const shortestForm = 16;

// A secret whose form says more than its name is named after its form.
function labelled(secret: string, kind: string): string {
  if (secret.length < shortestForm) return placeholder(kind);
  formsOnly ??= createFinders(formFinders);
  const edits = editsOf(secret, found(secret, formsOnly), (_, form) => placeholder(form));
  const [byForm = ""] = editPieces([secret], edits);
  return /^\[redacted:[a-z0-9-]+\]$/.test(byForm) ? byForm : placeholder(kind);
}

function single(find: (text: string, start: number, from: number) => SecretSpan | undefined): Find {
  return (text, start, from) => {
    const span = find(text, start, from);
    return span === undefined ? none : [span];
  };
}

function atForm(form: SecretPattern, text: string, anchor: number, from: number): readonly SecretSpan[] {
  const start = anchor - (form.back ?? 0);
  if (start < from || !(form.inside || startsWord(text, start, from))) return none;
  form.pattern.lastIndex = start;
  const found = form.pattern.exec(text);
  if (found === null || (form.random && !looksRandom(found[0]))) return none;
  if (form.after !== undefined && !sameCommand(text, start, form.after)) return none;
  return [{ start: start + (found[1] ?? "").length, end: start + found[0].length, kind: form.kind }];
}

// What looks like a letter before the word can be the end of an escape: \n, %3D, a terminal colour; and a diff puts a
// dash before its lines. The rest of a run of letters whose beginning was redacted begins no word.
function startsWord(text: string, start: number, from: number): boolean {
  if (start === 0) return true;
  if (start === from) return false;
  const before = text.charCodeAt(start - 1);
  if (before === 0x5d)
    return !/\[redacted:[a-z0-9-]{1,40}\]$/.test(text.slice(Math.max(0, start - 64), start));
  if (before === 0x2d) return start === 1 || text.charCodeAt(start - 2) === 0x0a;
  if (!isWordCode(before)) return true;
  return /\\[nrt]$|%[0-9A-Fa-f]{2}$|\[[\d;]{0,5}m$/.test(text.slice(Math.max(0, start - 8), start));
}

function isWordCode(code: number): boolean {
  const letter = code | 0x20;
  return (letter >= 0x61 && letter <= 0x7a) || (code >= 0x30 && code <= 0x39) || code === 0x5f;
}

function sameCommand(text: string, start: number, commands: readonly string[]): boolean {
  const before = text.slice(Math.max(0, start - 400), start);
  return commands.some((name) => {
    const at = before.lastIndexOf(name);
    return at >= 0 && !/(?<!\\)\n|&&|[;|]/.test(before.slice(at));
  });
}
