// When the messages of a session are due for a call. Each call pays for the model's instructions, so a turn gets one, at its
// end.

/** The due messages of a session; the store counts no more than it was asked to. */
export interface WaitingMessages {
  count: number;
  /** Epoch of the newest one. */
  newestAt: number;
  /** The turn ended. Not looked up when the count reaches the limit. */
  hasSummarize: boolean;
  /** They were put back before: there is nothing to wait for. */
  isRetry: boolean;
  /** The session ended: nothing more comes. */
  isCompleted: boolean;
  /** The user sent a further prompt since the first one: its turn was broken off. */
  isBeforePrompt: boolean;
}

export interface Batching {
  /** Messages of one call at most; of such that failed before, and characters of their payloads. */
  maxMessages: number;
  maxRetried?: number;
  maxChars: number;
  /** How long a turn without an end waits after its newest message; null when a call costs nothing. */
  idleMs: number | null;
}

// A prompt shows an excerpt of each message: their payloads only have to fit into memory.
const maxTurnChars = 8_000_000;
const mostUses = 40;

/** The uses of a turn and its end. Nearly all pauses in recorded turns are shorter than five minutes. */
export const modelBatching: Batching = {
  maxMessages: mostUses + 1,
  maxChars: maxTurnChars,
  idleMs: 5 * 60_000,
};

/** Clients of the hosted server may send no end of a turn, and write no provisional records. */
export const hostedBatching: Batching = { ...modelBatching, idleMs: 5_000 };

/** A local batch keeps the event loop busy for about 10 ms. A message that failed is tried alone. */
export const localBatching: Batching = { maxMessages: 50, maxRetried: 1, maxChars: 1_000_000, idleMs: null };

/** Epoch at which the messages are due, as far as is known now. */
export function dueAt(waiting: WaitingMessages, { idleMs, maxMessages }: Batching, now: number): number {
  if (idleMs === null || waiting.count >= maxMessages) return now;
  if (waiting.hasSummarize || waiting.isRetry || waiting.isCompleted || waiting.isBeforePrompt) return now;
  // The clock was put back since it was stored: its age is unknown.
  return waiting.newestAt > now ? now : waiting.newestAt + idleMs;
}
