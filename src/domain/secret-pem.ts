// Private keys in PEM form: whole, cut off at either end, on one line with \n written out, in diffs and numbered listings.
import type { SecretSpan } from "./secret-assignments.ts";

/** The block that begins at `start`, where `-----BEGIN` stands; undefined when it is no private key or has no body. */
export function pemFromBegin(text: string, start: number): SecretSpan | undefined {
  const bodyStart = endOf(begin, text, start);
  if (bodyStart === undefined) return undefined;
  const end = endOf(toEnd, text, bodyStart) ?? walk(text, bodyStart);
  if (!/[A-Za-z0-9+/]{16}/.test(text.slice(bodyStart, end))) return undefined;
  return { start, end, kind: "private-key" };
}

/** The body before `start`, where an `-----END` stands whose beginning is not in the text; nothing before `from` is taken. */
export function pemBeforeEnd(text: string, start: number, from: number): SecretSpan | undefined {
  const end = endOf(endMarker, text, start);
  if (end === undefined) return undefined;
  let first = start;
  for (let lines = 0; lines < 400; lines++) {
    const before = lineBefore(text, first, from);
    if (before === undefined) break;
    first = before;
  }
  return first === start ? undefined : { start: first, end, kind: "private-key" };
}

const longestBody = 20_000;
const label = "[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----";
const begin = new RegExp(`-----BEGIN ${label}`, "y");
const endMarker = new RegExp(`-----END ${label}`, "y");
const toEnd = new RegExp(`[^-]{0,${longestBody}}-----END ${label}`, "y");

// A line of a body: what a diff, a listing or a program puts around it, and base64.
const line =
  /[ \t"'`+|>*#-]{0,40}(?:\d{1,6}[ \t]{0,4}[→:|\t])?[ \t"'`+-]{0,20}(?:(?:Proc-Type|DEK-Info|Version|Comment|Hash): [^\n\\]{0,100}|[A-Za-z0-9+/=]{0,20000})[ \t"'`+,;.)]{0,20}(?:\r?\n|(?:\\{1,4}r)?\\{1,4}n|(?=-----END )|$)/y;
const lineEnd = /={0,2}[ \t"'`+,]{0,12}(?:\r?\n|(?:\\{1,4}r)?\\{1,4}n)[ \t"'`+-]{0,12}$/;

// Where the line of base64 that ends before `at` begins.
function lineBefore(text: string, at: number, from: number): number | undefined {
  const ending = lineEnd.exec(text.slice(Math.max(from, at - 40), at))?.[0];
  if (ending === undefined) return undefined;
  const end = at - ending.length;
  let start = end;
  while (start > from && end - start < 100 && /[A-Za-z0-9+/]/.test(text.charAt(start - 1))) start--;
  return end - start >= 16 ? start : undefined;
}

// Line by line up to the end marker, or as far as it looks like a key.
function walk(text: string, from: number): number {
  let at = from;
  let end = from;
  for (let lines = 0; lines < 400; lines++) {
    const marker = endOf(endMarker, text, at);
    if (marker !== undefined) return marker;
    const next = endOf(line, text, at) ?? endOf(run, text, at);
    if (next === undefined || next === at) return end;
    if (/[A-Za-z0-9+/=]{4}/.test(text.slice(at, next))) end = next;
    at = next;
  }
  return end;
}

const run = /[ \t"'`]{0,20}[A-Za-z0-9+/=]{16,20000}/y;

function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
