// An answer that many ask for and that costs something: asked for once in a while.
import type { Clock } from "../core/clock.ts";

/** The same answer for `ms`; who asks while it is being made waits for it. */
export function keptFor<T>(clock: Clock, ms: number, read: () => Promise<T>): () => Promise<T> {
  let kept: { at: number; answer: Promise<T> } | undefined;
  return () => {
    const now = clock.monotonicMs();
    if (kept === undefined || now - kept.at >= ms) kept = { at: now, answer: read() };
    return kept.answer;
  };
}
