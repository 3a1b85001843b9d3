// What the worker says about itself: health, the queue, and the status line of the stream.
import type { Clock } from "../clock.ts";
import type { ProcessingStatus, StreamEvent } from "../domain/events.ts";
import type { MessageCounts } from "../domain/messages.ts";

interface StatusDeps {
  clock: Clock;
  counts(): MessageCounts;
  /** Epoch of the oldest message that is neither finished nor dead, or null. */
  oldestPending(): number | null;
  lastSuccessAt(): number | null;
  /** True while writes fail. */
  storageFails(): boolean;
  startedAt: number;
  publish(event: StreamEvent): void;
  hasClients(): boolean;
}

export interface WorkerStatus {
  processing(): ProcessingStatus;
  queue(): { depth: number; oldestPendingAgeMs: number | null; dead: number };
  /** `degraded` when messages wait and nothing came out for ten minutes, or when nothing can be written. */
  level(): "ok" | "degraded";
  /** Something moved in the queue: the stream hears of it, at most every quarter of a second. */
  changed(): void;
  stop(): void;
}

const stuckAfterMs = 10 * 60_000;
const publishEveryMs = 250;

export function createStatus(deps: StatusDeps): WorkerStatus {
  let timer: NodeJS.Timeout | undefined;

  function processing(): ProcessingStatus {
    const { pending, processing: inWork } = deps.counts();
    return { isProcessing: pending + inWork > 0, queueDepth: pending + inWork };
  }

  function oldestAgeMs(): number | null {
    const oldest = deps.oldestPending();
    return oldest === null ? null : Math.max(0, deps.clock.now() - oldest);
  }

  return {
    processing,
    queue() {
      const { pending, processing: inWork, dead } = deps.counts();
      return { depth: pending + inWork, oldestPendingAgeMs: oldestAgeMs(), dead };
    },
    level() {
      if (deps.storageFails()) return "degraded";
      const lastMovement = Math.max(deps.lastSuccessAt() ?? 0, deps.startedAt);
      const stuck = (oldestAgeMs() ?? 0) > stuckAfterMs && deps.clock.now() - lastMovement > stuckAfterMs;
      return stuck ? "degraded" : "ok";
    },
    changed() {
      if (timer !== undefined || !deps.hasClients()) return;
      timer = setTimeout(() => {
        timer = undefined;
        deps.publish({ type: "processing_status", ...processing() });
      }, publishEveryMs);
      timer.unref();
    },
    stop: () => clearTimeout(timer),
  };
}
