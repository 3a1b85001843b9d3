// The form of an API key: a prefix that scanners know, 214 random bits, and a checksum that tells a typo without a database.
import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { newBase62 } from "../../core/ids.ts";

/** What stands before every key. */
const prefix = "mem_";
const randomLetters = 36;
const checksumLetters = 6;

/**
 * Every key matches `^mem_[0-9A-Za-z]{42}$`; a scanner looks for `\bmem_[0-9A-Za-z]{42}\b`. The last 6 letters are the
 * CRC-32 of what stands before them, in base 62 with the digits 0-9, A-Z, a-z, padded with zeros on the left.
 */
const form = /^mem_[0-9A-Za-z]{42}$/;

/** A new key. It is shown once and stored nowhere. */
export function makeKey(): string {
  const body = prefix + newBase62(randomLetters);
  return body + checksumOf(body);
}

/** True when form and checksum are those of a key: what is none is refused before anybody asks the database. */
export function isWellFormedKey(text: string): boolean {
  if (!form.test(text)) return false;
  const end = text.length - checksumLetters;
  return checksumOf(text.slice(0, end)) === text.slice(end);
}

/** SHA-256, which is what is stored: of 214 random bits a slow hash would protect no more. */
export function hashKey(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}

/** What lists show of a key, so that its owner tells it from others. */
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
