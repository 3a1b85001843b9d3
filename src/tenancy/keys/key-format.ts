// Format of an API key: a prefix for secret scanners, 214 random bits, and a checksum that detects typos.
import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { newBase62 } from "../../core/ids.ts";

const prefix = "mem_";
const randomLetters = 36;
const checksumLetters = 6;

/**
 * Scanners look for `\bmem_[0-9A-Za-z]{42}\b`. The last 6 characters are the CRC-32 of the others, in base 62 with the digits
 * 0-9, A-Z, a-z, padded with zeros on the left.
 */
const format = /^mem_[0-9A-Za-z]{42}$/;

/** A new key; it is shown once and not stored. */
export function makeKey(): string {
  const body = prefix + newBase62(randomLetters);
  return body + checksumOf(body);
}

/** True when format and checksum are valid; other texts are refused without a database lookup. */
export function isWellFormedKey(text: string): boolean {
  if (!format.test(text)) return false;
  const end = text.length - checksumLetters;
  return checksumOf(text.slice(0, end)) === text.slice(end);
}

/** The stored SHA-256; a slow hash adds nothing to 214 random bits. */
export function hashKey(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}

/** The parts of a key that lists show. */
export function shownParts(key: string): { prefix: string; last_four: string } {
  return { prefix: key.slice(0, prefix.length + 4), last_four: key.slice(-4) };
}

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

function checksumOf(text: string): string {
  let rest = crc32(text);
  let letters = "";
  for (let place = 0; place < checksumLetters; place += 1) {
    letters = digits.charAt(rest % 62) + letters;
    rest = Math.floor(rest / 62);
  }
  return letters;
}
