// Checks the hub's answers: types, counts, sizes, order and digests. Nothing of an answer with a fault is used.
import { isDeviceId, isNewerRevision as isHigher, isUint64, syncLimits } from "../core/records/sync-op.ts";
import { nestingExceeds } from "../privacy/nesting.ts";
import { isJsonObject, type JsonObject, parseJson } from "../text/json.ts";
import { HubFailure } from "./failure.ts";
import { type WireOp, wireDigest } from "./ops.ts";

export interface PushAck {
  epoch: string;
  head_seq: string;
  /** One for each operation, in their order. */
  results: readonly { seq: string; duplicate: boolean }[];
}

export interface ChangesPage {
  epoch: string;
  head_seq: string;
  more: boolean;
  ops: readonly { seq: string; body: string }[];
}

export interface HubState {
  epoch: string;
  head_seq: string;
  op_count: number;
  device_count: number;
  device_limit: number;
}

/** Reads the answer to a push of `sent` into the log `epoch`. Throws `bad_answer`. */
export function readPushAck(json: string | undefined, sent: readonly WireOp[], epoch: string): PushAck {
  const { head_seq, results, ...answer } = objectIn(json);
  if (answer.epoch !== epoch) throw bad("acknowledged the push in another log");
  if (!isSequence(head_seq)) throw bad("sent no valid head of the log");
  if (!Array.isArray(results) || results.length !== sent.length) {
    throw bad("did not acknowledge each operation");
  }
  const acks = results.map((each) => {
    const { seq, duplicate } = isJsonObject(each) ? each : {};
    if (!isSequence(seq) || seq === "0" || isHigher(seq, head_seq) || typeof duplicate !== "boolean") {
      throw bad("acknowledged an operation without a valid sequence");
    }
    return { seq, duplicate };
  });
  if (new Set(acks.map(({ seq }) => seq)).size !== acks.length) throw bad("gave two operations one sequence");
  if (!isAscending(acks.filter(({ duplicate }) => !duplicate))) throw bad("acknowledged in another order");
  return { epoch, head_seq, results: acks };
}

/** Reads a page after `since` with at most `limit` operations. Throws `bad_answer`: also for a hole, and for a repeat. */
export function readPage(json: string | undefined, since: string, limit: number): ChangesPage {
  const { epoch, head_seq, more, ops } = objectIn(json);
  if (!isEpoch(epoch)) throw bad("sent no valid name of the log");
  if (!isSequence(head_seq) || typeof more !== "boolean" || !Array.isArray(ops) || ops.length > limit) {
    throw bad("sent a page that is not complete");
  }
  if (more && ops.length === 0) throw bad("sent an empty page, and says that more follows");
  let before = since;
  let bytes = 0;
  const read = ops.map((op, index) => {
    const { seq, after, body, sha256 } = isJsonObject(op) ? op : {};
    if (!isSequence(seq) || !isSequence(after) || typeof body !== "string")
      throw bad("sent an operation that is not complete");
    const follows = index === 0 ? !isHigher(after, since) : after === before;
    if (!follows || !isHigher(seq, before) || isHigher(seq, head_seq)) {
      throw bad("sent a page with a hole, or out of order");
    }
    bytes += sizeOf(body);
    if (bytes > syncLimits.bytesPerRequest) throw bad("sent a page that is too large");
    if (wireDigest(body) !== sha256) throw bad("sent an operation that does not match its digest");
    before = seq;
    return { seq, body };
  });
  return { epoch, head_seq, more, ops: read };
}

/** A device of the account, as the hub lists it. */
export interface ListedDevice {
  id: string;
  name: string;
  first_push_at: number;
  last_push_at: number;
}

/** Reads the answer of the route of devices. Throws `bad_answer`. */
export function readDevices(json: string | undefined): { device_limit: number; devices: ListedDevice[] } {
  const { device_limit, devices } = objectIn(json);
  if (!isCount(device_limit) || !Array.isArray(devices)) throw bad("sent no valid list of devices");
  return { device_limit, devices: devices.map(readDevice) };
}

function readDevice(value: unknown): ListedDevice {
  const { id, name, first_push_at, last_push_at } = isJsonObject(value) ? value : {};
  const isNamed = typeof id === "string" && isDeviceId(id) && typeof name === "string" && name.length <= 80;
  if (!isNamed || !isCount(first_push_at) || !isCount(last_push_at))
    throw bad("sent no valid list of devices");
  return { id, name, first_push_at, last_push_at };
}

/** Reads the answer of the status route. Throws `bad_answer`. */
export function readHubState(json: string | undefined): HubState {
  const { epoch, head_seq, op_count, device_count, device_limit } = objectIn(json);
  if (!isEpoch(epoch) || !isSequence(head_seq)) throw bad("sent no valid status");
  if (!isCount(op_count) || !isCount(device_count) || !isCount(device_limit))
    throw bad("sent no valid status");
  return { epoch, head_seq, op_count, device_count, device_limit };
}

/** Code and details of an error body; empty for any other text. */
export function readRefusal(json: string | undefined): { code: string; details: JsonObject } {
  const value = json === undefined ? undefined : parsed(json);
  const { code, details } = isJsonObject(value) && isJsonObject(value.error) ? value.error : {};
  return { code: typeof code === "string" ? code : "", details: isJsonObject(details) ? details : {} };
}

/** The name of a log: it is stored and shown. */
export function isEpoch(value: unknown): value is string {
  return typeof value === "string" && /^[A-Za-z0-9_-]{1,64}$/.test(value);
}

export function bad(what: string): HubFailure {
  return new HubFailure({ kind: "bad_answer" }, `The hub ${what}.`);
}

const maxNesting = 8;

function objectIn(json: string | undefined): JsonObject {
  if (json === undefined) throw bad("sent an answer that is not JSON");
  const value = parsed(json);
  if (!isJsonObject(value)) throw bad("sent an answer that is not JSON");
  return value;
}

function parsed(json: string): unknown {
  return nestingExceeds(json, maxNesting) ? undefined : parseJson(json);
}

function isSequence(value: unknown): value is string {
  return typeof value === "string" && isUint64(value);
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function isAscending(acks: readonly { seq: string }[]): boolean {
  return acks.every(({ seq }, at) => at === 0 || isHigher(seq, acks[at - 1]?.seq ?? "0"));
}

function sizeOf(body: string): number {
  const bytes = Buffer.byteLength(body);
  if (bytes > syncLimits.bodyBytes) throw bad("sent an operation that is too large");
  return bytes;
}
