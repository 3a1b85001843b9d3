// Encoded secrets: with color codes, percent signs, entities or escapes inside, or in base64.
import type { SecretSpan } from "./secret-value.ts";

/** Finds the secrets of a text, in order. */
type FindAll = (text: string) => readonly SecretSpan[];

/**
 * The secrets that show only when the encoded characters around them are decoded. Only the lines around those are read
 * again, so that a text without any costs one look.
 */
export function secretsBehindEscapes(text: string, find: FindAll): SecretSpan[] {
  const spans: SecretSpan[] = [];
  for (const { start, end } of encodedParts(text)) {
    const decoded = decode(text, start, end);
    for (const span of find(decoded.text)) {
      const first = decoded.starts[span.start] ?? end;
      const last = decoded.ends[span.end - 1] ?? end;
      spans.push({ start: first, end: last, kind: span.kind });
    }
  }
  return spans;
}

/** The runs of base64 that hold a secret, whole: what is left of one would still be decoded. */
export function secretsInBase64(text: string, find: FindAll): SecretSpan[] {
  const spans: SecretSpan[] = [];
  for (let at = shortestRun - 1; at < text.length; at += shortestRun) {
    if (!isInLongRun(text, at)) continue;
    const run = runAround(text, at);
    const kind = run.end - run.start < shortestRun ? undefined : kindInside(text, run, find);
    if (kind !== undefined) spans.push({ start: run.start, end: run.end, kind });
    at = Math.max(at, run.end - 1);
  }
  return spans;
}

// Half of a run stands on one side. Most places in prose and code are turned away by this.
function isInLongRun(text: string, at: number): boolean {
  if (!isBase64At(text, at)) return false;
  if (isBase64At(text, at - 4) && isBase64At(text, at - 7) && isBase64At(text, at - 9)) return true;
  return isBase64At(text, at + 4) && isBase64At(text, at + 7) && isBase64At(text, at + 9);
}

// Colours are dropped; percent signs may be encoded more than once; the rest stands in HTML, and in JSON in JSON.
const colour = "(?:\\x1b|\\\\{1,4}(?:u001b|x1b|033|e)|\\^\\[)\\[[\\d;:?]{0,40}[A-Za-z]";
const percent = "%(?:25){0,3}([0-7][0-9A-F])";
const entity = "&(?:amp;)?(?:(quot|apos|amp|lt|gt)|#(\\d{2,3})|#x([0-9a-f]{2}));";
const encoded = new RegExp(
  `${colour}|${percent}|${entity}|\\\\{1,4}(?:u00|x)([2-7][0-9a-f])|\\\\{1,4}(/)`,
  "gi",
);

