// Reads canonical JSON (RFC 8785) in one pass, without building the value: a third of the time of parsing it and writing it
// again.

/** Members of an object whose value is a string, a number, a boolean or null. */
export type ScalarMembers = ReadonlyMap<string, string | number | boolean | null>;

/**
 * The scalar members of an object in canonical form, nested at most `maxNesting` levels deep; undefined for any other text.
 * A text is in canonical form when `canonicalJson(JSON.parse(text))` is the same text.
 */
export function readCanonicalObject(text: string, maxNesting: number): ScalarMembers | undefined {
  const members = new Map<string, string | number | boolean | null>();
  const reader = { text, at: 1, levelsLeft: maxNesting - 1 };
  const isObject = text.charCodeAt(0) === openBrace && skipObject(reader, members);
  return isObject && reader.at === text.length ? members : undefined;
}

interface Reader {
  text: string;
  /** Position of the next character. */
  at: number;
  levelsLeft: number;
}

const quote = 0x22;
const comma = 0x2c;
const minus = 0x2d;
const zero = 0x30;
const nine = 0x39;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

// Each function below starts at its second character, or at the first of a value; false is a text that is not canonical.

function skipObject(reader: Reader, members?: Map<string, string | number | boolean | null>): boolean {
  const { text } = reader;
  if (text.charCodeAt(reader.at) === closeBrace) {
    reader.at += 1;
    return true;
  }
  for (let before: string | undefined; ; ) {
    if (text.charCodeAt(reader.at) !== quote) return false;
    const name = readString(reader);
    if (name === undefined || (before !== undefined && before >= name)) return false;
    before = name;
    if (text.charCodeAt(reader.at) !== colon) return false;
    reader.at += 1;
    const from = reader.at;
    if (!skipValue(reader)) return false;
    if (members !== undefined) note(members, name, text.slice(from, reader.at));
    const code = text.charCodeAt(reader.at);
    reader.at += 1;
    if (code === closeBrace) return true;
    if (code !== comma) return false;
  }
}

function note(members: Map<string, string | number | boolean | null>, name: string, json: string): void {
  const code = json.charCodeAt(0);
  if (code === quote) members.set(name, decoded(json.slice(1, -1)));
  else if (code !== openBrace && code !== openBracket) members.set(name, JSON.parse(json));
}

function skipArray(reader: Reader): boolean {
  const { text } = reader;
  if (text.charCodeAt(reader.at) === closeBracket) {
    reader.at += 1;
    return true;
  }
  for (;;) {
    if (!skipValue(reader)) return false;
    const code = text.charCodeAt(reader.at);
    reader.at += 1;
    if (code === closeBracket) return true;
    if (code !== comma) return false;
  }
}

function skipValue(reader: Reader): boolean {
  const code = reader.text.charCodeAt(reader.at);
  if (code === quote) return skipString(reader);
  if (code === openBrace || code === openBracket) {
    if (reader.levelsLeft === 0) return false;
    reader.levelsLeft -= 1;
    reader.at += 1;
    const isWhole = code === openBrace ? skipObject(reader) : skipArray(reader);
    reader.levelsLeft += 1;
    return isWhole;
  }
  if (code === minus || (code >= zero && code <= nine)) return skipNumber(reader);
  return skipWord(reader, "true") || skipWord(reader, "false") || skipWord(reader, "null");
}

function skipWord(reader: Reader, word: string): boolean {
  if (!reader.text.startsWith(word, reader.at)) return false;
  reader.at += word.length;
  return true;
}

const numbers = /[-+.0-9eE]+/y;

function skipNumber(reader: Reader): boolean {
  numbers.lastIndex = reader.at;
  const [digits = ""] = numbers.exec(reader.text) ?? [];
  reader.at += digits.length;
  return String(Number(digits)) === digits;
}

function readString(reader: Reader): string | undefined {
  const from = reader.at;
  if (!skipString(reader)) return undefined;
  return decoded(reader.text.slice(from + 1, reader.at - 1));
}

function decoded(inside: string): string {
  return inside.includes("\\") ? JSON.parse(`"${inside}"`) : inside;
}

// Starts at the opening quote.
function skipString(reader: Reader): boolean {
  const { text } = reader;
  for (let at = reader.at + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      reader.at = at + 1;
      return true;
    }
    if (code === backslash) {
      const length = escapeLength(text, at);
      if (length === 0) return false;
      at += length - 1;
    } else if (code < 0x20 || (code & 0xf800) === 0xd800) {
      if (!isPair(text, at, code)) return false;
      at += 1;
    }
  }
  return false;
}

// A control character is escaped, and so is half of a pair.
function isPair(text: string, at: number, code: number): boolean {
  return (code & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
}

// 0 for an escape that JSON.stringify does not write. It writes a high half before a low one as a pair, without an escape.
function escapeLength(text: string, at: number): number {
  const code = text.charCodeAt(at + 1);
  if (code === quote || code === backslash || shortEscapes.test(text.slice(at, at + 2))) return 2;
  const written = text.slice(at, at + 6);
  const isHigh = highEscape.test(written);
  if (!isHigh) return longEscape.test(written) ? 6 : 0;
  return lowEscape.test(text.slice(at + 6, at + 12)) ? 0 : 6;
}

const shortEscapes = /^\\[bfnrt]$/;
const highEscape = /^\\ud[89ab][0-9a-f]{2}$/;
const lowEscape = /^\\ud[c-f][0-9a-f]{2}$/;
const longEscape = /^\\u(?:00(?:0[0-7bef]|1[0-9a-f])|d[c-f][0-9a-f]{2})$/;
