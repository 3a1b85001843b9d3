// Seed phrases of wallets: twelve or more words of BIP 39 in a row, told from prose by a fingerprint of its word list.
import type { SecretSpan } from "./secret-value.ts";

/** The phrases in a text, in order. */
export function seedPhrases(text: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  for (let at = stride - 1; at < text.length; at += stride) {
    const start = wordStart(text, at);
    const end = wordEnd(text, start);
    if (end === 0 || !hasFollowers(text, end)) continue;
    const words = chainAround(text, { start, end });
    const phrase = words.length < shortestPhrase ? undefined : phraseIn(text, words);
    if (phrase !== undefined) spans.push(phrase);
    at = Math.max(at, words.at(-1)?.end ?? at);
  }
  return spans;
}

const shortestPhrase = 12;
// Of the shortest phrase, 47 characters, so many come before its last three words.
const stride = 34;
const followers = 3;
const longestSeparator = 16;

interface Word {
  start: number;
  end: number;
}

// Most words of prose are turned away by this, before anything is kept of them.
function hasFollowers(text: string, from: number): boolean {
  let end = from;
  for (let count = 0; count < followers; count++) {
    const start = nextStart(text, end);
    end = start < 0 ? 0 : wordEnd(text, start);
    if (end === 0) return false;
  }
  return true;
}

function chainAround(text: string, word: Word): Word[] {
  const words = [word];
  for (let next = wordAfter(text, word.end); next !== undefined; next = wordAfter(text, next.end))
    words.push(next);
  for (let next = wordBefore(text, word.start); next !== undefined; next = wordBefore(text, next.start))
    words.unshift(next);
  return words;
}

// What stands between two words is the same nearly everywhere, numbers and line breaks aside; other words around belong
// to a sentence.
function phraseIn(text: string, words: readonly Word[]): SecretSpan | undefined {
  const between = words.slice(1).map((word, at) => shape(text.slice(words[at]?.end, word.start)));
  const usual = mostFrequent(between);
  let first = 0;
  let last = words.length - 1;
  while (first < last && between[first] !== usual) first++;
  while (last > first && between[last - 1] !== usual) last--;
  const odd = between.slice(first, last).filter((each) => each !== usual).length;
  const phrase = words.slice(first, last + 1);
  if (phrase.length < shortestPhrase || odd * 4 > phrase.length) return undefined;
  if (!isDrawn(phrase.map(({ start, end }) => text.slice(start, end)))) return undefined;
  return { start: phrase[0]?.start ?? 0, end: phrase.at(-1)?.end ?? 0, kind: "seed-phrase" };
}

function shape(between: string): string {
  return between.replace(/\d+/g, "0").replace(/(?:\\+[nrt]|\s)+/g, " ");
}

function mostFrequent(values: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
}

// Neither in order, like a list of words, nor the same few again and again.
function isDrawn(words: readonly string[]): boolean {
  const isSorted = words.every((word, at) => at === 0 || (words[at - 1] ?? "") < word);
  return !isSorted && new Set(words).size * 2 > words.length;
}

function wordStart(text: string, at: number): number {
  let start = at;
  while (start < at + longestSeparator && classOf(text, start) === separator) start++;
  while (at - start < longestWord && classOf(text, start - 1) === letter) start--;
  return pastEscape(text, start);
}

function wordAfter(text: string, from: number): Word | undefined {
  const start = nextStart(text, from);
  return start < 0 ? undefined : wordFrom(text, start);
}

// Where the next word begins behind a separator; -1 when none does.
function nextStart(text: string, from: number): number {
  const most = from + longestSeparator;
  for (let at = from; at < most; at++) {
    const kind = classOf(text, at);
    if (kind === letter) return at === from ? -1 : at;
    if (isEscape(text, at)) at++;
    else if (kind !== separator) return -1;
  }
  return -1;
}

function wordBefore(text: string, to: number): Word | undefined {
  const least = Math.max(0, to - longestSeparator);
  for (let end = to; end > least; end--) {
    const kind = classOf(text, end - 1);
    if (isEscape(text, end - 2)) end--;
    else if (kind === letter) {
      let start = end;
      while (start > 0 && end - start < longestWord + 2 && classOf(text, start - 1) === letter) start--;
      const word = end === to ? undefined : wordFrom(text, pastEscape(text, start));
      return word?.end === end ? word : undefined;
    } else if (kind !== separator) return undefined;
  }
  return undefined;
}

