// Account keys: made, wrapped by a passphrase for the log, and unwrapped on another device.

import { createCipheriv, createDecipheriv, createHmac, scrypt, timingSafeEqual } from "node:crypto";
import { entropyToMnemonic, mnemonicToEntropy } from "@scure/bip39";
import { wordlist } from "@scure/bip39/wordlists/english.js";
import { newSecret } from "../core/ids.ts";
import { canonicalJson, isJsonObject, type Json, type JsonObject } from "../text/json.ts";
import { derive, type VersionedKey } from "./seal.ts";

/** Payload of an operation of kind `key`: what the devices of an account use, readable by the hub. */
export type KeyNotice = { mode: "plain" } | WrappedKey;

/** An account key that its passphrase opens. */
export interface WrappedKey {
  mode: "sealed";
  version: number;
  /** Names the key without revealing it. */
  fingerprint: string;
  kdf: { name: "scrypt"; n: number; r: number; p: number; salt: string };
  /** Base64url of the encrypted key and its tag. */
  wrapped: string;
  /** Of versions above 1: the key of the version before, which this key opens. */
  previous?: string;
  /** Of versions above 1: a MAC with the key of the version before, so that a hub cannot announce a key. */
  endorsement?: string;
}

/** Cost of scrypt, a power of two; memory is 1,024 times as many bytes. */
export const scryptCost = { normal: 2 ** 17, least: 2 ** 14, most: 2 ** 20 } as const;

const minPassphraseChars = 10;

/** A sentence about a passphrase that is too weak, else undefined. */
export function passphraseProblem(passphrase: string): string | undefined {
  const { length } = [...normalized(passphrase)];
  return length < minPassphraseChars
    ? `The passphrase has ${length} characters; it needs at least ${minPassphraseChars}. Six random words are a good one.`
    : undefined;
}

export function makeAccountKey(version: number): VersionedKey {
  return { version, key: randomBytes() };
}

/** Names a key: 16 bytes in base64url. */
export function fingerprintOf(key: Buffer): string {
  return derive(key, none, "mem sync fingerprint").subarray(0, 16).toString("base64url");
}

interface Wrapping {
  passphrase: string;
  /** The key of the version before; undefined for version 1. */
  previous?: Buffer | undefined;
  /** Smaller only for tests. */
  cost?: number;
}

/** Wraps the key. Takes the normal cost, or less where the system refuses the memory: 16 MB at least. */
export async function wrapKey(
  { version, key }: VersionedKey,
  { passphrase, previous, cost = scryptCost.normal }: Wrapping,
): Promise<WrappedKey> {
  const salt = randomBytes();
  const { n, wrapping } = await affordable(passphrase, salt, cost);
  const kdf = { name: "scrypt", n, r: 8, p: 1, salt: salt.toString("base64url") } as const;
  const head = { mode: "sealed", version, fingerprint: fingerprintOf(key), kdf } as const;
  // A new salt for each wrapping: its key encrypts one text only.
  const notice = { ...head, wrapped: encrypt(wrapping, key, canonicalJson(head)) };
  if (previous === undefined) return notice;
  const chained = { ...notice, previous: encrypt(chainKey(key), previous, "") };
  return { ...chained, endorsement: endorse(previous, chained) };
}

/** The key; undefined for another passphrase, and for a notice that was changed. */
export async function unwrapKey(
  { mode, version, fingerprint, kdf, wrapped }: WrappedKey,
  passphrase: string,
): Promise<Buffer | undefined> {
  const wrapping = await stretch(passphrase, Buffer.from(kdf.salt, "base64url"), kdf.n);
  const key = decrypt(wrapping, wrapped, canonicalJson({ mode, version, fingerprint, kdf }));
  return key !== undefined && fingerprintOf(key) === fingerprint ? key : undefined;
}

/** The key of the version before; undefined when there is none, or when the notice was changed. */
export function previousKey({ previous }: WrappedKey, key: Buffer): Buffer | undefined {
  return previous === undefined ? undefined : decrypt(chainKey(key), previous, "");
}

/** True when a device that has the key of the version before announced this one. */
export function isEndorsed({ endorsement = "", ...notice }: WrappedKey, previous: Buffer): boolean {
  const expected = Buffer.from(endorse(previous, notice));
  const found = Buffer.from(endorsement);
  return found.length === expected.length && timingSafeEqual(found, expected);
}

