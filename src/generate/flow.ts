// The gate in front of one provider: pauses when the vendor wants a pause, opens again by itself.
//
// | state   | failure                            | next                                                               |
// | ------- | ---------------------------------- | ------------------------------------------------------------------ |
// | open    | rate_limited, quota                | paused until Retry-After, else 1 min or 15 min, doubling           |
// | open    | auth                               | paused for 15 min, or until `reset` when the settings change       |
// | open    | unavailable, timeout, bad_request  | paused after 3 in a row (see breaker.ts), or until its Retry-After |
// | open    | bad_answer                         | paused after 3 in a row, or 2 of different sessions; up to an hour |
// | open    | overflow                           | open: the provider works                                           |
// | paused  | time is over                       | probing: one call at a time                                        |
// | probing | the probe fails                    | paused, longer                                                     |
// | probing | the probe is answered              | open                                                               |
import type { Mends } from "../core/records/generation-pause.ts";
import {
  type Breaker,
  createBreaker,
  isOutage,
  isUselessForAll,
  longestOutagePauseMs,
  longestUselessPauseMs,
} from "./breaker.ts";
import type { ModelFailure, ModelFailureKind } from "./model-failure.ts";

/** What status, health, doctor and the stream tell of the provider. */
export interface FlowState {
  state: "open" | "paused" | "probing";
  /** Why it is not open, and the epoch at which it is tried again. The message is redacted. */
  reason: { kind: ModelFailureKind; message: string; until: number; mends?: Mends | undefined } | null;
}

/** Leave to make one call; whoever got it says what came of it, once. */
export interface Pass {
  /** The call decides whether the gate opens. */
  readonly isProbe: boolean;
  succeeded(now: number): void;
  /** `explained`: its one message failed alone before, and others got a useful answer since. */
  failed(failure: ModelFailure, now: number, explained?: boolean): void;
  /** No call was made, or it was broken off on our side: nothing is known. */
  returned(now: number): void;
}

export interface Flow {
  /** Whether a call for the session could be made now. */
  mayAsk(now: number, sessionId: number): boolean;
  /** Epoch of the next try, or null while it is open. */
  resumesAt(now: number): number | null;
  /** Leave to make one call, or null while it is closed. */
  admit(now: number, sessionId: number): Pass | null;
  /** Answers since the start or the last `reset`: proof that the provider and its settings work. */
  answers(): number;
  /** It is closed because the model's answers are of no use to any session. */
  isUseless(): boolean;
  /** The session's part in the failures that closed the gate: those with less are tried first. */
  suspicion(sessionId: number): number;
  /** The user wants it tried now: ends a pause that the vendor has not timed. A refusal is forgotten, else the next call is
   *  a probe. */
  hurry(now: number): Hurried;
  /** The settings of the provider changed: whatever it was, it is tried again. */
  reset(now: number): void;
  state(now: number): FlowState;
}

/** What came of `hurry`. */
export interface Hurried {
  /** A pause was lifted. */
  resumed: boolean;
  /** Epoch of the end of a pause that the vendor wants; null where nothing is waited for. */
  waitsUntil: number | null;
}

