// The circuit breaker: tells a provider that fails from a message that the provider cannot stomach.
import { jitter } from "../ids.ts";

export interface Breaker {
  /** A call of the session failed as all do when the provider is to blame. */
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

/** How many failures in a row, of how many sessions, are the provider's fault. */
export type IsItsFault = (failures: number, sessions: number) => boolean;

const failuresInARow = 3;

/** No answer at all. */
export const isOutage: IsItsFault = (failures) => failures >= failuresInARow;

/** Answers that are of no use to anybody. */
export const isUselessForAll: IsItsFault = (failures, sessions) => sessions >= 2 || failures >= 6;

const firstPauseMs = 5_000;
const longestPauseMs = 5 * 60_000;

export function createBreaker(isItsFault: IsItsFault): Breaker {
  const failing = new Set<number>();
  let failures = 0;
  let failuresWhileOpen = 0;

  return {
    failed(sessionId) {
      failing.add(sessionId);
      failures += 1;
      if (isItsFault(failures, failing.size)) failuresWhileOpen += 1;
    },
    answered() {
      failing.clear();
      failures = 0;
      failuresWhileOpen = 0;
    },
    isOpen: () => failuresWhileOpen > 0,
    pauseMs() {
      const doublings = Math.max(0, failuresWhileOpen - 1);
      return Math.round(Math.min(longestPauseMs, firstPauseMs * 2 ** doublings) * jitter());
    },
    suspects: (sessionId) => failing.has(sessionId),
    mayBeOthersFault: (sessionId) => failing.size < failuresInARow && !failing.has(sessionId),
  };
}
