// Caches the answer of a costly call.
import type { Clock } from "../core/clock.ts";

/** Calls `read` at most once per `ms`, also for concurrent callers; a failure is not cached. */
export function keptFor<T>(clock: Clock, ms: number, read: () => Promise<T>): () => Promise<T> {
  let kept: { at: number; answer: Promise<T> } | undefined;
  return () => {
    const now = clock.monotonicMs();
    if (kept !== undefined && now - kept.at < ms) return kept.answer;
    const answer = read().catch((cause: unknown) => {
      if (kept?.answer === answer) kept = undefined;
      throw cause;
    });
    kept = { at: now, answer };
    return answer;
  };
}
