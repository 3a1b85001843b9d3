// Private keys in PEM, SSH2 and PuTTY format: whole or cut off, escaped, quoted, with any prefix on each line.
import type { SecretSpan } from "./secret-value.ts";

/** The words at which a block can begin or end. */
export const keyBlockBegins = ["-begin ", "- begin ", "private-lines:"];
export const keyBlockEnds = ["-end ", "- end ", "private-mac:"];

/** The block that begins around `anchor`; undefined when it is no private key or has no body. */
export function keyFromBegin(text: string, anchor: number, from: number): SecretSpan | undefined {
  const start = markerStart(text, anchor, from);
  const bodyStart = endOf(begin, text, start);
  if (bodyStart === undefined) return undefined;
  const end = bodyEnd(text, bodyStart);
  return end === undefined ? undefined : { start, end, kind: "private-key" };
}

/** The body before `anchor`, where a block ends whose beginning is not in the text; nothing before `from` is taken. */
export function keyBeforeEnd(text: string, anchor: number, from: number): SecretSpan | undefined {
  const marker = markerStart(text, anchor, from);
  const end = endOf(endMarker, text, marker);
  if (end === undefined) return undefined;
  let start: number | undefined;
  for (let at = runBefore(text, marker, from); at !== undefined; at = runBefore(text, at, from)) start = at;
  return start === undefined ? undefined : { start, end, kind: "private-key" };
}

/** Whether the value begins with a key's first line: a name in front says nothing about where the block ends. */
export function beginsKeyBlock(text: string, start: number): boolean {
  anyBegin.lastIndex = start;
  return anyBegin.test(text);
}

