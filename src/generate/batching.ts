// When the messages of a session are due for a call. An idle session's go after a second; a busy one's are gathered,
// because each call pays for the model's instructions.

/** The due messages of a session; the store counts no more than it was asked to. */
export interface WaitingMessages {
  count: number;
  /** Epoch of the oldest one. */
  oldestAt: number;
  /** Not looked up when the count reaches the limit. */
  hasSummarize: boolean;
  /** All failed before: each is tried alone, so there is nothing to wait for. */
  isRetry: boolean;
  /** The session ended: nothing more comes. */
  isCompleted: boolean;
}

export interface Batching {
  /** Messages and characters of one call at most; a longer message goes alone. */
  maxMessages: number;
  maxChars: number;
  /** Null when a call costs nothing, so messages are due immediately. */
  wait: {
    /** This many messages do not wait. */
    enough: number;
    /** Wait of the oldest in an idle session: parallel tool uses come together. */
    idleMs: number;
    /** In a busy one, where more are about to come. */
    busyMs: number;
  } | null;
}

/** Ten tool uses in one call cost a fourth of the input tokens of ten calls, five a third. */
export const modelBatching: Batching = {
  maxMessages: 20,
  maxChars: 60_000,
  wait: { enough: 10, idleMs: 1_000, busyMs: 5_000 },
};

/** A local batch keeps the event loop busy for about 10 ms. */
export const localBatching: Batching = { maxMessages: 50, maxChars: 1_000_000, wait: null };

/**
 * Epoch at which the messages are due, as far as is known now. A session is busy when its oldest message came while its
 * last call ran, which ended at `lastCallAt`.
 */
export function dueAt(
  waiting: WaitingMessages,
  { wait }: Batching,
  { now, lastCallAt }: { now: number; lastCallAt: number | null },
): number {
  if (wait === null || waiting.count >= wait.enough) return now;
  if (waiting.hasSummarize || waiting.isRetry || waiting.isCompleted) return now;
  // The clock was put back since it was stored: its age is unknown.
  if (waiting.oldestAt > now) return now;
  const isBusy = lastCallAt !== null && waiting.oldestAt < lastCallAt;
  return waiting.oldestAt + (isBusy ? wait.busyMs : wait.idleMs);
}
