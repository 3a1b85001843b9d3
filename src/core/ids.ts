// Random values and identifiers. No other file makes them.
import { createHash, hash, randomBytes, randomUUID } from "node:crypto";

/** A random UUID, for sessions and instances. */
export function newId(): string {
  return randomUUID();
}

/** A random 62-bit number as decimal text: the name of a log. */
export function newEpoch(): string {
  return String(randomBytes(8).readBigUInt64BE() >> 2n);
}

/** 32 random bytes in base64url, the format of every secret that mem makes. */
export function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

/** SHA-256 in hex, as a stable key for content without an id. */
export function contentKey(...parts: readonly string[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part).update("\0");
  return hash.digest("hex");
}

/** SHA-256 of the text's UTF-8 bytes. */
export function digestOf(text: string): Buffer {
  return hash("sha256", text, "buffer");
}

/** A UUID (version 8) that is the same for the same parts. */
export function derivedId(...parts: readonly string[]): string {
  const hex = contentKey(...parts);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join("-");
}

/** A factor between 0.8 and 1.2 that spreads retries. */
export function jitter(): number {
  return 0.8 + Math.random() * 0.4;
}

/** `length` random characters of 0-9, A-Z and a-z, each as likely as every other. */
export function newBase62(length: number): string {
  let text = "";
  while (text.length < length) {
    // 62 does not divide 256: the last 8 byte values would make the first 8 letters likelier.
    const fair = [...randomBytes(length * 2)].filter((byte) => byte < 248);
    text += fair.map((byte) => base62.charAt(byte % 62)).join("");
  }
  return text.slice(0, length);
}

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
