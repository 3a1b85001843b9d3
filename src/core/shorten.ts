// Shortens long text, prompts and JSON values: keeps head and tail with a marker between them.

import { placeholderAround } from "../privacy/placeholder.ts";
import { isJsonObject, type Json, mapStrings } from "../text/json.ts";
import { typedLines } from "../text/pasted-lines.ts";

/**
 * The text cut to at most `maxChars`: head 60 %, tail 30 %, and between them how many characters were left out. Cuts
 * neither a surrogate pair nor a redaction placeholder in two.
 */
export function shorten(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const room = maxChars - leftOut(text.length, "characters").length;
  // With little room, the beginning alone is better than a marker.
  if (room < 24) return maxChars < 1 ? "" : `${text.slice(0, headEnd(text, maxChars - 1))}…`;
  const head = headEnd(text, Math.min(Math.floor(maxChars * 0.6), Math.floor((room * 2) / 3)));
  const tail = tailStart(text, text.length - Math.min(Math.floor(maxChars * 0.3), Math.floor(room / 3)));
  return `${text.slice(0, head)}${leftOut(tail - head, "characters")}${text.slice(tail)}`;
}

/** `shorten` of a prompt: what was pasted is cut, part by part, and what the user typed around it is kept. */
export function shortenPrompt(prompt: string, maxChars: number): string {
  if (prompt.length <= maxChars) return prompt;
  const lines = prompt.split("\n");
  const parts: { text: string; isPasted: boolean }[] = [];
  for (const [at, typed] of typedLines(lines).entries()) {
    const [line = "", last] = [lines[at], parts.at(-1)];
    const isPasted = line.trim() === "" ? last?.isPasted === true : typed === "";
    if (last?.isPasted === isPasted) last.text += `\n${line}`;
    else parts.push({ text: line, isPasted });
  }
  const pasted = parts.filter(({ isPasted }) => isPasted);
  const typed = parts.reduce((sum, { text, isPasted }) => sum + 1 + (isPasted ? 0 : text.length), 0);
  const share = Math.floor((maxChars - typed) / pasted.length);
  if (pasted.length === 0 || share < shortestPaste) return shorten(prompt, maxChars);
  return parts.map(({ text, isPasted }) => (isPasted ? shorten(text, share) : text)).join("\n");
}

const shortestPaste = 256;

/**
 * The value with a JSON text of at most `maxChars`: its longest strings are shortened, all to one length; where that is
 * not enough, long arrays and objects keep head and tail; where even that is not, the value becomes a shortened text of
 * itself. A value that fits is returned as it is.
 */
export function shortenJson(value: Json, maxChars: number): Json {
  if (fits(value, maxChars)) return value;
  for (const entries of entryLimits) {
    const cut = shortenLeaves(limitEntries(value, entries), maxChars);
    if (cut !== undefined) return cut;
  }
  return asText(value, maxChars);
}

// Entries kept of every array and object, tried in turn; a string is not cut below this many characters before that.
const entryLimits = [Number.POSITIVE_INFINITY, 4096, 1024, 256, 64, 16, 8];
const shortestLeaf = 64;

function leftOut(count: number, what: string): string {
  return `\n[… ${count} ${what} left out …]\n`;
}

function headEnd(text: string, at: number): number {
  const whole = placeholderAround(text, at);
  if (whole !== undefined) return whole.start;
  return splitsPair(text, at) ? at - 1 : at;
}

function tailStart(text: string, at: number): number {
  const whole = placeholderAround(text, at);
  if (whole !== undefined) return whole.end;
  return splitsPair(text, at) ? at + 1 : at;
}

function splitsPair(text: string, at: number): boolean {
  return isSurrogate(text.charCodeAt(at - 1), 0xd800) && isSurrogate(text.charCodeAt(at), 0xdc00);
}

function isSurrogate(code: number, first: number): boolean {
  return code >= first && code < first + 0x400;
}

