// Pulls the log page by page: each part of a page and its cursor are one transaction.
import type { Applied, FailedOp, IncomingOp } from "../core/records/sync.ts";
import { isNewerRevision as isHigher } from "../core/records/sync-op.ts";
import { version } from "../core/version.ts";
import { HubFailure } from "./failure.ts";
import type { ChangesPage } from "./hub-answers.ts";
import type { DeviceIdentity } from "./hub-client.ts";
import { judgeNotice, newestKey } from "./key-ring.ts";
import { failedChange, type ReadChange, readChange, wireDigest } from "./ops.ts";
import { demandRunning, identify, rename, type SyncRun } from "./run.ts";

/** Reads everything after the cursor. Throws `HubFailure`, and errors of the store; what was read before stays. */
export async function pullAll(run: SyncRun, signal: AbortSignal): Promise<void> {
  await noteReader(run);
  let changes = 0;
  let more = true;
  while (more) {
    demandRunning(signal);
    const device = await identify(run);
    const { epoch, cursor, since } = whereOf(run);
    const page = await run.client.changes({ device, since }, signal);
    demandRunning(signal);
    if (page.epoch !== epoch) {
      changes += 1;
      if (changes > 1)
        throw new HubFailure({ kind: "bad_answer" }, "The hub changes its log again and again.");
      await run.store.adoptEpoch(page.epoch);
      run.noticed = false;
      // The page belongs to the cursor that was asked for.
      if (since !== "0") continue;
    } else if (isLost(run, page)) {
      await restart(run, device, signal);
      continue;
    }
    run.isChecked = true;
    const isApplied = await applyPage(run, withoutKnown(page, cursor), signal);
    if (!isApplied) continue;
    measure(run, page, since);
    more = page.more;
  }
  run.progress = null;
}

/**
 * Where the next page begins: behind the cursor, and once per process at the cursor, because a hub that was restored from a
 * backup may have another operation there.
 */
function whereOf(run: SyncRun): { epoch: string | undefined; cursor: string; since: string } {
  const { epoch, cursor, cursor_digest } = run.store.state();
  if (epoch === undefined) return { epoch, cursor: "0", since: "0" };
  const isAtCursor = !run.isChecked && cursor_digest !== undefined && cursor !== "0";
  return { epoch, cursor, since: isAtCursor ? String(BigInt(cursor) - 1n) : cursor };
}

/** The log ends before the cursor, or has another operation there. */
function isLost(run: SyncRun, { head_seq, ops }: ChangesPage): boolean {
  const { cursor, cursor_digest } = run.store.state();
  if (isHigher(cursor, head_seq)) return true;
  const [first] = ops;
  return cursor_digest !== undefined && first?.seq === cursor && wireDigest(first.body) !== cursor_digest;
}

/** Reads the log from its beginning. Throws for a second time, and for a hub that shows nothing of its log: it is wrong. */
async function restart(run: SyncRun, device: DeviceIdentity, signal: AbortSignal): Promise<void> {
  const { head_seq, ops } = await run.client.changes({ device, since: "0" }, signal);
  demandRunning(signal);
  if (run.isRestarted || (ops.length === 0 && head_seq !== "0")) {
    const message =
      "The hub's log is shorter than what this device has read. On the hub: `mem hub account reset`.";
    throw new HubFailure({ kind: "bad_answer" }, message);
  }
  run.isRestarted = true;
  run.noticed = false;
  run.announced = undefined;
  await run.store.restartLog();
}

function withoutKnown({ ops, ...page }: ChangesPage, cursor: string): ChangesPage {
  return { ...page, ops: ops.filter(({ seq }) => isHigher(seq, cursor)) };
}

// Operations that failed for want of a key, or in an older version, may be readable now.
async function noteReader(run: SyncRun): Promise<void> {
  const { ring } = run;
  const keys = ring.mode === "sealed" ? newestKey(ring).notice.fingerprint : ring.mode;
  const reader = `${version()} ${keys}`;
  if (run.reader === reader) return;
  await run.store.noteReader(reader);
  run.reader = reader;
}

// About 20 ms of the worker each; a whole page held it up for 0.3 s.
const opsPerPart = 32;

// An empty page moves no cursor: what it says about the head is only a hint. False when the log must be read again, under a
// new id: this database is an older copy of the one that pushed under the present id.
async function applyPage(run: SyncRun, { epoch, ops }: ChangesPage, signal: AbortSignal): Promise<boolean> {
  const told: Applied = { changed: [], deleted: [], isRemapped: false };
  try {
    for (let from = 0; from < ops.length; from += opsPerPart) {
      demandRunning(signal);
      const applied = await applyPart(run, epoch, ops.slice(from, from + opsPerPart));
      if (applied === undefined) return false;
      told.changed.push(...applied.changed);
      told.deleted.push(...applied.deleted);
      told.isRemapped ||= applied.isRemapped;
    }
    return true;
  } finally {
    // Once: who listens counts what came together.
    if (ops.length > 0) run.onApplied(told);
  }
}

/** One transaction with its cursor. Undefined for an older copy. */
async function applyPart(
  run: SyncRun,
  epoch: string,
  bodies: ChangesPage["ops"],
): Promise<Applied | undefined> {
  const last = bodies.at(-1);
  if (last === undefined) return undefined;
  const at = { cursor: last.seq, digest: wireDigest(last.body) };
  const ops: IncomingOp[] = [];
  const failed: FailedOp[] = [];
  for (const { seq, body } of bodies) {
    const change = readChange(body, seq, run.ring);
    if (change.is === "op") ops.push(change.op);
    else if (change.is === "failed") failed.push(change.failed);
    else failed.push(...judged(run, change));
  }
  const applied = await run.store.apply({ epoch, ...at, ops, failed, now: run.clock.now() });
  if (applied.isCopy !== true) return applied;
  await rename(run);
  return undefined;
}

/** Throws `key_missing`: nothing of the page is applied, so that a device that gets the key reads it again. */
function judged(run: SyncRun, { head, notice }: Extract<ReadChange, { is: "notice" }>): FailedOp[] {
  const verdict = judgeNotice(run.ring, notice);
  if (verdict === "known") {
    run.noticed = true;
    return [];
  }
  if (verdict === "key_missing" || !run.noticed) {
    const message =
      "The account has a key that this device does not have. Enter its passphrase: `mem sync setup`.";
    throw new HubFailure({ kind: "key_missing" }, message);
  }
  return [failedChange(head, "It announces a key that no device of this account made.").failed];
}

// Only what takes more than a page is worth a progress bar.
function measure(run: SyncRun, { more, head_seq, ops }: ChangesPage, since: string): void {
  const before = run.progress?.direction === "pull" ? run.progress : undefined;
  if (before === undefined && !more) return;
  const total = before?.total ?? Number(BigInt(head_seq) - BigInt(since));
  const done = (before?.done ?? 0) + ops.length;
  run.progress = { direction: "pull", done, total: Math.max(done, total) };
  run.onProgress();
}
