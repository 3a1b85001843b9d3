// Operations on the wire: from a record to a body and its digest, and from a pulled body to an operation.
import { digestOf } from "../core/ids.ts";
import type { FailedOp, IncomingOp, OutgoingOp } from "../core/records/sync.ts";
import { readOpHead, type SyncOpHead, syncLimits } from "../core/records/sync-op.ts";
import { nestingExceeds } from "../privacy/nesting.ts";
import { placeholderAround } from "../privacy/placeholder.ts";
import { canonicalJson, isJsonObject, type Json, type JsonObject } from "../text/json.ts";
import { type KeyNotice, readKeyNotice } from "./account-key.ts";
import { announcements, type KeyRing, newestKey } from "./key-ring.ts";
import { type Opened, open, seal } from "./seal.ts";

/** An operation as a request and a page carry it. */
export interface WireOp {
  /** Canonical JSON. */
  body: string;
  /** Base64url SHA-256 of the body's UTF-8 bytes. */
  sha256: string;
}

/** An encoded operation and its size. */
export interface EncodedOp extends WireOp {
  /** UTF-8 bytes of the body. */
  bytes: number;
}

/** Longest prompt that is pushed, in UTF-8 bytes; less where a body has less room. */
export const maxPromptBytes = 204_800;

/** Base64url SHA-256 of the text's UTF-8 bytes. */
export function wireDigest(text: string): string {
  return digestOf(text).toString("base64url");
}

/**
 * The operation of `device`, sealed when the ring is. The same operation gives the same bytes. A long prompt is cut; any other
 * record that is too long gives the reason why it cannot be pushed.
 */
export function encodeOp(op: OutgoingOp, device: string, ring: KeyRing): EncodedOp | { reason: string } {
  const head = { device, kind: op.kind, id: op.id, revision: op.revision, deleted: op.deleted };
  const body = bodyOf(head, op.payload, ring);
  const text = op.kind === "prompt" ? op.payload?.prompt_text : undefined;
  const bytes = Buffer.byteLength(body);
  if (
    typeof text === "string" &&
    (bytes > syncLimits.bodyBytes || Buffer.byteLength(text) > maxPromptBytes)
  ) {
    return withShorterPrompt(head, { ...op.payload, prompt_text: text }, ring);
  }
  return bytes <= syncLimits.bodyBytes ? encoded(body, bytes) : { reason: tooLong(bytes) };
}

/** The operations that announce the account keys of `device`; they are never sealed. */
export function encodeAnnouncements(device: string, ring: KeyRing): EncodedOp[] {
  return announcements(ring).map(({ id, revision, payload }) => {
    const head = { device, kind: "key", id, revision, deleted: false } as const;
    const body = canonicalJson({ v: 1, ...head, payload });
    return encoded(body, Buffer.byteLength(body));
  });
}

/** What a body of a page is. */
export type ReadChange =
  | { is: "op"; op: IncomingOp }
  | { is: "notice"; head: SyncOpHead; notice: KeyNotice }
  | { is: "failed"; failed: FailedOp };

/**
 * Reads a body. In a sealed account only sealed bodies count, tombstones included: a hub cannot plant or delete records.
 * `seq` names a body without a valid head.
 */
export function readChange(body: string, seq: string, ring: KeyRing): ReadChange {
  const head = readOpHead(body);
  if (typeof head === "string") {
    const unnamed = { device: "unknown", kind: "unknown", id: seq, revision: "0", deleted: false };
    return failedChange(unnamed, head);
  }
  const value: Json = JSON.parse(body);
  const { payload, sealed } = isJsonObject(value) ? value : {};
  if (head.kind === "key") {
    const notice = readKeyNotice(payload);
    return notice === undefined
      ? failedChange(head, "The account key has a form that this version does not know.")
      : { is: "notice", head, notice };
  }
  const state = sealed === undefined ? plainState(payload, ring) : sealedState(head, sealed, ring);
  if (typeof state === "string") return failedChange(head, state);
  if (head.deleted !== (state.payload === null)) {
    return failedChange(head, head.deleted ? "A deletion has a payload." : "The operation has no payload.");
  }
  return { is: "op", op: { ...head, payload: state.payload } };
}

