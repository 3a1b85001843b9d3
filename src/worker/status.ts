// What the worker says about itself: health, the queue, and the status line of the stream.
import type { Clock } from "../core/clock.ts";
import type { ProcessingStatus, StreamEvent } from "../core/records/events.ts";
import type { GenerationPause } from "../core/records/generation-pause.ts";
import type { MessageCounts } from "../core/records/messages.ts";

interface StatusDeps {
  clock: Clock;
  counts(): MessageCounts;
  /** Epoch of the oldest message that is neither finished nor dead, or null. */
  oldestPending(): number | null;
  /** When the first message was accepted after `since` that is dead now, or null. */
  firstDeadSince(since: number): number | null;
  lastSuccessAt(): number | null;
  /** Why no model is asked at the moment, or null. */
  pause(): GenerationPause | null;
  /** True while writes fail. */
  storageFails(): boolean;
  startedAt: number;
  publish(event: StreamEvent): void;
  hasClients(): boolean;
}

export interface WorkerStatus {
  processing(): ProcessingStatus;
  oldestPendingAgeMs(): number | null;
  queue(): { depth: number; oldestPendingAgeMs: number | null; dead: number };
  /** `degraded` when the queue is stuck, the provider that was chosen waits for the user, or nothing can be written. */
  level(): "ok" | "degraded";
  /** True when messages were accepted and nothing came out for ten minutes, given up ones included. */
  isStuck(): boolean;
  /** Why no model is asked at the moment, or null. */
  pause(): GenerationPause | null;
  /** When a batch was last written since the worker started, or null. */
  lastSuccessAt(): number | null;
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
    return { isProcessing: pending + inWork > 0, queueDepth: pending + inWork, paused: deps.pause() };
  }

  function ageMs(at: number | null): number | null {
    return at === null ? null : Math.max(0, deps.clock.now() - at);
  }

  const oldestPendingAgeMs = () => ageMs(deps.oldestPending());

  // Messages that die one after the other leave the queue empty, and nothing comes out of it all the same. What died
  // before the last success, or before this run, is old news.
  function waitsForUser(): boolean {
    const pause = deps.pause();
    return pause?.kind === "auth" && pause.isFallback !== true;
  }

  function isStuck(): boolean {
    const lastMovement = Math.max(deps.lastSuccessAt() ?? 0, deps.startedAt);
    if (deps.clock.now() - lastMovement <= stuckAfterMs) return false;
    if ((oldestPendingAgeMs() ?? 0) > stuckAfterMs) return true;
    return (ageMs(deps.firstDeadSince(lastMovement)) ?? 0) > stuckAfterMs;
  }

  return {
    processing,
    oldestPendingAgeMs,
    queue() {
      const { pending, processing: inWork, dead } = deps.counts();
      return { depth: pending + inWork, oldestPendingAgeMs: oldestPendingAgeMs(), dead };
    },
    level: () => (waitsForUser() || isStuck() || deps.storageFails() ? "degraded" : "ok"),
    isStuck,
    pause: deps.pause,
    lastSuccessAt: deps.lastSuccessAt,
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
