// Secrets behind an encoding: colour codes, percent signs, entities and escapes in between, or all of it in base64.
import type { SecretSpan } from "./secret-assignments.ts";

/** Finds the secrets of a text, in order. */
type FindAll = (text: string) => readonly SecretSpan[];

/**
 * The secrets that show only when the encoded characters around them are decoded. Only the lines around those are read
 * again, so that a text without any costs one look.
 */
export function secretsBehindEscapes(text: string, find: FindAll): SecretSpan[] {
  if (!/[\x1b%&\\^]/.test(text)) return [];
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
    if (!isBase64(text.charCodeAt(at))) continue;
    const run = runAround(text, at);
    const kind = run.end - run.start < shortestRun ? undefined : kindInside(text, run, find);
    if (kind !== undefined) spans.push({ start: run.start, end: run.end, kind });
    at = Math.max(at, run.end - 1);
  }
  return spans;
}

// Colours are dropped; percent signs may be encoded more than once; the rest stands in HTML, and in JSON in JSON.
const escape =
  /(?:\x1b|\\{1,4}(?:u001b|x1b|033|e)|\^\[)(?:\[[\d;:?]{0,40}[A-Za-z]|\][^\x07\x1b\n]{0,200}(?:\x07|\x1b\\))|%(?:25){0,3}([0-7][0-9A-F])|&(?:amp;)?(?:(quot|apos|amp|lt|gt)|#(\d{2,3})|#x([0-9a-f]{2}));|\\{1,4}(?:u00|x)([2-7][0-9a-f])|\\{1,4}(\/)/gi;
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
  for (const found of text.matchAll(escape)) {
    const at = found.index;
    if (last !== undefined && at <= last.end + nearby) last.end = Math.max(last.end, lineEnd(text, at));
    else {
      last = { start: Math.max(lineStart(text, at), last?.end ?? 0), end: lineEnd(text, at) };
      parts.push(last);
    }
  }
  return parts;
}

function lineStart(text: string, at: number): number {
  return Math.max(text.lastIndexOf("\n", at) + 1, at - longestLine);
}

// A value can stand on the next line.
function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return Math.min(end < 0 ? text.length : end + nearby, at + longestLine, text.length);
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
  for (const found of part.matchAll(escape)) {
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

function meaningOf([, percent, entity, decimal, hexadecimal, unicode, slash]: RegExpMatchArray): string {
  const hex = percent ?? hexadecimal ?? unicode;
  if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
  if (decimal !== undefined) return String.fromCharCode(Number(decimal));
  return entity === undefined ? (slash ?? "") : (entities[entity.toLowerCase()] ?? "");
}

const shortestRun = 20;
// More than this is a picture or an archive.
const longestRun = 65_536;

// `base64` and `openssl` break their output after 76 or 64 characters.
const wrapped = /\r?\n[ \t]{0,20}(?=[\w+/-]{1,76}={0,2}(?:\s|$))/y;
const shortestWrapped = 60;

function runAround(text: string, at: number): Part {
  let start = at;
  while (start > 0 && isBase64(text.charCodeAt(start - 1))) start--;
  // What a diff puts before a line is no part of it.
  while (/[-+]/.test(text.charAt(start)) && start < at) start++;
  return { start, end: runEnd(text, at) };
}

function runEnd(text: string, at: number): number {
  let end = at;
  while (end < text.length && isBase64(text.charCodeAt(end))) end++;
  while (text.charCodeAt(end) === 0x3d) end++;
  return end;
}

// What is decoded must begin like a text; `run` is made longer by the lines that belong to it.
function kindInside(text: string, run: Part, find: FindAll): string | undefined {
  if (!printable.test(decoded(text.slice(run.start, run.start + shortestRun)))) return undefined;
  for (let lineStart = run.start; run.end - lineStart >= shortestWrapped; ) {
    wrapped.lastIndex = run.end;
    if (!wrapped.test(text)) break;
    lineStart = wrapped.lastIndex;
    run.end = runEnd(text, lineStart);
  }
  const inside = decoded(text.slice(run.start, Math.min(run.end, run.start + longestRun)));
  if (basicCredential.test(inside) && /basic["'\s:]{1,4}$/i.test(text.slice(Math.max(0, run.start - 12), run.start)))
    return "authorization";
  return find(inside)[0]?.kind;
}

const printable = /^[\t\n\r\x20-\x7e]{12,}$/;
const basicCredential = /^[\w.@+-]{1,100}:[\x21-\x7e]{4,200}$/;

function decoded(base64: string): string {
  return Buffer.from(base64, "base64").toString("latin1");
}

function isBase64(code: number): boolean {
  const letter = code | 0x20;
  return (letter >= 0x61 && letter <= 0x7a) || (code >= 0x2f && code <= 0x39) || code === 0x2b || code === 0x2d || code === 0x5f;
}
