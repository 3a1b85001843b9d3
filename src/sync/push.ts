// Pushes what waits in the store, batch by batch. A row is stamped only after the hub acknowledged its operation.
import type { OutgoingOp, PendingCounts } from "../core/records/sync.ts";
import { syncLimits } from "../core/records/sync-op.ts";
import { HubFailure, type HubFailureKind } from "./failure.ts";
import { bad, type PushAck } from "./hub-answers.ts";
import type { KeyRing } from "./key-ring.ts";
import { type EncodedOp, encodeAnnouncements, encodeOp } from "./ops.ts";
import { demandRunning, identify, rename, type SyncRun } from "./run.ts";

/** An operation and its row. */
interface Sent {
  op: OutgoingOp;
  wire: EncodedOp;
}

/** Limits of one run, which a refusal lowers. */
interface Pace {
  /** Operations per request. */
  most: number;
  refusals: number;
  /** A batch got other revisions already. */
  isRevised: boolean;
}

// A hub that refuses everything must not set a whole memory aside.
const maxRefusals = 100;

/**
 * Pushes until nothing waits, or until a pull is wanted. Throws `HubFailure`, and errors of the store; what was acknowledged
 * before stays stamped.
 */
export async function pushAll(run: SyncRun, signal: AbortSignal): Promise<void> {
  const pace: Pace = { most: syncLimits.opsPerRequest, refusals: 0, isRevised: false };
  let last = "";
  // At least one batch: hints that never end must not keep records from leaving.
  do {
    demandRunning(signal);
    const { ring } = run;
    if (ring.mode === "unset") throw keyUnknown();
    if (!(await announce(run, ring, signal))) break;
    const batch = await nextBatch(run, ring, pace.most);
    if (batch === "empty") break;
    if (batch.length === 0) continue;
    const first = batch[0]?.wire.sha256 ?? "";
    if (first === last) throw new Error("the store returns an operation again that was stamped");
    const ack = await send(run, batch, pace, signal);
    if (ack === undefined) continue;
    last = first;
    await run.store.stamp(
      batch.map(({ op }) => op),
      run.clock.now(),
    );
    run.isRenamed = false;
    run.isOutdated = false;
    await follow(run, ack, batch.at(-1)?.wire.sha256);
    measure(run, batch.length);
  } while (!run.wants.pull);
  if (run.progress?.direction === "push") run.progress = null;
}

// The records of an account that is encrypted must not leave in the clear.
function keyUnknown(): HubFailure {
  const message =
    "This device does not know whether its account is encrypted, so it pushes nothing: `mem sync setup`.";
  return new HubFailure({ kind: "key_missing" }, message);
}

/** Announces the account keys once per log, device and process; a replay changes nothing. False when a pull must be first. */
async function announce(run: SyncRun, ring: KeyRing, signal: AbortSignal): Promise<boolean> {
  const device = await identify(run);
  const epoch = demandEpoch(run);
  if (run.announced === `${epoch} ${device.id}`) return true;
  for (const op of encodeAnnouncements(device.id, ring)) {
    try {
      const ack = await run.client.push({ device, epoch, ops: [op] }, signal);
      demandRunning(signal);
      // The hub counts it as a push of the device.
      await run.store.stamp([], run.clock.now());
      const isFirst = await follow(run, ack, op.sha256);
      // Another device may have announced its key first, and another key.
      if (!isFirst && !run.noticed && ack.results[0]?.duplicate === false) return false;
    } catch (cause) {
      demandRunning(signal);
      const failure = failureOf(cause);
      if (await adaptToLog(run, failure)) return run.wants.pull ? false : await announce(run, ring, signal);
      // This device announced the key before, wrapped in another way.
      if (failure.kind !== "refused_op" || failure.code !== "revision_conflict") throw cause;
    }
    run.noticed = true;
  }
  run.announced = `${epoch} ${device.id}`;
  return true;
}

/** Takes a new device id, or notes that the log must be read again; false for any other failure. */
async function adaptToLog(run: SyncRun, { kind }: HubFailureKind): Promise<boolean> {
  if (kind === "device_conflict") {
    await rename(run);
    return true;
  }
  // The pull finds the new log. A hub that repeats this and has no new log is wrong.
  if (kind !== "epoch_changed" || run.isOutdated) return false;
  run.isOutdated = true;
  run.wants.pull = true;
  return true;
}

