// The circuit breaker: tells an outage of the provider from a message that the provider cannot stomach.
import { jitter } from "../ids.ts";

export interface Breaker {
  /** A call of the session failed as a provider that is down does. */
  failed(sessionId: number): void;
  /** An answer came: the run of failures is over. */
  answered(): void;
  /** Enough failures in a row: nobody asks but one probe after `pauseMs`. */
  isOpen(): boolean;
  /** Until the next probe: doubling from 5 s to 5 min, with jitter. */
  pauseMs(): number;
  /** The session has its part in the run of failures. */
  suspects(sessionId: number): boolean;
  /**
   * While the run comes from few sessions it may be their messages and not the provider: a session that has no part in
   * it need not wait for them.
   */
  mayBeOthersFault(sessionId: number): boolean;
}

const failuresInARow = 3;
const firstPauseMs = 5_000;
const longestPauseMs = 5 * 60_000;

export function createBreaker(): Breaker {
  const failing = new Set<number>();
  let failures = 0;

  return {
    failed(sessionId) {
      failing.add(sessionId);
      failures += 1;
    },
    answered() {
      failing.clear();
      failures = 0;
    },
    isOpen: () => failures >= failuresInARow,
    pauseMs() {
      const doublings = Math.max(0, failures - failuresInARow);
      return Math.round(Math.min(longestPauseMs, firstPauseMs * 2 ** doublings) * jitter());
    },
    suspects: (sessionId) => failing.has(sessionId),
    mayBeOthersFault: (sessionId) => failing.size < failuresInARow && !failing.has(sessionId),
  };
}
