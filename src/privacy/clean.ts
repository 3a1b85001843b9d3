// What may be stored of a text or a JSON value: private parts taken out first, then secrets redacted.
import type { Json, JsonObject } from "../text/json.ts";
import { type Leaves, leavesOf, withLeaves } from "./leaves.ts";
import { stripPrivate, stripPrivatePieces, stripPrivatePrompt } from "./private-tags.ts";
import { redactNamed, redactPieces, redactSecrets } from "./secrets.ts";

/** A value that was cleaned. A function that takes one does not clean it again. */
export type Clean<T> = T & { readonly [clean]: true };
declare const clean: unique symbol;

/** The text without private parts and secrets; `key` is the name it stood under, which can make it a secret. */
export function cleanText(text: string, key?: string): Clean<string> {
  return redactSecrets(stripPrivate(text), key) as Clean<string>;
}

/** What may be stored of a prompt, and whether its user took the whole of it off the record. */
export interface CleanPrompt {
  text: Clean<string>;
  isPrivate: boolean;
}

/** `cleanText` of what a user wrote. */
export function cleanPrompt(prompt: string): CleanPrompt {
  const { text, isPrivate } = stripPrivatePrompt(prompt);
  return { text: redactSecrets(text) as Clean<string>, isPrivate };
}

/**
 * `cleanText` of a decoded JSON value, names of members too; a value in which nothing changed is returned as it is.
 *
 * Its strings are looked at as one text, in their order: a private part or a secret may begin in one and end in another,
 * as in arrays of lines, blocks of text, standard output and error. What stands between its ends goes. A private tag that
 * nothing closes hides the rest of the array or object it stands in (`Leaves.scopes`), not of the value: that would cost
 * a list of records all that follow the one that mentions the tag.
 */
export function cleanJson(value: Json, key?: string): Json {
  if (typeof value === "string") return cleanText(value, key);
  if (typeof value !== "object" || value === null) return value;
  const leaves = leavesOf(value, key);
  const texts = cleanLeaves(leaves);
  const nameOf = cleanNames(leaves.names);
  // Most values are clean, and to walk an object of many members once more takes as long as to clean it.
  if (nameOf === asItIs && texts.every((text, leaf) => text === leaves.texts[leaf])) return value;
  return withLeaves(value, texts, nameOf);
}

/**
 * `cleanJson` of each member of a host's event. They are texts of their own: a prompt whose tag nobody closed must not
 * hide the ids behind it. A member `prompt` is what the user wrote.
 */
export function cleanPayload(payload: JsonObject): Clean<JsonObject> {
  const members = Object.keys(payload).map((name): [string, Json] => {
    const value = payload[name] ?? null;
    const isPrompt = name === "prompt" && typeof value === "string";
    return [name, isPrompt ? cleanPrompt(value).text : cleanJson(value, name)];
  });
  const nameOf = cleanNames(new Set(Object.keys(payload)));
  return Object.fromEntries(members.map(([name, value]) => [nameOf(name), value])) as Clean<JsonObject>;
}

function cleanLeaves(leaves: Leaves): readonly string[] {
  const stripped = stripPrivatePieces(leaves);
  const named = stripped.map((text, leaf) => {
    const key = leaves.keys[leaf];
    return key === undefined ? text : redactNamed(text, key);
  });
  return redactLeaves(named, leaves.columns);
}

// Only leaves that are built to be read again and again need more rounds.
const maxRounds = 4;

// Columns first: of a key whose lines stand in records the order of all knows the beginning alone.
function redactLeaves(texts: readonly string[], columns: Leaves["columns"]): readonly string[] {
  let left = texts;
  for (let round = 0; round < maxRounds; round++) {
    const before = left;
    left = redactPieces(redactColumns(before, columns));
    if (columns.length === 0 || left.every((text, leaf) => text === before[leaf])) break;
  }
  return left;
}

function redactColumns(texts: readonly string[], columns: Leaves["columns"]): readonly string[] {
  if (columns.length === 0) return texts;
  const all = [...texts];
  for (const column of columns) {
    const redacted = redactPieces(column.map((leaf) => texts[leaf] ?? ""));
    for (const [piece, leaf] of column.entries()) all[leaf] = redacted[piece] ?? "";
  }
  return all;
}

// Names are looked at as one text first: nearly never is there something in one of them.
function cleanNames(names: Pick<ReadonlyMap<string, unknown>, "keys">): (name: string) => string {
  const all = [...names.keys()].join("\n");
  if (cleanText(all) === all) return asItIs;
  const cleaned = new Map([...names.keys()].map((name) => [name, cleanText(name)]));
  return (name) => cleaned.get(name) ?? "";
}

const asItIs = (name: string): string => name;
