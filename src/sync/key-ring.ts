// Account keys of a device: all versions, the newest one seals. Kept in sync-key.json.
import { canonicalJson, isJsonObject, type Json, parseJson } from "../text/json.ts";
import {
  fingerprintOf,
  isEndorsed,
  type KeyNotice,
  keyPayload,
  makeAccountKey,
  previousKey,
  readKeyNotice,
  unwrapKey,
  type WrappedKey,
  wrapKey,
} from "./account-key.ts";
import type { VersionedKey } from "./seal.ts";

/** Name of the file of the ring in the data directory. */
export const ringFile = "sync-key.json";

/**
 * How the devices of an account write. A plain account has no keys: the hub can read it. `unset`: this device does not know,
 * because its file is missing or damaged, so it reads what is plain and pushes nothing.
 */
export type KeyRing = { mode: "plain" } | { mode: "unset" } | SealedRing;

export interface SealedRing {
  mode: "sealed";
  /** By version, ascending; at least one. */
  versions: readonly RingKey[];
}

export interface RingKey extends VersionedKey {
  notice: WrappedKey;
  /** Counts the passphrases that this device gave the key. */
  revision: number;
}

/** The ring of a new account. `cost` is smaller only for tests. */
export async function createRing(passphrase: string, cost?: number): Promise<SealedRing> {
  const made = makeAccountKey(1);
  const notice = await wrapKey(made, { passphrase, ...(cost === undefined ? {} : { cost }) });
  return { mode: "sealed", versions: [{ ...made, notice, revision: 0 }] };
}

/** The ring with a new key, which seals from now on. Other devices need the new passphrase; older records stay readable. */
export async function rotateRing(ring: SealedRing, passphrase: string, cost?: number): Promise<SealedRing> {
  const newest = newestKey(ring);
  const made = makeAccountKey(newest.version + 1);
  const wrapping = { passphrase, previous: newest.key, ...(cost === undefined ? {} : { cost }) };
  return {
    mode: "sealed",
    versions: [...ring.versions, { ...made, notice: await wrapKey(made, wrapping), revision: 0 }],
  };
}

/** The ring with a new passphrase for the same key. */
export async function rewrapRing(ring: SealedRing, passphrase: string, cost?: number): Promise<SealedRing> {
  const newest = newestKey(ring);
  const previous = ring.versions.at(-2)?.key;
  const notice = await wrapKey(newest, { passphrase, previous, ...(cost === undefined ? {} : { cost }) });
  return {
    mode: "sealed",
    versions: [...ring.versions.slice(0, -1), { ...newest, notice, revision: newest.revision + 1 }],
  };
}

/** The ring of a device that joins: `notices` in the order of the log. Undefined for a wrong passphrase. */
export async function joinRing(
  notices: readonly WrappedKey[],
  passphrase: string,
): Promise<SealedRing | undefined> {
  const tried = new Set<string>();
  for (const notice of notices.toSorted((one, other) => other.version - one.version)) {
    const text = canonicalJson(keyPayload(notice));
    if (tried.has(text)) continue;
    tried.add(text);
    const key = await unwrapKey(notice, passphrase);
    const ring = key && ringOf(notices, notice, key);
    if (ring !== undefined) return ring;
  }
  return undefined;
}

/** The same with the key of a recovery phrase. Undefined when no notice names the key. */
export function joinRingByKey(notices: readonly WrappedKey[], key: Buffer): SealedRing | undefined {
  const notice = notices.findLast(({ fingerprint }) => fingerprint === fingerprintOf(key));
  return notice && ringOf(notices, notice, key);
}

// Each key opens the one before it.
function ringOf(notices: readonly WrappedKey[], newest: WrappedKey, key: Buffer): SealedRing | undefined {
  const versions: RingKey[] = [{ version: newest.version, key, notice: newest, revision: 0 }];
  for (let version = newest.version - 1; version > 0; version -= 1) {
    const [above] = versions;
    const older = above && previousKey(above.notice, above.key);
    if (above === undefined || older === undefined || !isEndorsed(above.notice, older)) return undefined;
    const fingerprint = fingerprintOf(older);
    const notice = notices.find((each) => each.version === version && each.fingerprint === fingerprint);
    if (notice === undefined) return undefined;
    versions.unshift({ version, key: older, notice, revision: 0 });
  }
  return { mode: "sealed", versions };
}

/** The notice of a key that a device of the account made after the newest one of the ring. */
export function newerNotice(ring: SealedRing, notices: readonly WrappedKey[]): WrappedKey | undefined {
  const { version, key } = newestKey(ring);
  return notices.find((notice) => notice.version === version + 1 && isEndorsed(notice, key));
}

export function newestKey({ versions }: SealedRing): RingKey {
  const newest = versions.at(-1);
  if (newest === undefined) throw new TypeError("a sealed ring without a key");
  return newest;
}

/** What a notice in the log means to a device with this ring. */
export type NoticeVerdict =
  | "known"
  /** The account has a newer key, or is sealed and this device is not: it needs the passphrase. */
  | "key_missing"
  /** Not by a device of this account. */
  | "foreign";

export function judgeNotice(ring: KeyRing, notice: KeyNotice): NoticeVerdict {
  if (notice.mode === "plain") return ring.mode === "sealed" ? "foreign" : "known";
  if (ring.mode !== "sealed") return "key_missing";
  const same = ring.versions.find(({ version }) => version === notice.version);
  if (same !== undefined) return same.notice.fingerprint === notice.fingerprint ? "known" : "foreign";
  // A device that missed two rotations reads the first of them first.
  return newerNotice(ring, [notice]) === undefined ? "foreign" : "key_missing";
}

/** Operations that announce the keys of a device: payload, id and revision. */
export function announcements(ring: KeyRing): { id: string; revision: string; payload: Json }[] {
  if (ring.mode === "unset") return [];
  if (ring.mode === "plain") return [{ id: "0", revision: "0", payload: keyPayload(ring) }];
  return ring.versions.map(({ version, revision, notice }) => ({
    id: String(version),
    revision: String(revision),
    payload: keyPayload(notice),
  }));
}

/** Text of sync-key.json. */
export function renderRing(ring: KeyRing): string {
  if (ring.mode !== "sealed") return `${JSON.stringify({ v: 1, mode: ring.mode })}\n`;
  const versions = ring.versions.map(({ key, ...each }) => ({ ...each, key: key.toString("base64url") }));
  return `${JSON.stringify({ v: 1, mode: "sealed", versions }, null, 2)}\n`;
}

/** Reads sync-key.json; undefined for a damaged one. */
export function parseRing(text: string): KeyRing | undefined {
  const value = parseJson(text);
  if (!isJsonObject(value) || value.v !== 1) return undefined;
  if (value.mode === "plain") return { mode: "plain" };
  if (!Array.isArray(value.versions)) return undefined;
  const versions = value.versions.flatMap(readRingKey);
  const isWhole = versions.length > 0 && versions.length === value.versions.length;
  return isWhole && versions.every(({ version }, at) => version === at + 1)
    ? { mode: "sealed", versions }
    : undefined;
}

function readRingKey(value: Json): RingKey[] {
  if (!isJsonObject(value)) return [];
  const notice = readKeyNotice(value.notice);
  const { revision, key: text } = value;
  if (notice?.mode !== "sealed" || typeof revision !== "number" || typeof text !== "string") return [];
  const key = Buffer.from(text, "base64url");
  return fingerprintOf(key) === notice.fingerprint
    ? [{ version: notice.version, key, notice, revision }]
    : [];
}