// Most values are far below the limit: a cheap upper bound saves serializing them.
function fits(value: Json, maxChars: number): boolean {
  return maxChars - longestJson(value, maxChars) >= 0 || jsonLength(value) <= maxChars;
}

// No character takes more than six in JSON; stops as soon as the bound is passed.
function longestJson(value: Json, enough: number): number {
  if (typeof value === "string") return value.length * 6 + 2;
  if (typeof value !== "object" || value === null) return 26;
  let length = 2;
  if (Array.isArray(value)) {
    for (const entry of value) {
      length += 1 + longestJson(entry, enough - length);
      if (length > enough) return length;
    }
    return length;
  }
  for (const [name, entry] of Object.entries(value)) {
    length += name.length * 6 + 4 + longestJson(entry, enough - length);
    if (length > enough) return length;
  }
  return length;
}

function jsonLength(value: Json): number {
  return JSON.stringify(value).length;
}

function limitEntries(value: Json, limit: number): Json {
  if (limit === Number.POSITIVE_INFINITY || typeof value !== "object" || value === null) return value;
  const tail = Math.floor(limit / 3);
  const head = limit - tail;
  if (Array.isArray(value)) {
    const keep = (entries: Json[]) => entries.map((entry) => limitEntries(entry, limit));
    if (value.length <= limit) return keep(value);
    const marker = leftOut(value.length - limit, "entries").trim();
    return [...keep(value.slice(0, head)), marker, ...keep(value.slice(-tail))];
  }
  const entries = Object.entries(value);
  const keep = (kept: [string, Json][]): [string, Json][] =>
    kept.map(([name, entry]) => [name, limitEntries(entry, limit)]);
  if (entries.length <= limit) return Object.fromEntries(keep(entries));
  const marker = leftOut(entries.length - limit, "entries").trim();
  return Object.fromEntries([...keep(entries.slice(0, head)), ["…", marker], ...keep(entries.slice(-tail))]);
}

// Undefined when the strings would have to become too short. Escapes make the JSON text longer than its strings by a
// factor that differs from string to string, so the first cut is a guess that the next ones correct.
function shortenLeaves(value: Json, maxChars: number): Json | undefined {
  const costs: number[] = [];
  collectCosts(value, costs);
  const total = jsonLength(value);
  if (total <= maxChars) return value;
  const around = total - costs.reduce((sum, cost) => sum + cost, 0);
  for (let budget = maxChars - around, tries = 0; tries < 6 && budget > 0; tries++) {
    const limit = levelFor(costs, budget);
    if (limit < shortestLeaf) return undefined;
    const cut = mapStrings(value, (leaf) => shorten(leaf, Math.floor((limit * leaf.length) / costOf(leaf))));
    const over = jsonLength(cut) - maxChars;
    if (over <= 0) return cut;
    budget -= over + Math.ceil(budget * 0.02);
  }
  return undefined;
}

function collectCosts(value: Json, costs: number[]): void {
  if (typeof value === "string") costs.push(costOf(value));
  else if (isJsonObject(value)) for (const entry of Object.values(value)) collectCosts(entry, costs);
  else if (Array.isArray(value)) for (const entry of value) collectCosts(entry, costs);
}

// Characters of the string in JSON, without its quotes; at least 1, it divides.
function costOf(leaf: string): number {
  return Math.max(1, jsonLength(leaf) - 2);
}

/** The length to which the longest of several must come down so that all together stay within the budget. */
export function levelFor(costs: readonly number[], budget: number): number {
  const ascending = costs.toSorted((a, b) => a - b);
  let left = budget;
  for (const [index, cost] of ascending.entries()) {
    const share = left / (ascending.length - index);
    if (cost > share) return Math.floor(share);
    left -= cost;
  }
  return ascending.at(-1) ?? 0;
}

function asText(value: Json, maxChars: number): string {
  const json = JSON.stringify(value);
  for (let limit = maxChars - 2; limit > 0; limit = Math.floor(limit * 0.7)) {
    const text = shorten(json, limit);
    if (jsonLength(text) <= maxChars) return text;
  }
  return "";
}
