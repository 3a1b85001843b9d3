// Retry policy for failed calls: requeue, delay, isolate, or dead-letter.
//
// | failure                           | messages                                                                        |
// | --------------------------------- | ------------------------------------------------------------------------------- |
// | rate_limited, quota, auth         | given back as if they had not been claimed; the circuit breaker pauses          |
// | unavailable, timeout              | delayed; counts only against a message that failed before and saw other         |
// |                                   | messages answered since: an outage dead-letters nothing                         |
// | bad_request                       | the same until the first answer: before it, a setting may be wrong              |
// | an HTML page                      | counts: retried, dead-lettered after three                                      |
// | bad_request, overflow             | dead-lettered; written by `local` where it can                                  |
// | bad_answer                        | delayed once, then the same                                                     |
// | bad_answer while useless for all  | delayed behind the others, never dead-lettered                                  |
// | anything else                     | counts: retried, dead-lettered after five                                       |

import type { MemError } from "../core/errors.ts";
import { jitter } from "../core/ids.ts";
import { RecentMap } from "../core/recent-map.ts";
import type { ClaimedMessage } from "../core/records/messages.ts";
import type { Release } from "../core/records/queue.ts";
import { ModelFailure, type ModelFailureKind } from "./model-failure.ts";

/** Failures after which a message is dead-lettered. */
export const maxFailures = 5;

// The circuit breaker pauses after the third page in a row.
const maxPages = 3;

/** Claims after which a message is dead-lettered without another try: the worker died on each. */
export const maxClaims = 20;

const firstDelayMs = 2_000;
const longestDelayMs = 5 * 60_000;

/** Milliseconds until try number `failures + 1`: doubling from 2 s to 5 min, with jitter. */
export function retryDelayMs(failures: number): number {
  const delay = Math.min(longestDelayMs, firstDelayMs * 2 ** Math.max(0, failures - 1));
  return Math.round(delay * jitter());
}

interface FailedCall {
  /** Redacted. */
  reason: string;
  now: number;
  isProbe: boolean;
  /** Answers of the provider so far. */
  answers: number;
  /** Epoch of the next try while answers are useless to every session, else null. */
  uselessUntil: number | null;
}

export type Retries = ReturnType<typeof createRetries>;

const maxRemembered = 10_000;

interface Delayed {
  times: number;
  /** Of the last failure. */
  kind: ModelFailureKind;
  /** Answers to other messages by then. */
  answers: number;
}

export function createRetries() {
  // Failures that count against no turn yet, by its first message.
  const delayed = new RecentMap<number, Delayed>(maxRemembered);

  function delay(id: number, kind: ModelFailureKind, call: FailedCall): Release {
    const times = (delayed.get(id)?.times ?? 0) + 1;
    delayed.set(id, { times, kind, answers: call.answers });
    // Behind the others at the next try. The store takes a later time for a clock that was put back.
    const at = Math.min(call.now + longestDelayMs, (call.uselessUntil ?? call.now) + retryDelayMs(times));
    return { kind: "later", at, error: call.reason };
  }

  function afterOutage(messages: Failed, kind: ModelFailureKind, call: FailedCall): Release {
    const id = keyOf(messages);
    const before = delayed.get(id);
    if (before === undefined || call.answers <= before.answers || call.isProbe) return delay(id, kind, call);
    delayed.set(id, { ...before, answers: call.answers });
    return counted(messages, call);
  }

  return {
    afterFailure(messages: Failed, failure: MemError, call: FailedCall): Release {
      if (!(failure instanceof ModelFailure)) return counted(messages, call);
      const { kind } = failure;
      const id = keyOf(messages);
      switch (kind) {
        case "rate_limited":
        case "quota":
        case "auth":
          return { kind: "give_back" };
        case "unavailable":
        case "timeout":
          return afterOutage(messages, kind, call);
        case "bad_request":
          return call.answers === 0 ? delay(id, kind, call) : refused(call);
        case "bad_answer":
          if (failure.isPage && call.uselessUntil === null) return counted(messages, call, maxPages);
          if (call.uselessUntil !== null || delayed.get(id)?.kind !== kind) return delay(id, kind, call);
          return refused(call);
        case "overflow":
          return refused(call);
      }
    },
    /** The messages cause the useless answer: they got one before, and others got useful ones since. */
    explains(messages: Failed, failure: ModelFailure, answers: number): boolean {
      const before = delayed.get(keyOf(messages));
      return failure.kind === "bad_answer" && before?.kind === "bad_answer" && answers > before.answers;
    },
    finished(messages: Failed) {
      delayed.delete(keyOf(messages));
    },
  };
}

type Failed = readonly Pick<ClaimedMessage, "id" | "failures">[];

function keyOf([first]: Failed): number {
  return first?.id ?? 0;
}

function refused({ reason }: FailedCall): Release {
  return { kind: "dead", error: reason };
}

function counted(messages: Failed, { now, reason }: FailedCall, most = maxFailures): Release {
  const tries = Math.max(...messages.map(({ failures }) => failures)) + 1;
  if (tries >= most) return { kind: "dead", error: reason };
  return { kind: "retry", at: now + retryDelayMs(tries), error: reason };
}
