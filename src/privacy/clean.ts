// Cleans texts and JSON values for storage: removes private parts, then redacts secrets.
import type { Json, JsonObject } from "../text/json.ts";
import { type Leaves, leavesOf, withLeaves } from "./leaves.ts";
import { placeholder } from "./placeholder.ts";
import { stripPrivate, stripPrivatePieces, stripPrivatePrompt } from "./private-tags.ts";
import { redactNamed, redactPieces, redactSecrets } from "./secrets.ts";

/** A cleaned value. A function that takes one does not clean it again. */
export type Clean<T> = T & { readonly [clean]: true };
declare const clean: unique symbol;

/** The text without private parts and secrets; its `key` can mark it as a secret. */
export function cleanText(text: string, key?: string): Clean<string> {
  return redactSecrets(stripPrivate(text), key) as Clean<string>;
}

/** The part of a prompt that may be stored, and whether the whole prompt is private. */
export interface CleanPrompt {
  text: Clean<string>;
  isPrivate: boolean;
}

/** `cleanText` of what a user wrote, without blocks of base64: files and keys, of which no word is read. */
export function cleanPrompt(prompt: string): CleanPrompt {
  const { text, isPrivate } = stripPrivatePrompt(prompt);
  const readable = redactSecrets(text).replace(base64Block, (block) =>
    block.length >= shortestBlock && classes.every((one) => one.test(block)) && !words.test(block)
      ? placeholder("base64")
      : block,
  );
  return { text: readable as Clean<string>, isPrivate };
}

const base64Block =
  /(?<![\w+/-])(?:data:[\w./+-]{1,60};base64,)?(?:[\w+/-]{40,}(?:\r?\n|\\n)?)+(?:[\w+/-]{0,39}=)?=?/g;
const shortestBlock = 200;
const classes = [/[A-Z]/, /[a-z]/, /\d/];
// Paths have words between their marks.
const words = /(?:[/_-][A-Za-z]?[a-z]{2,}(?=[/_-])){2}/;

/**
 * `cleanText` of a decoded JSON value, names of members too; a value in which nothing changed is returned as it is.
 *
 * The strings are scanned as one text, in order: a private part or a secret may begin in one and end in another, as in
 * arrays of lines, blocks of text, stdout and stderr. An unclosed private tag hides the rest of its array or object
 * (`Leaves.scopes`), not of the value: in a list of records, one that mentions the tag must not hide all that follow.
 */
export function cleanJson(value: Json, key?: string): Json {
  if (typeof value === "string") return cleanText(value, key);
  if (typeof value !== "object" || value === null) return value;
  const leaves = leavesOf(value, key);
  const texts = cleanLeaves(leaves);
  const nameOf = cleanNames(leaves.names);
  // Most values are clean, and rebuilding a large object takes as long as cleaning it.
  if (nameOf === asItIs && texts.every((text, leaf) => text === leaves.texts[leaf])) return value;
  return withLeaves(value, texts, nameOf);
}

/**
 * `cleanJson` of each member of a host's event, separately: an unclosed tag in the prompt must not hide the ids behind it.
 * The member `prompt` is user text.
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

// Only adversarial leaves need more rounds.
const maxRounds = 4;

// Columns first: a key split over records is contiguous only there.
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

// All names are scanned as one text first: they rarely contain anything.
function cleanNames(names: Pick<ReadonlyMap<string, unknown>, "keys">): (name: string) => string {
  const all = [...names.keys()].join("\n");
  if (cleanText(all) === all) return asItIs;
  const cleaned = new Map([...names.keys()].map((name) => [name, cleanText(name)]));
  return (name) => cleaned.get(name) ?? "";
}

const asItIs = (name: string): string => name;
