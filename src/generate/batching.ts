// When the messages of a session are due for a call. Each call pays for the model's instructions, so a turn gets one, at its
// end.

import type { WaitingMessages } from "../core/records/queue.ts";

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
export function dueAt(
  { count, newestAt, isOver }: WaitingMessages,
  { idleMs, maxMessages }: Batching,
  now: number,
): number {
  // With a clock that was put back since they were stored, their age is unknown.
  if (idleMs === null || isOver || count >= maxMessages || newestAt > now) return now;
  return newestAt + idleMs;
}
