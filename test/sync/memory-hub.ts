// A hub in memory that answers as the protocol says, as a transport: with faults that a test sets.
import { isNewerRevision, readOpHead, type SyncOpHead, syncLimits } from "../../src/core/records/sync-op.ts";
import { HubFailure } from "../../src/sync/failure.ts";
import type { HubAnswer, HubRequest, HubTransport } from "../../src/sync/hub-transport.ts";
import { wireDigest } from "../../src/sync/ops.ts";

interface LoggedOp extends SyncOpHead {
  seq: bigint;
  body: string;
  sha256: string;
  isReplaced: boolean;
}

/** What happens to a request: its answer or the request itself is lost; or it changes while it is on its way. */
export type Fault = "lose_request" | "lose_answer" | (() => void);

/** A hub with faults, and what a history does to it. */
export interface FaultyHub {
  transport: HubTransport;
  /** Of the next requests, in their order. */
  faults: (Fault | undefined)[];
  /** Operations of a page. */
  pageSize: number;
  reset(): void | Promise<void>;
  /** Removes the bodies of replaced revisions. */
  compact(): void | Promise<void>;
}

export interface MemoryHub extends FaultyHub {
  /** Requests as `POST /v1/sync/ops 3`, with the number of operations. */
  requests: string[];
  /** The bodies of all requests, for searches. */
  bodies: string[];
  /** Every request fails while it is set. */
  isDown: boolean;
  reset(): void;
  compact(): void;
  ops(): readonly LoggedOp[];
  /** The log as it was with this many operations, under the same epoch: as after a restore from a backup. */
  restore(operations: number): void;
}

export function createMemoryHub(): MemoryHub {
  const devices = new Map<string, string>();
  let log: LoggedOp[] = [];
  let seen = new Map<string, LoggedOp>();
  let current = new Map<string, LoggedOp>();
  let head = 0n;
  let epochs = 1;

  function push({ headers, body = "" }: HubRequest): HubAnswer {
    const { epoch, ops } = JSON.parse(body) as { epoch?: string; ops: { body: string; sha256: string }[] };
    const device = headers["x-device-id"] ?? "";
    const nonce = headers["x-device-nonce"] ?? "";
    if (epoch !== undefined && epoch !== `epoch-${epochs}`) return refused(409, "epoch_changed");
    if ((devices.get(device) ?? nonce) !== nonce) return refused(409, "device_conflict");
    if (!devices.has(device) && devices.size >= syncLimits.devices)
      return refused(409, "device_limit_exceeded");
    if (ops.length > syncLimits.opsPerRequest) return refused(413, "payload_too_large");
    const added: LoggedOp[] = [];
    const results: { seq: string; duplicate: boolean }[] = [];
    for (const [index, op] of ops.entries()) {
      const verdict = place(device, op, head + BigInt(added.length + 1), added);
      if (typeof verdict === "string")
        return refused(verdict === "invalid_request" ? 400 : 409, verdict, index);
      const isNew = verdict.seq > head && added.at(-1) !== verdict;
      if (isNew) added.push(verdict);
      results.push({ seq: String(verdict.seq), duplicate: !isNew });
    }
    devices.set(device, nonce);
    for (const op of added) store(op);
    head += BigInt(added.length);
    return answer({ epoch: `epoch-${epochs}`, head_seq: String(head), results });
  }

  function place(
    device: string,
    { body, sha256 }: { body: string; sha256: string },
    seq: bigint,
    added: readonly LoggedOp[],
  ): LoggedOp | string {
    const found = readOpHead(body);
    if (typeof found === "string" || wireDigest(body) !== sha256) return "invalid_request";
    if (found.device !== device) return "device_mismatch";
    const first = seen.get(revisionOf(found)) ?? added.find((op) => revisionOf(op) === revisionOf(found));
    if (first !== undefined) return first.sha256 === sha256 ? first : "revision_conflict";
    const last = added.findLast((op) => recordOf(op) === recordOf(found)) ?? current.get(recordOf(found));
    if (last?.deleted === true) return "deleted";
    return { ...found, seq, body, sha256, isReplaced: false };
  }

  function store(op: LoggedOp): void {
    const before = current.get(recordOf(op));
    if (before !== undefined && !op.deleted && !isNewerRevision(op.revision, before.revision)) {
      op.isReplaced = true;
    } else {
      if (before !== undefined) before.isReplaced = true;
      current.set(recordOf(op), op);
    }
    seen.set(revisionOf(op), op);
    log.push(op);
  }

  function changes(query: URLSearchParams): HubAnswer {
    const since = BigInt(query.get("since") ?? "0");
    const limit = Math.min(Number(query.get("limit")), hub.pageSize);
    const rest = log.filter(({ seq }) => seq > since);
    const before = log.findLast(({ seq }) => seq <= since)?.seq ?? 0n;
    const ops = rest.slice(0, limit).map(({ seq, body, sha256 }, at) => ({
      ...{ seq: String(seq), body, sha256, received_at: 0 },
      after: String(at === 0 ? before : rest[at - 1]?.seq),
    }));
    return answer({ epoch: `epoch-${epochs}`, head_seq: String(head), more: rest.length > limit, ops });
  }

  function serve(request: HubRequest): HubAnswer {
    const { pathname, searchParams } = new URL(request.path, "http://hub");
    if (pathname === "/v1/sync/ops") return push(request);
    if (pathname === "/v1/sync/changes") return changes(searchParams);
    return answer({
      ...{ epoch: `epoch-${epochs}`, head_seq: String(head), op_count: log.length },
      ...{ device_count: devices.size, device_limit: syncLimits.devices },
    });
  }
  const hub: MemoryHub = {
    transport: {
      async exchange(request, signal) {
        hub.requests.push(`${request.method} ${request.path}`);
        if (request.body !== undefined) hub.bodies.push(request.body);
        const fault = hub.faults.shift();
        await Promise.resolve();
        if (hub.isDown || fault === "lose_request") throw lost();
        const served = serve(request);
        if (typeof fault === "function") fault();
        await Promise.resolve();
        if (fault === "lose_answer" || signal.aborted) throw lost();
        return served;
      },
      close: async () => undefined,
    },
    requests: [],
    bodies: [],
    faults: [],
    isDown: false,
    pageSize: syncLimits.opsPerRequest,
    reset() {
      epochs += 1;
      log = [];
      seen = new Map();
      current = new Map();
      head = 0n;
    },
    compact() {
      log = log.filter(({ isReplaced }) => !isReplaced);
    },
    ops: () => log,
    restore(operations) {
      const kept = log.slice(0, operations);
      [log, seen, current, head] = [[], new Map(), new Map(), BigInt(kept.length)];
      for (const op of kept) store({ ...op, isReplaced: false });
    },
  };
  return hub;
}

function recordOf({ device, kind, id }: SyncOpHead): string {
  return `${device} ${kind} ${id}`;
}

function revisionOf(op: SyncOpHead): string {
  return `${recordOf(op)} ${op.revision}`;
}

function answer(value: unknown, status = 200): HubAnswer {
  return { status, retryAfterMs: undefined, json: JSON.stringify(value) };
}

function refused(status: number, code: string, index?: number): HubAnswer {
  return answer(
    { error: { code, message: code, ...(index === undefined ? {} : { details: { index } }) } },
    status,
  );
}

export function lost(): HubFailure {
  return new HubFailure({ kind: "unreachable" }, "The hub cannot be reached (ECONNRESET).");
}