// What is worth a second look: a slash or a sign that is escaped is not, by itself.
const trigger =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a colour begins with one
  /\x1b\[|%(?:25){0,3}(?:3[AD]|2[26]|0A)|&(?:amp;)?(?:quot|apos|amp|#3[49]|#61|#x22|#x3d);|\\(?:u001b|x1b|033|e)\[|\\u00(?:2[267]|3[ad])|\^\[\[/gi;
const entities: Record<string, string> = { quot: '"', apos: "'", amp: "&", lt: "<", gt: ">" };

const nearby = 300;
const longestLine = 2000;

interface Part {
  start: number;
  end: number;
}

// The lines in which something is encoded, as one part where they are near each other.
function encodedParts(text: string): Part[] {
  const parts: Part[] = [];
  let last: Part | undefined;
  trigger.lastIndex = 0;
  for (let found = trigger.exec(text); found !== null; found = trigger.exec(text)) {
    const at = found.index;
    if (last === undefined || at > last.end + nearby) {
      last = { start: Math.max(lineStart(text, at), last?.end ?? 0), end: lineEnd(text, at) };
      parts.push(last);
    } else if (at >= last.end) last.end = lineEnd(text, at);
    trigger.lastIndex = Math.max(at + 1, last.end - nearby);
  }
  return parts;
}

function lineStart(text: string, at: number): number {
  const least = Math.max(0, at - longestLine);
  return least + text.slice(least, at).lastIndexOf("\n") + 1;
}

// A value can stand on the next line.
function lineEnd(text: string, at: number): number {
  const length = text.slice(at, at + longestLine).indexOf("\n");
  return Math.min(at + (length < 0 ? longestLine : length + nearby), text.length);
}

interface Decoded {
  text: string;
  /** Where each of its characters begins and ends in the text that it was made of. */
  starts: Int32Array;
  ends: Int32Array;
}

function decode(text: string, from: number, to: number): Decoded {
  const part = text.slice(from, to);
  const starts = new Int32Array(part.length);
  const ends = new Int32Array(part.length);
  let decoded = "";
  let copied = 0;
  const copy = (until: number) => {
    for (let at = copied; at < until; at++) {
      starts[decoded.length + at - copied] = from + at;
      ends[decoded.length + at - copied] = from + at + 1;
    }
    decoded += part.slice(copied, until);
  };
  for (const found of part.matchAll(encoded)) {
    copy(found.index);
    copied = found.index + found[0].length;
    const character = meaningOf(found);
    if (character === "") continue;
    starts[decoded.length] = from + found.index;
    ends[decoded.length] = from + copied;
    decoded += character;
  }
  copy(part.length);
  return { text: decoded, starts, ends };
}

function meaningOf([, byte, name, decimal, hexadecimal, unicode, slash]: RegExpMatchArray): string {
  const hex = byte ?? hexadecimal ?? unicode;
  if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
  if (decimal !== undefined) return String.fromCharCode(Number(decimal));
  return name === undefined ? (slash ?? "") : (entities[name.toLowerCase()] ?? "");
}

const shortestRun = 20;
// More than this is a picture or an archive.
const longestRun = 65_536;

// `base64` and `openssl` break their output after 76 or 64 characters.
const wrapped = /\r?\n[ \t]{0,20}(?=[\w+/-]{1,76}={0,2}(?:\s|$))/y;
const shortestWrapped = 60;

function runAround(text: string, at: number): Part {
  let start = at;
  while (start > 0 && isBase64At(text, start - 1)) start--;
  // What a diff puts before a line is no part of it.
  while (start < at && (text.charCodeAt(start) === 0x2d || text.charCodeAt(start) === 0x2b)) start++;
  return { start, end: runEnd(text, at) };
}

function runEnd(text: string, at: number): number {
  let end = at;
  while (end < text.length && isBase64At(text, end)) end++;
  while (text.charCodeAt(end) === 0x3d) end++;
  return end;
}

// What is decoded must begin like a text; `run` is made longer by the lines that belong to it.
function kindInside(text: string, run: Part, find: FindAll): string | undefined {
  for (let at = run.start; at < run.start + 16; at += 4) {
    if (isAsciiStart[text.charCodeAt(at)] !== 1) return undefined;
  }
  if (!printable.test(decoded(text.slice(run.start, run.start + shortestRun)))) return undefined;
  for (let lineStart = run.start; run.end - lineStart >= shortestWrapped; ) {
    wrapped.lastIndex = run.end;
    if (!wrapped.test(text)) break;
    lineStart = wrapped.lastIndex;
    run.end = runEnd(text, lineStart);
  }
  const inside = decoded(text.slice(run.start, Math.min(run.end, run.start + longestRun)));
  if (
    basicCredential.test(inside) &&
    /basic["'\s:]{1,4}$/i.test(text.slice(Math.max(0, run.start - 12), run.start))
  )
    return "authorization";
  return find(inside)[0]?.kind;
}

const printable = /^[\t\n\r\x20-\x7e]{12,}$/;
const basicCredential = /^[\w.@+-]{1,100}:[\x21-\x7e]{4,200}$/;

function decoded(base64: string): string {
  return Buffer.from(base64, "base64").toString("latin1");
}

// Of three characters of ASCII the first of their four letters tells that the first is printable, or a line end.
const isAsciiStart = tableOf("CDIJKLMNOPQRSTUVWXYZabcdef");
const isBase64 = tableOf("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_");

function isBase64At(text: string, at: number): boolean {
  const code = at >= 0 && at < text.length ? text.charCodeAt(at) : 0;
  return code < 128 && isBase64[code] === 1;
}

function tableOf(characters: string): Uint8Array {
  const table = new Uint8Array(128);
  for (const character of characters) table[character.charCodeAt(0)] = 1;
  return table;
}