const label = "[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}";
const begin = new RegExp(`-{4,5} ?BEGIN ${label}|Private-Lines: ?\\d{1,3}`, "y");
const endMarker = new RegExp(`-{4,5} ?END ${label}|Private-MAC: ?[0-9a-f]{0,64}`, "y");
const anyBegin = /(?:\\[nr]|[\s"'`|>+]){0,40}-{4,5} ?BEGIN [A-Z0-9 ]{0,40}KEY/y;

// The dashes before the word are the marker's.
function markerStart(text: string, anchor: number, from: number): number {
  if (text.charCodeAt(anchor) !== dash) return anchor;
  let start = anchor;
  while (start > from && anchor - start < 4 && text.charCodeAt(start - 1) === dash) start--;
  return start;
}

// A body is a chain of long runs of base64. What stands between two of them is a line end and what a diff, a listing, a
// log or a program puts before a line; it is short, and holds no marker.
const longestGap = 240;
const mostLineEnds = 3;
const longRun = 32;
const firstRun = 16;
const header = /(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|Subject|Headers?): ?[^\n\\]{0,120}/g;

function bodyEnd(text: string, bodyStart: number): number | undefined {
  let end: number | undefined;
  let gap: string | undefined;
  for (let at = bodyStart; ; ) {
    const next = runAfter(text, at, end === undefined);
    if (next?.marker !== undefined) return end === undefined ? undefined : next.marker;
    if (next === undefined) break;
    gap = end === undefined ? undefined : text.slice(end, next.start);
    end = next.end;
    at = end;
  }
  return end === undefined ? undefined : lastLineEnd(text, end, gap);
}

interface Run {
  start: number;
  end: number;
  /** The end of the block's end marker, when that comes first. */
  marker?: number;
}

function runAfter(text: string, from: number, isFirst: boolean): Run | undefined {
  const at = isFirst ? pastHeaders(text, from) : from;
  const most = Math.min(text.length, at + longestGap);
  let lineEnds = 0;
  for (let start = at; start < most && lineEnds <= mostLineEnds; start++) {
    const code = text.charCodeAt(start);
    if (code === 0x0a) lineEnds++;
    if (isMarker(text, start)) {
      const marker = endOf(endMarker, text, start);
      return marker === undefined ? undefined : { start, end: marker, marker };
    }
    if (!isBase64(code)) continue;
    let end = start + 1;
    while (end < text.length && isBase64(text.charCodeAt(end))) end++;
    const isNear = isFirst && end - start >= firstRun && decoration.test(text.slice(at, start));
    if (isNear || isBody(text, start, end)) return { start, end: pastPadding(text, end) };
    start = end - 1;
  }
  return undefined;
}

const decoration = /^(?:\\+[nr]?|[\s"'`+|>*#,:→\d-]){0,40}$/;

function pastHeaders(text: string, from: number): number {
  const near = text.slice(from, from + 700);
  const marker = near.search(/-{4}/);
  let at = from;
  for (const { index, 0: line } of (marker < 0 ? near : near.slice(0, marker)).matchAll(header)) {
    if (from + index - at > longestGap) break;
    at = from + index + line.length;
  }
  return at;
}

function runBefore(text: string, to: number, from: number): number | undefined {
  const least = Math.max(from, to - longestGap);
  let lineEnds = 0;
  for (let end = to; end > least && lineEnds <= mostLineEnds; end--) {
    const code = text.charCodeAt(end - 1);
    if (code === 0x0a) lineEnds++;
    if (code === dash && text.startsWith("----", end - 4)) return undefined;
    if (!isBase64(code)) continue;
    let start = end - 1;
    while (start > from && isBase64(text.charCodeAt(start - 1))) start--;
    const isNear = end - start >= firstRun && decoration.test(text.slice(end, to).replace(/^={1,2}/, ""));
    if (isNear || isBody(text, start, end)) return pastEscape(text, start);
    end = start + 1;
  }
  return undefined;
}

// In a line end that is written out, the letter after the backslash is no part of the run.
function pastEscape(text: string, start: number): number {
  return text.charAt(start - 1) === "\\" && /[nrt]/.test(text.charAt(start)) ? start + 1 : start;
}

// The last line of a body is short. It stands behind the same prefix as the lines before it, digits aside.
function lastLineEnd(text: string, end: number, gap: string | undefined): number {
  const at = gap === undefined ? (endOf(plainGap, text, end) ?? end) : (endOfSame(text, end, gap) ?? end);
  const last = at === end ? undefined : endOf(lastRun, text, at);
  const lineEnd = endOf(lineBreak, text, last ?? end);
  return lineEnd ?? last ?? end;
}

const plainGap = /["'`+,]{0,3}(?:\\{1,4}r)?(?:\\{1,4}n|\r?\n)[\s"'`+|>*#-]{0,20}/y;
const lastRun = /[A-Za-z0-9+/]{1,80}={0,2}(?=\s*$|\r?\n|[\\"'`<$])/y;
const lineBreak = /\r?\n/y;

function endOfSame(text: string, from: number, gap: string): number | undefined {
  let at = from;
  for (const part of gap.match(/\d+|\D/g) ?? []) {
    if (/\d/.test(part)) {
      const start = at;
      while (isDigit(text.charCodeAt(at)) && at - start < part.length + 1) at++;
      if (at === start) return undefined;
    } else if (text.startsWith(part, at)) at++;
    else return undefined;
  }
  return at;
}

// A path, a name or a hash has not all of these.
function isBody(text: string, start: number, end: number): boolean {
  if (end - start < longRun) return false;
  const run = text.slice(start, Math.min(end, start + 128));
  return /[A-Z]/.test(run) && /[a-z]/.test(run) && /[\d+]/.test(run);
}

function isMarker(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === dash ? text.startsWith("----", at) : code === 0x50 && text.startsWith("Private-MAC", at);
}

function pastPadding(text: string, at: number): number {
  let end = at;
  while (end - at < 2 && text.charCodeAt(end) === 0x3d) end++;
  return end;
}

const dash = 0x2d;

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isBase64(code: number): boolean {
  const letter = code | 0x20;
  return (letter >= 0x61 && letter <= 0x7a) || (code >= 0x2f && code <= 0x39) || code === 0x2b;
}

function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