// The letter of a line break that is written out belongs to no word.
function pastEscape(text: string, start: number): number {
  return isEscape(text, start - 1) ? start + 1 : start;
}

function isEscape(text: string, at: number): boolean {
  if (text.charCodeAt(at) !== 0x5c) return false;
  const code = text.charCodeAt(at + 1);
  return code === 0x6e || code === 0x72 || code === 0x74;
}

const shortestWord = 3;
const longestWord = 8;

function wordFrom(text: string, start: number): Word | undefined {
  const end = wordEnd(text, start);
  return end === 0 ? undefined : { start, end };
}

// Where the word of the list ends that begins at `start`; 0 when none does.
function wordEnd(text: string, start: number): number {
  let end = start;
  let hash = 0x811c9dc5;
  for (; end - start <= longestWord && classOf(text, end) === letter; end++)
    hash = Math.imul(hash ^ (text.charCodeAt(end) | 0x20), 0x01000193);
  const length = end - start;
  if (length < shortestWord || length > longestWord) return 0;
  return isSet(hash & mask) && isSet((hash >>> maskBits) & mask) ? end : 0;
}

const maskBits = 14;
const mask = (1 << maskBits) - 1;
let fingerprint: Uint8Array | undefined;

function isSet(bit: number): boolean {
  fingerprint ??= Buffer.from(fingerprintOfWords, "base64");
  return ((fingerprint[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0;
}

// What separates words: white space, digits, and what stands in lists, tables and quotes.
const letter = 1;
const separator = 2;
const classes = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  const character = String.fromCharCode(code);
  if (/[A-Za-z]/.test(character)) classes[code] = letter;
  else if (/[\s\d.,;:()[\]"'`|+>#*\\-]/.test(character)) classes[code] = separator;
}

function classOf(text: string, at: number): number {
  const code = at >= 0 && at < text.length ? text.charCodeAt(at) : 0;
  if (code < 128) return classes[code] ?? 0;
  return code === 0x2192 || code === 0x2502 ? separator : 0;
}

// A Bloom filter of the 2,048 English words: two bits of 16,384 for each, from the halves of its FNV-1a hash. One other
// word in twenty passes, so twelve in a row do not.
const fingerprintOfWords =
  "QUQQIwAAIwFKpCIAQAIAgYAAAgEiAAAAGdBqBAIG1QOgAUFNEIIAAQcggBAYAAAARIYAgABo0TAGGhHAGQFAABQCKVJgYBggAAAhAQQ0M5kAcSBFiEDhQUFDAIBIAiERAAFABgIJAYQAgOwAATgQkAAcIBQBERASKQGBCgAAAgkEoAhhUgJAQEBSCgIEEJUBEwAA2YADMJAuApCCDAAYAAoQAAMAhcCAAAIkZEdGsYDgGAAFJLdBEQCEWACJAAAAYJFVwYQtIoRYQAaAECcAUABAAEgMEEQBYBcAAEQgkAgxAoQC1ADACAliAlmDwSJAwYAKAAAKgoABIEEeARLBAER0iBGAo0UCoAEYAgQeUhEQBwICMIAChMASEi0YpARAAQgAIICJlAACqBAhGAAIAS0TEBckQABNRMGAIIEIwQIAR6QAKgIgSQADBBAABBvISAMAEAFGkkBCAAiAgEmBEFIACSIKkmAjgAgIChMYjBQIACxQEAa4EFjANAAB4CBAgACCIDRgRqBhAAi4BAiABABEKQhHUAVFAVI2YGIVwJIBEABxICBAoHBAIACIAIgsATABKQhhQDBQADKAAUWogjAEIAEHAKR4CEoAcguEhAIqEQIkAAAHgoCkFKCAAgAYUKGgABCgYIgJEEBgxAIBoCOIqEYABACQ0QEQAAAgAhNAIJioQgRAAQQCUAIBiARhEgKsUICACAQAECQAAAokgCIQoACFgBAQSAABFYAwAEIDsAOjRKCIwEKAwgCgAVkAIZkQockgJNhaKwghQQiQBgqFwIBgAAAAIIgKAxirU2AcooGoAgAAAYVACEBQIAQQAbIIAcAU4AEgMQBRQBYBoQgwQiQ41BAYAAFIQYQBUCMQiQBARBCAAAJAmSUAAICAMQYQCjIQAZEEqAghIACEACIJlrCWBAGECQ4DFQBADSNEVEEwACQBEBgAWwlASaEACQgBEQDIGACCYAYiKEZRZMCIo2SQiAABCQJF8ACAkAAUSAhAAIAIDRTAGTUJAYYgQBIAIgwRBBgKRACAHgQFUAMp2goBGBiAEBAgSooyMAejQgQACpEUAGACINFCoJABKJUSBQQAB0RAAAqKBMMTKsCAAUAAYQAmAwDIUCyAiBIwEoJLQ9ECAIgwgDEIIYMICAICIEADAEACIEYEFiJAxBRgEAABqAAIRNBg2RCwBWCJIBBIQACAEIkGBALDQQIAAIIUAVQAFCCAwgEFoBAQKBACkRCBhAIcEahklABJBoUoDgSQAAQA0BAAJCA4ggAxQUOAQkGAAGSAQELA0ACAUACYQTYAwNIyHAWEClkmISAqIQAyANQSAAKAKRAGBBNAZSgEBkAQYAIBRAASCAQSAAAEIUIQAgBgBwCQMCAAEGAhCRZoFAIBgBIWBokAIqGBCTLGhMrwAAAQwCAAEE0PwDaCQgEBAIAUaYhAACAAQDTCEVEpQIAACgkBBAmIhCMAaCAAaBBABApEADcAhXqAgCgDAoGAAAAAYkhFS4UgkpMAHGF0EoggAIACBIwAEAAEVAAAcIAVAUAhjgxyUgQKAYEUCklAYQoDYgCTQAGQAQCYaM0CgEmFgAGBBkCkrJCQABlFiBQAZokIBABCaAmQAASEAAG0IAYxAihFVABJgEpAyEgUcERQAAIYAyAglAhCAxkAhayCEgAoACQILjRIYEEgSIAkhiBQDUAcIABGgKAAAJgEABcEkCwghAIIlIAFgAKaURCCVBIBAIAgAYBQEkWAAwQQD7ACAFAYiTABQkABmAggAAgAQVAYAQEeZSIwQAAIMMAARgaYAIAAuwAOzgAgAihAwACQAAI4YAMAEAAChAYEICSzBEACMhEBAAkBCEyAnDCOEEANACggAIQACIyUKBQACEBQAOkAG0UCAyjAABICAAg1EpUHKYQUJbZA4AnilEhCAKDAJgECADAAhECwgEAJCBKgAEFJACpDGBLIAAigIEArAImBBgOMgMJADESOEDnzAYEAAATwRgDQ4QACAEEBEUIYIYIAIgAYGAgCAkCAQSwEgAgZANY5wAGABEAw4AgAKAGCcAZoAkxApAAHiQCLEACTEoIEkAQQAcHwIAIAGxBACiAiiQiAkgKAIAQEKERBQBhgAAHFIOYCRDgEENAAMcDQDAAEwgkIBQQxsIAmCAMEYAMADSYKcUwwADYAAQ4QEjUYEQhIJBARIQR6BBAxAEBAAgMAwWAsCCLBgCgYBAgDAkA6ECIAAQCQABEFkihhEkxoKiKRUAgEAVQOAABiAgAEAgFCAAgQIAYBEACUHQSABAJgTMAIUgAGQAgywDCwAgABAbACYEYAZhIUQEAgwECCBQ0ABBBACiMEwCZGAYIBACQBUYAAEERYQoBAAkRPcKYMWgA0gACEABAAwAQACEACxAANUMSIAQyREnSUBA6KYALAFiigkUAyQwABUAWAQEgAwgKGKGAgYgiAAoAyLgAgQQjIAEBgCDYVYBCIhEQqAKBC4ICgDEQA0CCGIQYREAHAsCChAIQUBBADCnJLAIAAnA0AREQOMSECgEKAMA4AhQRChYS1VNETIgcigAGYIAHCEkgokgEAGiEAQiAQE0QgAxAAgMMIQCEB1iAOCEFYBMAlmEAAgAAACxMCFSAIwTEEcxxSQDQMAAAQQLeBSAYAQd0JQRuCSnhABAB4goBAGgIARIBWZAGBJAABVCgMCFCiACIJQoCUAEIAQpAAwABBIAioICgEoAQ=";
