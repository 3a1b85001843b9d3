// Checks the operations of a push before anything is stored; every refusal names the index of its operation.
import { MemError } from "../core/errors.ts";
import { digestOf } from "../core/ids.ts";
import type { ReceivedOp } from "../core/records/hub.ts";
import { readOpHead, syncLimits } from "../core/records/sync-op.ts";
import { isJsonObject } from "../text/json.ts";

/** The operations, in their order. Throws `invalid_request`, `payload_too_large` and `device_mismatch`. */
export function readOps(device_id: string, ops: readonly unknown[]): ReceivedOp[] {
  if (ops.length > syncLimits.opsPerRequest) {
    throw new MemError("payload_too_large", {
      message: `A request has at most ${syncLimits.opsPerRequest} operations; this one has ${ops.length}.`,
      hint: "Send the rest in other requests.",
      details: { index: syncLimits.opsPerRequest, limit: syncLimits.opsPerRequest },
    });
  }
  const received: ReceivedOp[] = [];
  let bytes = 0;
  for (const [index, op] of ops.entries()) {
    const { body, sha256 } = textsOf(op, index);
    const size = Buffer.byteLength(body);
    if (size > syncLimits.bodyBytes) throw tooLarge(index, size);
    bytes += size;
    if (bytes > syncLimits.bytesPerRequest) throw tooMuch(index);
    received.push(readOp({ body, sha256, bytes: size }, device_id, index));
  }
  return received;
}

function textsOf(op: unknown, index: number): { body: string; sha256: string } {
  if (isJsonObject(op) && typeof op.body === "string" && typeof op.sha256 === "string") {
    return { body: op.body, sha256: op.sha256 };
  }
  throw malformed(index, "It must be an object with the texts `body` and `sha256`.");
}

function readOp(
  { body, sha256, bytes }: { body: string; sha256: string; bytes: number },
  device_id: string,
  index: number,
): ReceivedOp {
  const digest = digestOf(body);
  if (digest.toString("base64url") !== sha256) {
    throw malformed(index, "`sha256` is not the base64url SHA-256 of the body's UTF-8 bytes.");
  }
  const head = readOpHead(body);
  if (typeof head === "string") throw malformed(index, head);
  const { device, kind, id, revision, deleted } = head;
  if (device !== device_id) throw new MemError("device_mismatch", { details: { index } });
  return { kind, id, revision, deleted, body, bytes, sha256: digest };
}

function malformed(index: number, problem: string): MemError {
  return new MemError("invalid_request", {
    message: `Operation ${index}: ${problem}`,
    hint: "Nothing of the push was stored. Leave this operation out, or fix it.",
    details: { index },
  });
}

function tooLarge(index: number, size: number): MemError {
  return new MemError("payload_too_large", {
    message: `Operation ${index}: the body has ${size} bytes, the limit is ${syncLimits.bodyBytes}.`,
    hint: "Nothing of the push was stored. Leave this operation out, or shorten it.",
    details: { index, limit: syncLimits.bodyBytes },
  });
}

function tooMuch(index: number): MemError {
  return new MemError("payload_too_large", {
    message: `The bodies up to operation ${index} have more than ${syncLimits.bytesPerRequest} bytes together.`,
    hint: "Nothing of the push was stored. Send this operation and the next ones in another request.",
    details: { index, limit: syncLimits.bytesPerRequest },
  });
}
