// Secrets found by a file format: netrc, pgpass, kubeconfig, JSON web keys, pairs of AWS keys.

import { spanOf } from "./secret-places.ts";
import type { SecretSpan } from "./secret-value.ts";
import { isSecretValue } from "./secret-value.ts";

type Find = (text: string, start: number, from: number) => readonly SecretSpan[];

/** The words at which these formats are looked for, with what finds the secrets there. */
export const secretFiles: readonly { words: readonly string[]; find: Find }[] = [
  { words: ["machine", "default"], find: netrc },
  { words: [":543", ":6432:", ":6543:", ":1543", ":2543", ":25060:", ":26257:", ":*:"], find: pgpass },
  { words: ["client-key-data"], find: clientKey },
  { words: ["unseal key ", "recovery key "], find: unsealKey },
  { words: ['kty"', 'kty\\"'], find: webKey },
  { words: ["psk"], find: sharedKey },
  { words: ["akia", "asia"], find: awsPair },
];

const none: readonly SecretSpan[] = [];

// Between two words of an entry: spaces, or a line end and what a diff or a listing puts before the line.
const next =
  "(?:[ \\t]{1,20}|[ \\t]{0,8}(?:\\r?\\n|(?:\\\\{1,4}r)?\\\\{1,4}n)(?:\\\\{1,4}t|[ \\t+|>\\d:→-]){0,24})";
const entry = new RegExp(
  `((?:machine[ \\t]{1,8}[\\w.*:-]{1,253}|default)(?:${next}(?:login|account|user)[ \\t]{1,8}[^\\s"'\\\\]{1,200}){0,3}${next}passw(?:or)?d[ \\t]{1,8}"?)([^\\s"'\\\\]{1,256})`,
  "iy",
);

function netrc(text: string, start: number): readonly SecretSpan[] {
  const span = spanOf(entry, text, start);
  return span !== undefined && isPassword(text, span) ? [{ ...span, kind: "password" }] : none;
}

// host:port:database:user:password; a backslash stands before a colon in a value.
const pgpassLine =
  /(?<=(?:^|[\s"'`+|>→:-])[\w.*-]{1,100})(:(?:\d{4,5}|\*):[^\s:"'\\]{1,64}:[^\s:"'\\]{1,64}:)((?:[^\s:"'`\\]|\\[:\\]){4,256})(?=$|[\s"'`\\<])/y;

function pgpass(text: string, start: number): readonly SecretSpan[] {
  const span = spanOf(pgpassLine, text, start);
  return span !== undefined && isPassword(text, span) ? [{ ...span, kind: "password" }] : none;
}

function isPassword(text: string, { start, end }: { start: number; end: number }): boolean {
  return isSecretValue(text.slice(start, end), "password", "given");
}

const clientKeyData =
  /(client-key-data\\{0,3}["']?\s{0,3}[:=]\s{0,3}(?:[>|][+-]?\s{1,80})?\\{0,3}["']?)([\w+/=-]{8,})/iy;

function clientKey(text: string, start: number): readonly SecretSpan[] {
  const span = spanOf(clientKeyData, text, start);
  return span === undefined ? none : [{ ...span, kind: "private-key" }];
}

const numberedKey = /((?:unseal|recovery) key \d{1,2}[^\n:]{0,20}: {0,4})([\w+/=-]{32,})/iy;

function unsealKey(text: string, start: number): readonly SecretSpan[] {
  const span = spanOf(numberedKey, text, start);
  return span === undefined ? none : [{ ...span, kind: "vault-key" }];
}

// The members of a JSON web key in any order: those that are secret are found from its type, on both sides.
const secretMember = /\\{0,3}"(?:d|k|p|q|dp|dq|qi)\\{0,3}"\s{0,4}:\s{0,4}\\{0,3}"([\w-]{16,2048})/g;
const nearby = 1200;

// The members of one object have one type: each is looked at between its neighbours alone.
function webKey(text: string, start: number, from: number): readonly SecretSpan[] {
  const least = Math.max(from, start - nearby);
  let first = start;
  while (first > least && !isEdge(text, first - 1)) first--;
  const most = Math.min(text.length, start + 2 * nearby);
  let last = start + 1;
  while (last < most && !isEdge(text, last)) last++;
  return Array.from(text.slice(first, last).matchAll(secretMember), ({ index, 0: whole, 1: value = "" }) => {
    const end = first + index + whole.length;
    return { start: end - value.length, end, kind: "private-key" };
  });
}

function isEdge(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code === 0x7b || code === 0x7d) return true;
  return code === 0x6b && (text.startsWith('kty"', at) || text.startsWith("kty\\", at));
}

const preSharedKey =
  /((?:(?<=: )psk|(?<![A-Za-z])psk\s{0,4}=)\s{0,4}\\{0,3}["'])([^"'\\\n]{8,128})(?=\\{0,3}["'])/iy;

function sharedKey(text: string, start: number): readonly SecretSpan[] {
  const span = spanOf(preSharedKey, text, start);
  return span !== undefined && isPassword(text, span) ? [{ ...span, kind: "secret" }] : none;
}

// A secret access key has no distinct form: any 40 characters. Next to an access key id it can be nothing else.
const accessKeyId = /A(?:KIA|SIA)[A-Z0-9]{16}(?![A-Za-z0-9])/y;
const keyLength = 40;
const farthest = 200;

function awsPair(text: string, start: number, from: number): readonly SecretSpan[] {
  accessKeyId.lastIndex = start;
  if (!accessKeyId.test(text)) return none;
  const idEnd = accessKeyId.lastIndex;
  const secrets = accessKeys(text, Math.max(from, start - farthest), Math.min(text.length, idEnd + farthest));
  if (secrets.length === 0) return none;
  const id = { start, end: idEnd, kind: "aws-key" };
  return [...secrets, id].sort((a, b) => a.start - b.start);
}

// Every run of 40 characters covers one of the places that are looked at.
function accessKeys(text: string, first: number, last: number): SecretSpan[] {
  const secrets: SecretSpan[] = [];
  for (let at = first + keyLength - 1; at < last; at += keyLength) {
    if (!isKeyCode(text.charCodeAt(at))) continue;
    let start = at;
    while (start > first && isKeyCode(text.charCodeAt(start - 1))) start--;
    let end = at;
    while (end < last && isKeyCode(text.charCodeAt(end))) end++;
    // The letter of a tab or a line end that is written out.
    if (end - start === keyLength + 1 && text.charAt(start - 1) === "\\") start++;
    if (end - start === keyLength && isAccessKey(text.slice(start, end)))
      secrets.push({ start, end, kind: "aws-secret" });
    at = Math.max(at, end - 1);
  }
  return secrets;
}

function isAccessKey(value: string): boolean {
  return /[A-Z]/.test(value) && /[a-z]/.test(value) && /[\d+/]/.test(value);
}

function isKeyCode(code: number): boolean {
  const letter = code | 0x20;
  return (letter >= 0x61 && letter <= 0x7a) || (code >= 0x2f && code <= 0x39) || code === 0x2b;
}
