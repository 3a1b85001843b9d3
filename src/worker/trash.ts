// Deletes and restores records over the store, and reports it to search, the stream and the scheduler.
import { setImmediate } from "node:timers/promises";
import type { IntakeDeps } from "../capture/inputs.ts";
import type { Clock } from "../core/clock.ts";
import { MemError } from "../core/errors.ts";
import type { StreamEvent } from "../core/records/events.ts";
import { deletedInWords } from "../core/records/forget.ts";
import {
  type Refusal,
  type Restored,
  sumOfCounts,
  type TrashEntry,
  type TrashKind,
  undoDays,
} from "../core/records/trash.ts";
import type { Scheduler } from "../generate/scheduler.ts";
import type { TrashPorts } from "../http/api/trash.ts";
import type { RestoredRecord } from "../http/schemas/trash.ts";
import type { Deletion } from "../store/sqlite/deletions.ts";
import type { Store } from "../store/sqlite/store.ts";

export interface TrashDeps {
  store: Store;
  clock: Clock;
  publish(event: StreamEvent): void;
  /** Sessions came or went, and with them labels of projects. */
  signals: { emit(name: "labelsChanged"): unknown };
  queueChanged(): void;
  /** Told of observations that need vectors. */
  vectors: { notify(ids: readonly number[]): void };
  scheduler: Pick<Scheduler, "cancel" | "notify">;
  /** Deletes emptied entries in the background. */
  maintenance: { purge(): Promise<void> };
  erasure: { now(): Promise<boolean> };
}

const undoMs = undoDays * 24 * 3_600_000;
const stepMs = 15;
// Less than clients wait for an answer.
const requestMs = 2_000;

type Outcome = Restored | Refusal;

export function createTrashPorts(deps: TrashDeps): TrashPorts {
  const { store, clock } = deps;
  return {
    async remove(kind, id) {
      const now = clock.now();
      const done = await store.commit(() => store.deletions[kind](id, now));
      if (done === undefined) throw noRecord(kind, id);
      await reportDeleted(deps, done);
      const { trash_id, counts } = done;
      return { trash_id, kind, id, deleted: counts, undo_until_epoch: now + undoMs };
    },
    page({ offset, limit, project, kind, id }) {
      const since = clock.now() - undoMs;
      const { items, hasMore } =
        kind !== undefined && id !== undefined
          ? { items: store.trash.holding({ kind, id, since }), hasMore: false }
          : store.trash.page({ offset, limit, project, since });
      const shown = items.map((item) => ({
        ...shownEntry(store, item),
        undo_until_epoch: item.at_epoch + undoMs,
      }));
      return { items: shown, hasMore, offset, limit };
    },
    async empty() {
      const emptied = await store.commit(() => store.trash.empty());
      void deps.maintenance.purge().then(deps.erasure.now);
      return emptied;
    },
    async restore(trashId) {
      const together = store.forgets.entriesWith(trashId);
      if (together.length > 0) return restoreTogether(deps, together);
      const { kind, id, counts } = await restoreEntry(deps, trashId);
      return { kind, id, restored: counts };
    },
  };
}

async function restoreEntry(deps: TrashDeps, trashId: number): Promise<Restored> {
  const [done] = await restoreFirst(deps, [trashId]);
  if (done === undefined || "is" in done) throw refused(trashId, done ?? { is: "unknown" });
  return done;
}

/** Restores the first entries, of the forget if any, as many as a step of some milliseconds allows; the result of each. */
async function restoreFirst(
  deps: TrashDeps,
  entries: readonly number[],
  forget: number | null = null,
): Promise<Outcome[]> {
  const { store, clock } = deps;
  // Refusals are returned: a throw would roll back other writes of the same transaction.
  const outcomes = await store.commit(() => {
    const done: Outcome[] = [];
    const start = clock.monotonicMs();
    for (const entry of entries) {
      done.push(store.restore(entry, clock.now() - undoMs));
      if (clock.monotonicMs() - start >= stepMs) break;
    }
    if (forget !== null)
      for (const one of done) if (!("is" in one)) store.forgets.takeBack(forget, one.counts);
    return done;
  });
  for (const done of outcomes) {
    if ("is" in done) continue;
    if (done.isSent && done.session !== null) await deps.scheduler.cancel(done.session);
    report(deps, done);
  }
  return outcomes;
}

/**
 * Restores what one forget deleted, for at most two seconds: the rest is `waiting`. Records that cannot be restored now stay
 * in the trash; throws when none can.
 */
async function restoreTogether(deps: TrashDeps, entries: readonly number[]): Promise<RestoredRecord> {
  const forget = deps.store.trash.byId(entries[0] ?? 0)?.forget_id ?? null;
  if (forget !== null && deps.store.forgets.unfinished()?.id === forget)
    throw conflict(
      "This forget is still running.",
      "Wait until it ends: GET /api/forget shows its progress.",
    );
  let first: RestoredRecord | undefined;
  let refusal: unknown;
  let left = 0;
  // A session is deleted after its records, and is needed before them.
  const order = entries.toReversed();
  const since = deps.clock.monotonicMs();
  let at = 0;
  while (at < order.length && deps.clock.monotonicMs() - since < requestMs) {
    const outcomes = await restoreFirst(deps, order.slice(at), forget);
    for (const [index, done] of outcomes.entries()) {
      if (!("is" in done)) {
        const { kind, id, counts } = done;
        first = {
          kind,
          id,
          ...first,
          restored: first === undefined ? counts : sumOfCounts(first.restored, counts),
        };
        continue;
      }
      const thrown = refused(order[at + index] ?? 0, done);
      if (thrown.code !== "conflict") throw thrown;
      refusal ??= thrown;
      left += 1;
    }
    at += outcomes.length;
    await setImmediate();
  }
  if (first === undefined) throw refusal;
  await deps.store.commit(() => forget !== null && deps.store.forgets.drop(forget));
  const waiting = order.length - at;
  return { ...first, left, ...(waiting > 0 && { waiting }) };
}

