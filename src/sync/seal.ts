// Seals the payload of an operation, so that the hub stores a text that it cannot read and cannot change.
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import type { SyncOpHead } from "../core/records/sync-op.ts";
import { canonicalJson } from "../text/json.ts";

/** An account key and its version, 1 to 255. */
export interface VersionedKey {
  version: number;
  /** 32 random bytes. */
  key: Buffer;
}

/**
 * What opening a sealed text gives.
 * - `unknown_version`: the device does not have the account key of `version`.
 * - `wrong_key`: the device's key of this version is not the key that sealed it.
 * - `altered`: the key is right; the head or the text was changed since.
 * - `malformed`: no sealed text.
 */
export type Opened =
  | { is: "opened"; text: string }
  | { is: "unknown_version"; version: number }
  | { is: "wrong_key" | "altered" | "malformed" };

const ivBytes = 32;
const tagBytes = 16;
const nonce = Buffer.alloc(12);

/**
 * Base64url of: key version (1 byte), synthetic IV (32 bytes), ciphertext and tag of AES-256-GCM. Deterministic: a retry has
 * the same bytes. Each key encrypts one text only, because it is derived from the IV, a MAC of head and text.
 */
export function seal({ version, key }: VersionedKey, head: SyncOpHead, text: string): string {
  const bound = associatedData(head);
  const iv = syntheticIv(key, bound, text);
  const cipher = createCipheriv("aes-256-gcm", bodyKey(key, iv), nonce).setAAD(bound);
  const parts = [Buffer.of(version), iv, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat(parts).toString("base64url");
}

/** Opens a sealed text with the key of its version. Throws nothing. */
export function open(keys: ReadonlyMap<number, Buffer>, head: SyncOpHead, sealed: string): Opened {
  const bytes = Buffer.from(sealed, "base64url");
  const [version] = bytes;
  if (
    version === undefined ||
    bytes.length < 1 + ivBytes + tagBytes ||
    bytes.toString("base64url") !== sealed
  ) {
    return { is: "malformed" };
  }
  const key = keys.get(version);
  if (key === undefined) return { is: "unknown_version", version };
  const iv = bytes.subarray(1, 1 + ivBytes);
  const bound = associatedData(head);
  const decipher = createDecipheriv("aes-256-gcm", bodyKey(key, iv), nonce)
    .setAAD(bound)
    .setAuthTag(bytes.subarray(-tagBytes));
  const plain = decipher.update(bytes.subarray(1 + ivBytes, -tagBytes));
  if (!isAuthentic(decipher)) return { is: looksLikeJson(plain) ? "altered" : "wrong_key" };
  const text = plain.toString("utf8");
  return timingSafeEqual(syntheticIv(key, bound, text), iv) ? { is: "opened", text } : { is: "altered" };
}

function associatedData({ device, kind, id, revision, deleted }: SyncOpHead): Buffer {
  return Buffer.from(canonicalJson({ v: 1, device, kind, id, revision, deleted }));
}

function syntheticIv(key: Buffer, bound: Buffer, text: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bound.length);
  return createHmac("sha256", ivKey(key)).update(length).update(bound).update(text, "utf8").digest();
}

// One for each account key: deriving it takes as long as the rest of the IV.
const ivKeys = new WeakMap<Buffer, Buffer>();

function ivKey(key: Buffer): Buffer {
  const known = ivKeys.get(key) ?? derive(key, Buffer.alloc(0), "mem sync iv");
  ivKeys.set(key, known);
  return known;
}

function bodyKey(key: Buffer, iv: Buffer): Buffer {
  return derive(key, iv, "mem sync body");
}

/** HKDF-SHA-256, 32 bytes. */
export function derive(key: Buffer, salt: Buffer, info: string): Buffer {
  return Buffer.from(hkdfSync("sha256", key, salt, info, 32));
}

function isAuthentic(decipher: ReturnType<typeof createDecipheriv>): boolean {
  try {
    decipher.final();
    return true;
  } catch {
    return false;
  }
}

// Only for the reason in words: a payload is an object or null, and another key gives random bytes.
function looksLikeJson(plain: Buffer): boolean {
  return /^(?:\{"|\{\}|null$)/.test(plain.subarray(0, 4).toString("latin1"));
}
