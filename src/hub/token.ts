// Format of a hub token: a prefix for secret scanners and 32 random bytes. The hub stores its SHA-256.
import { digestOf, newSecret } from "../core/ids.ts";

const prefix = "memhub_";

/** A new token; it is shown once. */
export function makeToken(): string {
  return prefix + newSecret();
}

/** True for the format; other texts are refused without a database lookup. */
export function isToken(text: string): boolean {
  return /^memhub_[A-Za-z0-9_-]{43}$/.test(text);
}

/** A slow hash adds nothing to 256 random bits. */
export function hashToken(token: string): Buffer {
  return digestOf(token);
}

/** The parts that lists show. */
export function shownParts(token: string): { prefix: string; last_four: string } {
  return { prefix: token.slice(0, prefix.length + 4), last_four: token.slice(-4) };
}
