// Which symbols and lines of a file the text of a record names.
import { posix } from "node:path";
import { type Definition, definitionsByKey } from "./definitions.ts";
import type { LineRange } from "./file-text.ts";

export interface Named {
  /** Identifiers, with the dots between their parts. */
  names: ReadonlySet<string>;
  /** The whole text in lower case, for headings. */
  prose: string;
  /** Lines by the file's path as written. */
  lines: readonly { path: string; range: LineRange }[];
}

/** `files`: the paths of the record. */
export function readNamed(texts: readonly string[], files: readonly string[]): Named {
  const whole = texts.join("\n").slice(0, maxChars);
  const only = files.length === 1 ? files[0] : undefined;
  const plain = withoutPaths(whole);
  return {
    names: new Set([...quotedNames(plain), ...proseNames(plain)]),
    prose: plain.toLowerCase().replace(/\s+/g, " "),
    lines: [...lineReferences(whole), ...(only === undefined ? [] : bareLines(whole, only))],
  };
}

const maxChars = 20_000;

/** The symbols of the file that are named; of a class and its method only the method. */
export function namedAmong(definitions: readonly Definition[], { names, prose }: Named): string[] {
  const byKey = definitionsByKey(definitions);
  const found = new Map<string, Definition[]>();
  for (const name of names) {
    const parts = name.split(".");
    const key = [parts.slice(-2).join("."), parts.at(-1) ?? ""].find((each) => byKey.has(each));
    if (key !== undefined) found.set(key, byKey.get(key) ?? []);
  }
  for (const definition of definitions)
    if (definition.isHeading && isHeadingIn(definition.name, prose))
      found.set(definition.name, byKey.get(definition.name) ?? []);
  const inner = [...found.values()].flat();
  const isAround = (one: Definition) =>
    one.isContainer && inner.some((each) => each !== one && each.from >= one.from && each.to <= one.to);
  return [...found].filter(([, each]) => !each.every(isAround)).map(([key]) => key);
}

/** True when the line range of a reference is in this file. */
export function isSameFile(written: string, place: string): boolean {
  const plain = posix.normalize(written.replaceAll("\\", "/"));
  return plain === place || place.endsWith(`/${plain}`) || plain.endsWith(`/${place}`);
}

const pathLike = /[\w@.~-]*[/\\][\w@./\\~-]*/g;
const fileLike =
  /\b[\w-]+(?:\.[\w-]+)*\.(?:[cm]?[jt]sx?|py|go|rs|java|kts?|rb|php|[ch]|cc|cpp|hpp|cs|swift|scala|mdx?|jsonc?|ya?ml|toml|sql|sh|s?css|less|html?|vue|svelte|txt|env|lock)\b/g;

function withoutPaths(text: string): string {
  return text.replace(pathLike, " ").replace(fileLike, " ");
}

const code = /`([^`\n]{1,300})`/g;
const oneName = /^(?:[#-]{0,2})([\p{L}_$][\p{L}\p{N}_$-]*(?:\.[\p{L}\p{N}_$-]+)*)(?:\(.*\))?$/u;
const declares =
  /(?:^|\s)(?:class|interface|enum|struct|trait|type|func|function\*?|def|fn|fun|const|let|var|val)\s+(?:mut\s+)?(?:\([^()]*\)\s*)?([\p{L}_$][\p{L}\p{N}_$]*)/gu;

/** What stands between backticks is a name, or code that may declare names. */
function* quotedNames(text: string): Generator<string> {
  for (const [, quoted = ""] of text.matchAll(code)) {
    const [, name] = oneName.exec(quoted.trim()) ?? [];
    if (name !== undefined) yield name;
    else for (const [, declared = ""] of quoted.matchAll(declares)) yield declared;
  }
}

const identifier = /[\p{L}_$][\p{L}\p{N}_$]*(?:\.[\p{L}_$][\p{L}\p{N}_$]*)*(?=(\()?)/gu;
// A hump, an underscore, a digit or a dot within the word: no word of a language.
const isCoded = /[\p{Ll}\p{N}]\p{Lu}|\p{L}_\p{L}|^_|\$|\p{L}\p{N}|\p{L}\.\p{L}|^\p{Lu}{2,}\p{Ll}/u;
const kindWords =
  "function|method|class|constant|const|type|interface|struct|module|enum|trait|key|setting|option|field|property|variable|handler";
const beside = new RegExp(
  `\\b(?:${kindWords})s?\\s+["'\`]?([\\p{L}_$][\\p{L}\\p{N}_$-]*)|([\\p{L}_$][\\p{L}\\p{N}_$-]*)["'\`]?(?:\\(\\))?\\s+(?:${kindWords})\\b`,
  "gu",
);
const noName = /^(?:the|a|an|this|that|new|each|every|same|other|one|its|is|and|of|in|to|no|now|has|which)$/i;

function* proseNames(text: string): Generator<string> {
  const prose = text.replace(code, (quoted) => (oneName.test(quoted.slice(1, -1).trim()) ? quoted : " "));
  for (const { 0: name, 1: called } of prose.matchAll(identifier))
    if (called !== undefined || isCoded.test(name)) yield name;
  for (const [, after, before] of prose.matchAll(beside)) {
    const name = after ?? before ?? "";
    if (!noName.test(name)) yield name;
  }
}

/** One word must be marked as a heading: `Setup`, "Setup", the Setup section, ## Setup. */
function isHeadingIn(name: string, prose: string): boolean {
  const wanted = name.toLowerCase().replace(/[`*_]/g, "").replace(/\s+/g, " ").trim();
  if (wanted.length < 3 || !/\s/.test(name)) return isMarked(wanted, prose);
  return prose.includes(wanted);
}

function isMarked(word: string, prose: string): boolean {
  if (word === "" || !prose.includes(word)) return false;
  return [`"${word}"`, `\`${word}\``, `# ${word}`, `${word} section`, `section ${word}`].some((marked) =>
    prose.includes(marked),
  );
}

const reference =
  /([\w@./\\~-]{0,300}[\w-]\.\w{1,10})(?::(\d{1,7})(?:[-–](\d{1,7}))?|#L(\d{1,7})(?:-L?(\d{1,7}))?)/g;
const spoken = /\blines?\s+(\d{1,7})(?:\s*(?:[-–]|to)\s*(\d{1,7}))?\b/gi;

function* lineReferences(text: string): Generator<{ path: string; range: LineRange }> {
  for (const [, path = "", first, last, first2, last2] of text.matchAll(reference)) {
    const range = rangeOf(first ?? first2, last ?? last2);
    if (range !== null) yield { path, range };
  }
}

function* bareLines(text: string, path: string): Generator<{ path: string; range: LineRange }> {
  for (const [, first, last] of text.matchAll(spoken)) {
    const range = rangeOf(first, last);
    if (range !== null) yield { path, range };
  }
}

function rangeOf(first = "0", last = first): LineRange | null {
  const [from, to] = [Number(first) - 1, Number(last)];
  return from < 0 || to <= from ? null : { from, to };
}
