// What may be stored of a text or a JSON value: private parts taken out first, then secrets redacted.
import type { Json } from "./json.ts";
import { type Leaves, leavesOf, withLeaves } from "./leaves.ts";
import { type Pieces, stripPrivate, stripPrivatePieces, stripPrivatePrompt } from "./private-tags.ts";
import { redactNamed, redactPieces, redactSecrets, saysSecret } from "./secrets.ts";

/** The text without private parts and secrets; `key` is the name it stood under, which can make it a secret. */
export function cleanText(text: string, key?: string): string {
  return redactSecrets(stripPrivate(text), key);
}

/** What may be stored of a prompt, and whether its user took the whole of it off the record. */
export interface CleanPrompt {
  text: string;
  isPrivate: boolean;
}

/** `cleanText` of what a user wrote. */
export function cleanPrompt(prompt: string): CleanPrompt {
  const { text, isPrivate } = stripPrivatePrompt(prompt);
  return { text: redactSecrets(text), isPrivate };
}

/**
 * `cleanText` of a decoded JSON value, names of members too; a value in which nothing changed is returned as it is.
 *
 * Its strings are looked at as one text, in their order: a private part or a secret may begin in one and end in another,
 * as in arrays of lines, blocks of text, standard output and error. What stands between its ends goes. A private tag that
 * nothing closes hides the rest of the array or object it stands in (`Leaves.scopes`), not of the value: that would cost
 * a list of records all that follow the one that mentions the tag.
 */
export function cleanJson(value: Json): Json {
  if (typeof value === "string") return cleanText(value);
  if (typeof value !== "object" || value === null) return value;
  const leaves = leavesOf(value);
  return withLeaves(value, cleanLeaves(leaves), cleanNames(leaves.names));
}

// Only leaves that are built to join again and again need more rounds.
const maxRounds = 4;

function cleanLeaves(leaves: Leaves): readonly string[] {
  let { texts } = leaves;
  for (let round = 0; round < maxRounds; round++) {
    const inOrder = cleanPieces({ texts, scopes: leaves.scopes }, leaves.keys);
    texts = cleanColumns(inOrder, leaves.columns);
    if (texts === inOrder) break;
  }
  return texts;
}

function cleanPieces(pieces: Pieces, keys: Leaves["keys"]): readonly string[] {
  const stripped = stripPrivatePieces(pieces);
  const says = new Map<string, boolean>();
  const named = stripped.map((text, leaf) => {
    const key = keys[leaf];
    if (key === undefined) return text;
    const known = says.get(key);
    const isSaid = known ?? saysSecret(key);
    if (known === undefined) says.set(key, isSaid);
    return isSaid ? redactNamed(text, key) : text;
  });
  return redactPieces(named);
}

// The texts with the leaves of `columns` cleaned in that order; the same texts where nothing changed.
function cleanColumns(texts: readonly string[], columns: readonly number[]): readonly string[] {
  if (columns.length === 0) return texts;
  const before = columns.map((leaf) => texts[leaf] ?? "");
  const scopes = columns.map((_, piece) => ({ first: piece, end: piece + 1 }));
  const after = cleanPieces({ texts: before, scopes }, []);
  if (after.every((text, piece) => text === before[piece])) return texts;
  const all = [...texts];
  for (const [piece, leaf] of columns.entries()) all[leaf] = after[piece] ?? "";
  return all;
}

// Names are looked at as one text first: nearly never is there something in one of them.
function cleanNames(names: ReadonlySet<string>): (name: string) => string {
  const all = [...names].join("\n");
  if (cleanText(all) === all) return (name) => name;
  const cleaned = new Map([...names].map((name) => [name, cleanText(name)]));
  return (name) => cleaned.get(name) ?? "";
}