export function failedChange(
  { device, kind, id, revision }: { device: string; kind: string; id: string; revision: string },
  reason: string,
): { is: "failed"; failed: FailedOp } {
  return { is: "failed", failed: { direction: "pull", device, kind, id, revision, reason } };
}

function bodyOf(head: SyncOpHead, payload: JsonObject | null, ring: KeyRing): string {
  return ring.mode === "sealed"
    ? canonicalJson({ v: 1, ...head, sealed: seal(newestKey(ring), head, canonicalJson(payload)) })
    : canonicalJson({ v: 1, ...head, ...(payload === null ? {} : { payload }) });
}

function encoded(body: string, bytes: number): EncodedOp {
  return { body, sha256: wireDigest(body), bytes };
}

// Escapes and sealing lengthen a text by an amount that only the result shows.
function withShorterPrompt(
  head: SyncOpHead,
  payload: JsonObject & { prompt_text: string },
  ring: KeyRing,
): EncodedOp | { reason: string } {
  let room = maxPromptBytes;
  let bytes = 0;
  for (let tries = 0; tries < 8 && room > 0; tries += 1) {
    const body = bodyOf(head, { ...payload, prompt_text: cutPrompt(payload.prompt_text, room) }, ring);
    bytes = Buffer.byteLength(body);
    if (bytes <= syncLimits.bodyBytes) return encoded(body, bytes);
    room = Math.floor(room * Math.min(0.98, (syncLimits.bodyBytes - headRoom) / bytes));
  }
  return { reason: tooLong(bytes) };
}

const headRoom = 1_000;

/** The first `maxBytes` of the prompt and a note; cuts neither a character nor a placeholder in two. */
function cutPrompt(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  let end = maxBytes;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  const head = bytes.toString("utf8", 0, end);
  const whole = placeholderAround(text, head.length);
  const kept = whole === undefined ? head : text.slice(0, whole.start);
  const keptBytes = Buffer.byteLength(kept);
  return `${kept}\n\n[Truncated for sync: the first ${keptBytes} of ${bytes.length} bytes.]`;
}

function tooLong(bytes: number): string {
  return `The record has ${bytes} bytes as an operation; sync takes at most ${syncLimits.bodyBytes}.`;
}

function plainState(payload: Json | undefined, ring: KeyRing): { payload: JsonObject | null } | string {
  if (ring.mode === "sealed") return "It is not encrypted, and this account is: another program wrote it.";
  if (payload === undefined || payload === null) return { payload: null };
  return isJsonObject(payload) ? { payload } : "The payload is not a JSON object.";
}

function sealedState(head: SyncOpHead, sealed: Json, ring: KeyRing): { payload: JsonObject | null } | string {
  if (typeof sealed !== "string") return sealedProblem({ is: "malformed" });
  const opened = open(keysOf(ring), head, sealed);
  if (opened.is !== "opened") return sealedProblem(opened);
  if (nestingExceeds(opened.text, maxNesting))
    return `The payload is nested more than ${maxNesting} levels deep.`;
  // Only a device with the key writes it, so it is JSON.
  const payload: Json = JSON.parse(opened.text);
  return payload === null || isJsonObject(payload) ? { payload } : "The payload is not a JSON object.";
}

const maxNesting = 64;

function keysOf(ring: KeyRing): ReadonlyMap<number, Buffer> {
  return new Map(ring.mode === "sealed" ? ring.versions.map(({ version, key }) => [version, key]) : []);
}

function sealedProblem(opened: Exclude<Opened, { is: "opened" }>): string {
  switch (opened.is) {
    case "unknown_version":
      return `It is encrypted with version ${opened.version} of the account key, which this device does not have.`;
    case "wrong_key":
      return "It is encrypted with another account key than this device has.";
    case "altered":
      return "It was changed after a device of the account encrypted it.";
    case "malformed":
      return "Its encrypted part is damaged.";
    default:
      return opened satisfies never;
  }
}
