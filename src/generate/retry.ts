// What becomes of messages whose call failed: given back, tried later, tried alone, or set aside.
//
// | failure                           | messages                                                                       |
// | --------------------------------- | ------------------------------------------------------------------------------ |
// | rate_limited, quota, auth         | given back as if they had not been claimed; the gate is closed                 |
// | unavailable, timeout              | put back with a delay; it counts only against a message that failed before and |
// |                                   | saw the provider answer others since: an outage kills nothing                  |
// | bad_request                       | the same until the provider has answered anything: then it is no wrong setting |
// | an HTML page                      | counts: tried again later and alone, dead after three                          |
// | bad_request, bad_answer, overflow | several: each alone; one alone: dead, or after a bad_answer written by `local` |
// | bad_answer while it is for all    | several: each alone; one alone: put back behind the others; it kills nothing   |
// | anything else                     | counts: tried again alone, dead after five                                     |

import type { MemError } from "../core/errors.ts";
import { jitter } from "../core/ids.ts";
import type { ClaimedMessage } from "../core/records/messages.ts";
import { ModelFailure, type ModelFailureKind } from "./model-failure.ts";

/** Failed tries after which a message is dead: kept and counted, and not tried again by itself. */
export const maxFailures = 5;

// As many answers as a useless one of a model gets, only not at once: by the third in a row the gate is closed.
const maxPages = 3;

/** Claims after which a message is dead without another try: the worker died each time it worked on it. */
export const maxClaims = 20;

const firstDelayMs = 2_000;
const longestDelayMs = 5 * 60_000;

/** Milliseconds until try number `failures + 1`: doubling from 2 s to 5 min, with jitter. */
export function retryDelayMs(failures: number): number {
  const delay = Math.min(longestDelayMs, firstDelayMs * 2 ** Math.max(0, failures - 1));
  return Math.round(delay * jitter());
}

/** What becomes of a claimed message that was not completed. */
export type Release =
  /** As if it had not been claimed. */
  | { kind: "give_back" }
  /** The same, not before `at`. */
  | { kind: "later"; at: number; error: string }
  /** It has failed: tried again, alone. */
  | { kind: "retry"; at: number; error: string }
  | { kind: "dead"; error: string };

interface FailedCall {
  /** What is stored as its reason: redacted. */
  reason: string;
  now: number;
  /** Messages of the call as they were claimed. */
  size: number;
  /** It was to find out whether the provider is back. */
  isProbe: boolean;
  /** Answers of the provider so far. */
  answers: number;
  /** Epoch of the next try where the answers are of no use to any session, else null. */
  uselessUntil: number | null;
}

export interface Retries {
  afterFailure(message: ClaimedMessage, failure: MemError, call: FailedCall): Release;
  /** The useless answer is the message's fault: it got one alone before, and others got a useful one since. */
  explains(message: ClaimedMessage, failure: MemError, answers: number): boolean;
  /** The messages are done. */
  finished(messages: readonly ClaimedMessage[]): void;
}

// More than an outage of a day leaves behind.
const maxRemembered = 10_000;

export function createRetries(): Retries {
  // Failures that are nobody's fault yet: how often, of what kind the last, and the answers others had got by then.
  const blameless = new Map<number, { times: number; kind: ModelFailureKind; answers: number }>();

  function afterFailure(message: ClaimedMessage, failure: MemError, call: FailedCall): Release {
    if (!(failure instanceof ModelFailure)) return counted(message, call);
    switch (failure.kind) {
      case "rate_limited":
      case "quota":
      case "auth":
        return { kind: "give_back" };
      case "unavailable":
      case "timeout":
        return afterOutage(message, failure.kind, call);
      case "bad_request":
        return call.answers === 0 ? later(message, failure.kind, call) : refused(call);
      case "bad_answer":
        // Several are split all the same: a probe of one is the cheapest, and its neighbours have a chance to pass.
        if (call.uselessUntil !== null && call.size === 1) return later(message, failure.kind, call);
        return failure.isPage ? counted(message, call, maxPages) : refused(call);
      case "overflow":
        return refused(call);
    }
  }

  function afterOutage(message: ClaimedMessage, kind: ModelFailureKind, call: FailedCall): Release {
    const before = blameless.get(message.id);
    if (before === undefined || call.answers <= before.answers || call.isProbe)
      return later(message, kind, call);
    blameless.set(message.id, { ...before, answers: call.answers });
    return counted(message, call);
  }

  function later(
    { id }: ClaimedMessage,
    kind: ModelFailureKind,
    { now, answers, reason, uselessUntil }: FailedCall,
  ): Release {
    const times = (blameless.get(id)?.times ?? 0) + 1;
    blameless.delete(id);
    blameless.set(id, { times, kind, answers });
    for (const oldest of blameless.keys()) {
      if (blameless.size <= maxRemembered) break;
      blameless.delete(oldest);
    }
    // Behind the others at the next try; the store takes a time further off for a clock that was put back.
    const at = Math.min(now + longestDelayMs, (uselessUntil ?? now) + retryDelayMs(times));
    return { kind: "later", at, error: reason };
  }

  return {
    afterFailure,
    explains({ id }, failure, answers) {
      const before = blameless.get(id);
      if (before === undefined || before.kind !== "bad_answer" || answers <= before.answers) return false;
      return failure instanceof ModelFailure && failure.kind === "bad_answer";
    },
    finished(messages) {
      if (blameless.size > 0) for (const { id } of messages) blameless.delete(id);
    },
  };
}

function refused({ size, now, reason }: FailedCall): Release {
  return size === 1 ? { kind: "dead", error: reason } : { kind: "retry", at: now, error: reason };
}

function counted({ failures }: ClaimedMessage, { now, reason }: FailedCall, most = maxFailures): Release {
  const tries = failures + 1;
  if (tries >= most) return { kind: "dead", error: reason };
  return { kind: "retry", at: now + retryDelayMs(tries), error: reason };
}
