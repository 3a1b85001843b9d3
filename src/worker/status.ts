// The worker's state for health, the queue routes, and the status line of the stream.
import type { Clock } from "../core/clock.ts";
import type { MemError } from "../core/errors.ts";
import type { ProcessingStatus, StreamEvent } from "../core/records/events.ts";
import type { GenerationPause } from "../core/records/generation-pause.ts";
import type { MessageCounts } from "../core/records/messages.ts";
import { isStorageFailure, storageError } from "../store/sqlite/storage-error.ts";
import type { Store } from "../store/sqlite/store.ts";
import type { createGeneration } from "./generation.ts";
import { describePause } from "./pause-steps.ts";
import type { WorkerIdentity } from "./worker-file.ts";

interface StatusDeps {
  clock: Clock;
  counts(): MessageCounts;
  /** Epoch of the oldest message that is neither finished nor dead, or null. */
  oldestPending(): number | null;
  /** Epoch of the first message accepted after `since` that is dead now, or null. */
  firstDeadSince(since: number): number | null;
  lastSuccessAt(): number | null;
  /** Why no model is called now, or null. */
  pause(): GenerationPause | null;
  /** True while writes fail. */
  storageFails(): boolean;
  startedAt: number;
}

export type WorkerStatus = ReturnType<typeof createStatus>;

interface BuildDeps extends Pick<Parameters<typeof describePause>[1], "settings" | "env"> {
  clock: Clock;
  store: Pick<Store, "pending" | "queue">;
  storage: ReturnType<typeof createStorageHealth>;
  identity: Pick<WorkerIdentity, "startedAt">;
  generation: Pick<
    ReturnType<typeof createGeneration>,
    "scheduler" | "circuit" | "localWrites" | "isFallback"
  >;
}

/** The status over the parts of the worker. */
export function buildStatus({ clock, store, storage, identity, generation, ...where }: BuildDeps) {
  return createStatus({
    clock,
    counts: store.pending.counts,
    oldestPending: store.pending.oldest,
    firstDeadSince: store.queue.firstDeadSince,
    lastSuccessAt: generation.scheduler.lastSuccessAt,
    pause: () => describePause(generation.circuit.state(clock.now()), { ...where, ...generation }),
    storageFails: () => storage.failure() !== null,
    startedAt: identity.startedAt,
  });
}

const stuckAfterMs = 10 * 60_000;

export function createStatus(deps: StatusDeps) {
  function processing(): ProcessingStatus {
    const { pending, processing: inWork } = deps.counts();
    return { isProcessing: pending + inWork > 0, queueDepth: pending + inWork, paused: deps.pause() };
  }

  function ageMs(at: number | null): number | null {
    return at === null ? null : Math.max(0, deps.clock.now() - at);
  }

  const oldestPendingAgeMs = () => ageMs(deps.oldestPending());

  function waitsForUser(): boolean {
    const pause = deps.pause();
    return pause?.kind === "auth" && pause.isFallback !== true;
  }

  // Messages that die one after the other leave the queue empty without output. Deaths before the last success, or
  // before this run, do not count.
  function isStuck(): boolean {
    const lastMovement = Math.max(deps.lastSuccessAt() ?? 0, deps.startedAt);
    if (deps.clock.now() - lastMovement <= stuckAfterMs) return false;
    if ((oldestPendingAgeMs() ?? 0) > stuckAfterMs) return true;
    return (ageMs(deps.firstDeadSince(lastMovement)) ?? 0) > stuckAfterMs;
  }

  return {
    processing,
    oldestPendingAgeMs,
    queue(): { depth: number; oldestPendingAgeMs: number | null; dead: number } {
      const { pending, processing: inWork, dead } = deps.counts();
      return { depth: pending + inWork, oldestPendingAgeMs: oldestPendingAgeMs(), dead };
    },
    /** `degraded`: the queue is stuck, the chosen provider waits for the user, or writes fail. */
    level: () => (waitsForUser() || isStuck() || deps.storageFails() ? "degraded" : "ok"),
    /** True if messages were accepted and none finished for ten minutes; dead ones do not count as finished. */
    isStuck,
    /** Why no model is called now, or null. */
    pause: deps.pause,
    /** Epoch of the last written batch since the worker started, or null. */
    lastSuccessAt: deps.lastSuccessAt,
  };
}

const publishEveryMs = 250;

/** Sends the state of the queue to open streams when it changed, at most every 250 ms. */
export function createStatusLine(
  { processing }: Pick<WorkerStatus, "processing">,
  { publish, clientCount }: { publish(event: StreamEvent): void; clientCount(): number },
) {
  let timer: NodeJS.Timeout | undefined;
  return {
    changed(): void {
      if (timer !== undefined || clientCount() === 0) return;
      timer = setTimeout(() => {
        timer = undefined;
        publish({ type: "processing_status", ...processing() });
      }, publishEveryMs).unref();
    },
    stop: () => clearTimeout(timer),
  };
}

// On an almost full disk a small write can succeed right after a failed one.
const shownForMs = 60_000;

/** `lastWrite` is the error of the last write, or null. */
export function createStorageHealth(clock: Clock, lastWrite: () => MemError | null) {
  let last: { error: MemError; at: number } | undefined;

  return {
    /** Records a failed write. */
    failed(cause: unknown) {
      const error = storageError(cause);
      if (isStorageFailure(error)) last = { error, at: clock.monotonicMs() };
    },
    /** Why writes fail, or null. */
    failure(): MemError | null {
      const recent = last !== undefined && clock.monotonicMs() - last.at < shownForMs ? last.error : null;
      return lastWrite() ?? recent;
    },
  };
}