/** Entries of one forget are shown as one, with its receipt. */
function shownEntry(store: Store, { forget_id, ...item }: TrashEntry) {
  const receipt = forget_id === null ? undefined : store.forgets.byId(forget_id);
  return receipt === undefined
    ? item
    : { ...item, title: deletedInWords(receipt.counts), forget: { id: receipt.id, counts: receipt.counts } };
}

/** Reports a deletion to the model that runs, the stream and the queue. */
export async function reportDeleted(
  deps: Pick<TrashDeps, "store" | "publish" | "signals" | "queueChanged" | "scheduler">,
  { kind, id, project, session, changed, isSent }: Deletion,
): Promise<void> {
  if (isSent && session !== null) {
    await deps.scheduler.cancel(session);
    deps.scheduler.notify(session);
  }
  deps.publish({ type: "record_deleted", kind, id, project });
  for (const one of changed) publishText(deps, "observation", one);
  if (kind === "session") deps.signals.emit("labelsChanged");
  deps.queueChanged();
}

function report(deps: TrashDeps, { kind, id, project, observations, session, ...done }: Restored): void {
  if (done.action === "edited") publishText(deps, kind, id);
  deps.publish({ type: "record_restored", kind, id, project });
  for (const changed of done.changed) publishText(deps, "observation", changed);
  deps.vectors.notify(observations);
  if (kind === "session") deps.signals.emit("labelsChanged");
  if (!done.isQueued || session === null) return;
  deps.scheduler.notify(session);
  deps.queueChanged();
}

/** Reports what a late private prompt deleted. */
export function createReportWithdrawn(
  deps: Pick<TrashDeps, "store" | "publish" | "queueChanged" | "scheduler">,
): IntakeDeps["onWithdrawn"] {
  return async ({ sessionDbId, project, isShown, observations, summaries, changed }) => {
    if (isShown) {
      await deps.scheduler.cancel(sessionDbId);
      deps.scheduler.notify(sessionDbId);
    }
    for (const id of observations) deps.publish({ type: "record_deleted", kind: "observation", id, project });
    for (const id of summaries) deps.publish({ type: "record_deleted", kind: "summary", id, project });
    for (const id of changed) publishText(deps, "observation", id);
    deps.queueChanged();
  };
}

/** Publishes a text that was edited, or an edit that was undone. */
export function publishText(
  { store, publish }: Pick<TrashDeps, "store" | "publish">,
  kind: TrashKind,
  id: number,
): void {
  const observation = kind === "observation" ? store.observations.byId(id) : undefined;
  if (observation !== undefined) publish({ type: "observation_changed", observation });
  const summary = kind === "summary" ? store.summaries.byId(id) : undefined;
  if (summary !== undefined) publish({ type: "summary_changed", summary });
  const prompt = kind === "prompt" ? store.prompts.byId(id) : undefined;
  if (prompt === undefined) return;
  const { claude_session_id, project, prompt_number, prompt_text, created_at_epoch } = prompt;
  const shown = { id, claude_session_id, project, prompt_number, prompt_text, created_at_epoch };
  publish({ type: "prompt_changed", ...shown });
}

const nouns = {
  observation: "observation",
  summary: "session summary",
  prompt: "prompt",
  session: "session",
};

function noRecord(kind: TrashKind, id: number): MemError {
  return new MemError("not_found", {
    message: `There is no ${nouns[kind]} ${id}.`,
    hint: "Ids come from the lists and from GET /api/search. Deleted records: GET /api/trash.",
  });
}

function refused(trashId: number, refusal: Refusal): MemError {
  switch (refusal.is) {
    case "unknown":
      return new MemError("not_found", {
        message: `There is no entry ${trashId} in the trash.`,
        hint: `GET /api/trash lists what can be restored. Entries are deleted after ${undoDays} days.`,
      });
    case "without_session":
      return conflict(
        `The session of this record, ${refusal.session}, is deleted.`,
        refusal.by === undefined
          ? "The session can no longer be restored."
          : `Restore the session first: POST /api/trash/${refusal.by}/restore.`,
      );
    case "stored_again":
      return conflict(
        `The same ${refusal.kind} is stored again, as ${refusal.kind} ${refusal.by}.`,
        `Delete that one first: DELETE /api/${refusal.kind}s/${refusal.by}.`,
      );
    case "deleted":
      return conflict(
        "The edited record is deleted.",
        refusal.by === undefined
          ? "The record can no longer be restored."
          : `Restore the record first: POST /api/trash/${refusal.by}/restore.`,
      );
    case "changed":
      return conflict(
        "The text was changed again after this edit.",
        "Undo the later edit first, GET /api/trash lists it, or edit the text.",
      );
    default:
      return refusal satisfies never;
  }
}

function conflict(message: string, hint: string): MemError {
  return new MemError("conflict", { message, hint });
}