interface Pause {
  kind: ModelFailureKind;
  message: string;
  mends: Mends | undefined;
  since: number;
  until: number;
  /** The vendor asked for it: no session may ask before its end. */
  firm: boolean;
  /** The vendor said how long. */
  timed: boolean;
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const shortestPauseMs = 1_000;

/** `onChange` hears of every change of `state`. */
export function createFlow({ onChange }: { onChange: (state: FlowState) => void }): Flow {
  const outage = createBreaker(isOutage, longestOutagePauseMs);
  const uselessness = createBreaker(isUselessForAll, longestUselessPauseMs);
  let pause: Pause | null = null;
  let probe: Pass | null = null;
  // Pauses since the last answer: each is longer than the one before.
  let pauses = 0;
  // Calls that set out before the gate closed know nothing of what came after.
  let closings = 0;
  let answers = 0;

  function close(failure: ModelFailure, now: number): void {
    const { kind, message, mends } = failure;
    const until = now + pauseOf(failure, pauses, breakerOf(kind));
    const timed = failure.retryAfterMs !== undefined && kind !== "auth";
    pause = { kind, message, mends, since: now, until, firm: wantsPause(failure), timed };
    closings += 1;
    pauses += 1;
    onChange(state(now));
  }

  function breakerOf(kind: ModelFailureKind): Breaker {
    return kind === "bad_answer" ? uselessness : outage;
  }

  function open(now: number): void {
    outage.answered();
    pauses = 0;
    if (pause === null) return;
    pause = null;
    onChange(state(now));
  }

  function failed(
    failure: ModelFailure,
    now: number,
    from: { sessionId: number; closings: number; explained: boolean },
  ): void {
    const { kind } = failure;
    if (kind === "overflow") {
      if (from.closings === closings) open(now);
      return;
    }
    if (from.closings !== closings) {
      // One of many that were under way when it closed: it can only make the pause as long as its own Retry-After.
      if (pause !== null && failure.retryAfterMs !== undefined) {
        pause.until = Math.max(pause.until, now + boundedMs(failure.retryAfterMs));
        pause.timed = true;
      }
      return;
    }
    if (!isPauseKind(kind)) breakerOf(kind).failed(from.sessionId, from.explained);
    // Something answers: it may be the message.
    if (kind === "bad_answer" && !uselessness.isOpen()) open(now);
    else if (wantsPause(failure) || pause !== null || breakerOf(kind).isOpen()) close(failure, now);
  }

  function admit(now: number, sessionId: number): Pass | null {
    if (!mayAsk(now, sessionId)) return null;
    const from = { sessionId, closings };
    let settled = false;
    const once = (settle: (at: number) => void, at: number): void => {
      if (settled) return;
      settled = true;
      if (probe === pass) probe = null;
      settle(at);
    };
    const pass: Pass = {
      isProbe: pause !== null,
      succeeded: (at) =>
        once(() => {
          answers += 1;
          uselessness.answered();
          if (from.closings === closings || isUseless()) open(at);
        }, at),
      failed: (failure, at, explained = false) => once(() => failed(failure, at, { ...from, explained }), at),
      returned: (at) =>
        once(() => {
          if (pass.isProbe) onChange(state(at));
        }, at),
    };
    if (pass.isProbe) {
      probe = pass;
      onChange(state(now));
    }
    return pass;
  }

  function isUseless(): boolean {
    return pause?.kind === "bad_answer";
  }

  function mayAsk(now: number, sessionId: number): boolean {
    if (pause === null) return true;
    if (probe !== null) return false;
    if (now >= endOf(pause, now)) return true;
    return !pause.firm && breakerOf(pause.kind).mayBeOthersFault(sessionId);
  }

  function state(now: number): FlowState {
    if (pause === null) return { state: "open", reason: null };
    const until = endOf(pause, now);
    const { kind, message, mends } = pause;
    return {
      state: probe !== null || now >= until ? "probing" : "paused",
      reason: { kind, message, until, mends },
    };
  }

  function reset(now: number): void {
    answers = 0;
    closings += 1;
    probe = null;
    uselessness.answered();
    open(now);
  }

  return {
    mayAsk,
    resumesAt: (now) => (pause === null ? null : endOf(pause, now)),
    admit,
    answers: () => answers,
    isUseless,
    suspicion: (sessionId) => Math.max(outage.suspicion(sessionId), uselessness.suspicion(sessionId)),
    hurry(now) {
      if (pause === null || endOf(pause, now) <= now) return { resumed: false, waitsUntil: null };
      if (pause.timed) return { resumed: false, waitsUntil: pause.until };
      if (pause.kind === "auth") reset(now);
      else {
        pause.until = now;
        onChange(state(now));
      }
      return { resumed: true, waitsUntil: null };
    },
    reset,
    state,
  };
}

function isPauseKind(kind: ModelFailureKind): boolean {
  return kind === "rate_limited" || kind === "quota" || kind === "auth";
}

function wantsPause({ kind, retryAfterMs }: ModelFailure): boolean {
  return isPauseKind(kind) || retryAfterMs !== undefined;
}

function pauseOf({ kind, retryAfterMs }: ModelFailure, pauses: number, breaker: Breaker): number {
  switch (kind) {
    case "auth":
      return 15 * minuteMs;
    case "rate_limited":
      return boundedMs(retryAfterMs ?? Math.min(15, 2 ** pauses) * minuteMs);
    case "quota":
      return boundedMs(retryAfterMs ?? Math.min(6 * 60, 15 * 2 ** pauses) * minuteMs);
    case "unavailable":
    case "timeout":
    case "bad_request":
    case "bad_answer":
    case "overflow":
      return Math.max(breaker.pauseMs(), boundedMs(retryAfterMs ?? 0));
  }
}

function boundedMs(retryAfterMs: number): number {
  return Math.min(dayMs, Math.max(shortestPauseMs, retryAfterMs));
}

// A clock that was put back would make the pause longer by as much: it starts again at the time that it is now.
function endOf(pause: Pause, now: number): number {
  if (now < pause.since) {
    pause.until -= pause.since - now;
    pause.since = now;
  }
  return pause.until;
}