/** The next operations that fit into a request. Operations that cannot be encoded fail. */
async function nextBatch(run: SyncRun, ring: KeyRing, most: number): Promise<Sent[] | "empty"> {
  const { id } = await identify(run);
  const ops = await run.store.outgoing(most);
  if (ops.length === 0) return "empty";
  const batch: Sent[] = [];
  let bytes = 0;
  for (const op of ops) {
    const wire = encodeOp(op, id, ring);
    if ("reason" in wire) {
      await run.store.fail(op, wire.reason, run.clock.now());
      continue;
    }
    bytes += wire.bytes;
    if (bytes > syncLimits.bytesPerRequest) break;
    batch.push({ op, wire });
  }
  return batch;
}

/** The acknowledgment; undefined when the next attempt is another one: without an operation, smaller, or under a new id. */
async function send(
  run: SyncRun,
  batch: readonly Sent[],
  pace: Pace,
  signal: AbortSignal,
): Promise<PushAck | undefined> {
  try {
    const device = await identify(run);
    const ack = await run.client.push(
      { device, epoch: demandEpoch(run), ops: batch.map(({ wire }) => wire) },
      signal,
    );
    demandRunning(signal);
    return ack;
  } catch (cause) {
    demandRunning(signal);
    await adapt(run, batch, pace, cause);
    return undefined;
  }
}

async function adapt(run: SyncRun, batch: readonly Sent[], pace: Pace, cause: unknown): Promise<void> {
  const failure = failureOf(cause);
  if (await adaptToLog(run, failure)) return;
  if (failure.kind === "refused_op") {
    const refused = batch[failure.index];
    // Of all batches only one can be on the hub without an answer.
    if (failure.code === "revision_conflict" && !pace.isRevised) {
      pace.isRevised = true;
      return await run.store.revise(batch.map(({ op }) => op));
    }
    if (failure.code === "deleted" && refused?.op.deleted === true) {
      return await run.store.stamp([refused.op], run.clock.now());
    }
    return await refuse(run, refused, failure.reason, pace, cause);
  }
  if (failure.kind === "too_large") {
    pace.most = Math.floor(batch.length / 2);
    if (pace.most > 0) return;
    pace.most = syncLimits.opsPerRequest;
    return await refuse(run, batch[0], "The hub takes smaller operations only.", pace, cause);
  }
  throw cause;
}

async function refuse(
  run: SyncRun,
  sent: Sent | undefined,
  reason: string,
  pace: Pace,
  cause: unknown,
): Promise<void> {
  pace.refusals += 1;
  if (sent === undefined || pace.refusals > maxRefusals) throw cause;
  await run.store.fail(sent.op, reason, run.clock.now());
}

/**
 * Moves the cursor over operations that are all of this push: they need not be pulled. False when others wrote in between,
 * which a pull reads then.
 */
async function follow(
  run: SyncRun,
  { epoch, results }: PushAck,
  digest: string | undefined,
): Promise<boolean> {
  let next = BigInt(run.store.state().cursor);
  for (const { seq, duplicate } of results) {
    next += 1n;
    if (duplicate || seq !== String(next)) {
      if (!duplicate) run.wants.pull = true;
      return false;
    }
  }
  const cursor = String(next);
  await run.store.apply({ epoch, cursor, digest, ops: [], failed: [], now: run.clock.now() });
  return true;
}

function demandEpoch(run: SyncRun): string {
  const { epoch } = run.store.state();
  // A pull is always first.
  if (epoch === undefined) throw bad("gave this log no name");
  return epoch;
}

function failureOf(cause: unknown): HubFailureKind {
  if (cause instanceof HubFailure) return cause.failure;
  throw cause;
}

function measure(run: SyncRun, sent: number): void {
  const before = run.progress?.direction === "push" ? run.progress : undefined;
  const done = (before?.done ?? 0) + sent;
  // Counting reads all that waits: not after each batch.
  const isKnown = before !== undefined && done < before.total;
  const total = isKnown ? before.total : done + countOf(run.store.pending());
  if (before === undefined && total === done) return;
  run.progress = { direction: "push", done, total };
  run.onProgress();
}

/** All that waits for a push. */
export function countOf(pending: PendingCounts): number {
  return Object.values(pending).reduce((sum: number, count: number) => sum + count, 0);
}