/** Reads the payload of an operation of kind `key`; undefined for any other value, and for costs that no device affords. */
export function readKeyNotice(payload: Json | undefined): KeyNotice | undefined {
  if (!isJsonObject(payload)) return undefined;
  if (payload.mode === "plain") return { mode: "plain" };
  const { mode, version, fingerprint, kdf, wrapped, previous, endorsement } = payload;
  if (mode !== "sealed" || !isVersion(version) || !isJsonObject(kdf)) return undefined;
  const { name, n, r, p, salt } = kdf;
  if (name !== "scrypt" || !isCost(n) || r !== 8 || p !== 1) return undefined;
  if (!isBase64Url(fingerprint, 16) || !isBase64Url(salt, 32) || !isBase64Url(wrapped, 48)) return undefined;
  const notice: WrappedKey = { mode, version, fingerprint, kdf: { name, n, r, p, salt }, wrapped };
  if (version === 1) return notice;
  return isBase64Url(previous, 48) && isBase64Url(endorsement, 32)
    ? { ...notice, previous, endorsement }
    : undefined;
}

/** The notice as the payload of its operation. */
export function keyPayload(notice: KeyNotice): JsonObject {
  return notice.mode === "plain" ? { ...notice } : { ...notice, kdf: { ...notice.kdf } };
}

const none = Buffer.alloc(0);
const nonce = Buffer.alloc(12);

function randomBytes(): Buffer {
  return Buffer.from(newSecret(), "base64url");
}

// The same passphrase from keyboards that compose characters in another way.
function normalized(passphrase: string): string {
  return passphrase.normalize("NFKC").trim();
}

function chainKey(key: Buffer): Buffer {
  return derive(key, none, "mem sync previous key");
}

// Only for keys that encrypt one text.
function encrypt(key: Buffer, plain: Buffer, bound: string): string {
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(bound));
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]).toString("base64url");
}

function decrypt(key: Buffer, text: string, bound: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64url");
  const decipher = createDecipheriv("aes-256-gcm", key, nonce)
    .setAAD(Buffer.from(bound))
    .setAuthTag(bytes.subarray(-16));
  const plain = decipher.update(bytes.subarray(0, -16));
  try {
    decipher.final();
    return plain;
  } catch {
    return undefined;
  }
}

async function affordable(
  passphrase: string,
  salt: Buffer,
  cost: number,
): Promise<{ n: number; wrapping: Buffer }> {
  for (let n = cost; ; n /= 2) {
    try {
      return { n, wrapping: await stretch(passphrase, salt, n) };
    } catch (cause) {
      if (n <= scryptCost.least) throw cause;
    }
  }
}

function stretch(passphrase: string, salt: Buffer, n: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { N: n, r: 8, p: 1, maxmem: 2 * 128 * n * 8 };
    scrypt(normalized(passphrase), salt, 32, options, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
}

function endorse(previous: Buffer, notice: WrappedKey): string {
  return createHmac("sha256", derive(previous, none, "mem sync endorsement"))
    .update(canonicalJson(keyPayload(notice)))
    .digest("base64url");
}

function isVersion(value: Json | undefined): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= 255;
}

function isCost(value: Json | undefined): value is number {
  if (typeof value !== "number" || value < scryptCost.least || value > scryptCost.most) return false;
  return Number.isInteger(Math.log2(value));
}

function isBase64Url(value: Json | undefined, bytes: number): value is string {
  return (
    typeof value === "string" &&
    /^[A-Za-z0-9_-]+$/.test(value) &&
    Buffer.from(value, "base64url").length === bytes
  );
}

const words = 24;

/** The phrase of a key of 32 bytes. */
export function recoveryPhrase(key: Buffer): string {
  return entropyToMnemonic(key, wordlist);
}

/** The key of a phrase, or a sentence about what is wrong with it. Spaces, line breaks and capitals do not matter. */
export function keyOfPhrase(text: string): Buffer | string {
  const given = text
    .normalize("NFKD")
    .toLowerCase()
    .split(/[\s,;.]+|\b\d+[.)]\s*/)
    .filter((word) => word !== "");
  if (given.length !== words) return `A recovery phrase has ${words} words; this one has ${given.length}.`;
  const unknown = given.findIndex((word) => !wordlist.includes(word));
  if (unknown >= 0) {
    return `Word ${unknown + 1} is not a word of recovery phrases. Compare it with what you wrote down.`;
  }
  try {
    return Buffer.from(mnemonicToEntropy(given.join(" "), wordlist));
  } catch {
    return "The words do not belong together: one is wrong, or two have changed places. Compare them with what you wrote down.";
  }
}
