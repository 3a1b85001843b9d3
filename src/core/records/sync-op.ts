// Operations of device sync: one canonical JSON text each, with a part that a hub reads and a part only devices read.
import { nestingExceeds } from "../../privacy/nesting.ts";
import { canonicalJson, isJsonObject, type JsonObject, parseJson } from "../../text/json.ts";

/** What an operation is about. A mutation changes a record of any device: a title, a project, a deletion. */
export const syncKinds = ["observation", "summary", "prompt", "session", "mutation", "key"] as const;
export type SyncKind = (typeof syncKinds)[number];

/** Bounds of the protocol. Bytes are UTF-8 bytes of bodies, before they are quoted in a request. */
export const syncLimits = {
  opsPerRequest: 500,
  bodyBytes: 256_000,
  bytesPerRequest: 4_000_000,
  devices: 64,
} as const;

/** The clear part of a body. Device, kind, id and revision identify the operation within an account. */
export interface SyncOpHead {
  /** The device that wrote it. */
  device: string;
  kind: SyncKind;
  /** The record on that device: 1 to 200 printable ASCII characters. */
  id: string;
  /** A decimal 64-bit number; a higher one replaces a lower one. */
  revision: string;
  /** True for a tombstone: no later operation of the same device, kind and id is accepted. */
  deleted: boolean;
}

/** True for a name of 1 to 128 letters, digits, `_` and `-`: device ids and nonces. */
export function isDeviceId(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,128}$/.test(text);
}

/** True for a decimal number of at most 64 bits, without leading zeros: sequences and revisions. */
export function isUint64(text: string): boolean {
  return /^(?:0|[1-9]\d{0,19})$/.test(text) && (text.length < 20 || text <= "18446744073709551615");
}

/** True when revision `one` is higher than `other`. */
export function isNewerRevision(one: string, other: string): boolean {
  return one.length === other.length ? one > other : one.length > other.length;
}

/** Reads the clear part. Returns a sentence about the first fault of a body that is not valid. */
export function readOpHead(body: string): SyncOpHead | string {
  // Before it is parsed: that is recursive.
  if (nestingExceeds(body, maxNesting)) return `The body is nested more than ${maxNesting} levels deep.`;
  const value = parseJson(body);
  if (!isJsonObject(value)) return "The body is not a JSON object.";
  if (canonicalJson(value) !== body)
    return "The body is not canonical JSON: sorted names, no spaces, numbers and strings as RFC 8785 has them.";
  return headOf(value);
}

const maxNesting = 64;

function headOf({ v, device, kind, id, revision, deleted }: JsonObject): SyncOpHead | string {
  if (v !== 1) return "`v` must be 1, the version of the body.";
  if (typeof device !== "string" || !isDeviceId(device)) return "`device` is not the id of a device.";
  const known = syncKinds.find((each) => each === kind);
  if (known === undefined) return `\`kind\` must be one of ${syncKinds.join(", ")}.`;
  if (typeof id !== "string" || !/^[\x21-\x7e]{1,200}$/.test(id)) {
    return "`id` must be 1 to 200 printable ASCII characters without spaces.";
  }
  if (typeof revision !== "string" || !isUint64(revision)) {
    return "`revision` must be a decimal number of at most 64 bits, as text.";
  }
  if (typeof deleted !== "boolean") return "`deleted` must be true or false.";
  return { device, kind: known, id, revision, deleted };
}
