// When the messages of a session are worth a call: a call for each would cost a model's instructions each time.

/** What the store knows of the messages of one session that are due; of no more than it was asked to count. */
export interface WaitingMessages {
  count: number;
  /** Epochs of the oldest and the newest one that were counted. */
  oldestAt: number;
  newestAt: number;
  /** A summary is wanted; not looked for when as many wait as were asked for. */
  hasSummarize: boolean;
  /** All of them failed before: each is tried alone, so there is nothing to wait for. */
  isRetry: boolean;
  /** The session has ended: nothing more will come. */
  isCompleted: boolean;
}

export interface Batching {
  /** Messages and characters of one call at most; one message goes whatever its size. */
  maxMessages: number;
  maxChars: number;
  /** Null when a call costs nothing and nothing waits. */
  wait: {
    /** As many messages need not wait. */
    enough: number;
    /** The oldest waits this long at most. */
    oldestMs: number;
    /** When none came for this long, none is waited for. */
    quietMs: number;
  } | null;
}

/** Ten tool uses in one call cost a third of the input tokens of ten calls, and are seldom 15 seconds old. */
export const modelBatching: Batching = {
  maxMessages: 20,
  maxChars: 60_000,
  wait: { enough: 10, oldestMs: 15_000, quietMs: 5_000 },
};

/** A local batch is bounded by the time that it keeps the event loop busy: about 10 ms. */
export const localBatching: Batching = { maxMessages: 50, maxChars: 1_000_000, wait: null };

/** Epoch from which on the messages are due for a call, as far as can be said now; `now` or earlier: they are due. */
export function dueAt(waiting: WaitingMessages, { wait }: Batching, now: number): number {
  if (wait === null || waiting.count >= wait.enough) return now;
  if (waiting.hasSummarize || waiting.isRetry || waiting.isCompleted) return now;
  // A message of the future was stored before the clock was put back: its age is not known.
  if (waiting.newestAt > now) return now;
  return Math.min(waiting.oldestAt + wait.oldestMs, waiting.newestAt + wait.quietMs);
}
