// The circuit breaker: tells a provider that fails from a message that the provider cannot stomach.
import { jitter } from "../core/ids.ts";

export interface Breaker {
  /** A call of the session failed as all do when the provider is to blame; `explained` by its one message. */
  failed(sessionId: number, explained: boolean): void;
  /** An answer came: the run of failures is over. */
  answered(): void;
  /** Enough failures in a row: nobody asks but one probe after `pauseMs`. */
  isOpen(): boolean;
  /** Until the next probe: doubling from 5 s to the longest, with jitter. */
  pauseMs(): number;
  /** 0 when the session has no part in the run of failures; else the higher, the later it failed. */
  suspicion(sessionId: number): number;
  /**
   * While the run comes from few sessions it may be their messages and not the provider: a session that has no part in
   * it need not wait for them.
   */
  mayBeOthersFault(sessionId: number): boolean;
}

/** Failures in a row. */
export interface FailureRun {
  failures: number;
  /** Those of them that no message explains. */
  unexplained: number;
  sessions: number;
}

/** Whether the run is the provider's fault. */
export type IsItsFault = (run: FailureRun) => boolean;

const failuresInARow = 3;

/** No answer at all. */
export const isOutage: IsItsFault = ({ failures }) => failures >= failuresInARow;

/**
 * Answers that are of no use to anybody. Two messages at most are dead by then; more only of those that failed alone
 * before, and saw others get a useful answer since.
 */
export const isUselessForAll: IsItsFault = ({ failures, unexplained, sessions }) =>
  sessions >= 2 || unexplained >= failuresInARow || failures >= 2 * failuresInARow;

const firstPauseMs = 5_000;

/** The longest pause between two probes of a provider that does not answer, which costs nothing. */
export const longestOutagePauseMs = 5 * 60_000;
/** Of a model whose answers are of no use: each is paid for, so an hour, where 5 minutes would cost hundreds a day. */
export const longestUselessPauseMs = 60 * 60_000;

export function createBreaker(isItsFault: IsItsFault, longestPauseMs: number): Breaker {
  // By the number of its last failure.
  const failing = new Map<number, number>();
  let failures = 0;
  let unexplained = 0;
  let failuresWhileOpen = 0;

  return {
    failed(sessionId, explained) {
      failures += 1;
      if (!explained) unexplained += 1;
      failing.set(sessionId, failures);
      if (isItsFault({ failures, unexplained, sessions: failing.size })) failuresWhileOpen += 1;
    },
    answered() {
      failing.clear();
      failures = 0;
      unexplained = 0;
      failuresWhileOpen = 0;
    },
    isOpen: () => failuresWhileOpen > 0,
    pauseMs() {
      const doublings = Math.max(0, failuresWhileOpen - 1);
      return Math.round(Math.min(longestPauseMs, firstPauseMs * 2 ** doublings) * jitter());
    },
    suspicion: (sessionId) => failing.get(sessionId) ?? 0,
    mayBeOthersFault: (sessionId) => failing.size < failuresInARow && !failing.has(sessionId),
  };
}
