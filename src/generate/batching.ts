// When the messages of a session are worth a call. A quiet session's go after a second; a busy one's are gathered, because
// each call pays for the model's instructions.

/** What the store knows of the messages of one session that are due; of no more than it was asked to count. */
export interface WaitingMessages {
  count: number;
  /** Epoch of the oldest one. */
  oldestAt: number;
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
    /** How long the oldest waits in a quiet session: parallel tool uses come together. */
    quietMs: number;
    /** And in a busy one, where more are about to come. A longer call is waited for. */
    busyMs: number;
  } | null;
}

/** Ten tool uses in one call cost a fourth of the input tokens of ten calls, five a third. */
export const modelBatching: Batching = {
  maxMessages: 20,
  maxChars: 60_000,
  wait: { enough: 10, quietMs: 1_000, busyMs: 5_000 },
};

/** A local batch is bounded by the time that it keeps the event loop busy: about 10 ms. */
export const localBatching: Batching = { maxMessages: 50, maxChars: 1_000_000, wait: null };

/**
 * Epoch from which on the messages are due for a call, as far as can be said now; `now` or earlier: they are due. A session
 * is busy when the oldest of them came while its last call ran, which ended at `lastCallAt`.
 */
export function dueAt(
  waiting: WaitingMessages,
  { wait }: Batching,
  { now, lastCallAt }: { now: number; lastCallAt: number | null },
): number {
  if (wait === null || waiting.count >= wait.enough) return now;
  if (waiting.hasSummarize || waiting.isRetry || waiting.isCompleted) return now;
  // A message of the future was stored before the clock was put back: its age is not known.
  if (waiting.oldestAt > now) return now;
  const isBusy = lastCallAt !== null && waiting.oldestAt < lastCallAt;
  return waiting.oldestAt + (isBusy ? wait.busyMs : wait.quietMs);
}
