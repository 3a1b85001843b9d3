// Circuit breaker of one provider: pauses its calls when it asks for a pause or keeps failing, and probes until it works.
//
// | state   | failure                            | next                                                          |
// | ------- | ---------------------------------- | ------------------------------------------------------------- |
// | ready   | rate_limited, quota                | paused until Retry-After, else 1 min or 15 min, doubling      |
// | ready   | auth                               | paused for 15 min, or until `reset`                           |
// | ready   | unavailable, timeout, bad_request  | paused after 3 in a row, or until its Retry-After             |
// | ready   | bad_answer                         | paused after 3 in a row, or 2 sessions in a row; up to 1 hour |
// | ready   | overflow                           | ready: the provider works                                     |
// | paused  | the pause ends                     | probing: one call at a time                                   |
// | probing | the probe fails                    | paused, longer                                                |
// | probing | the probe is answered              | ready                                                         |
import { jitter } from "../core/ids.ts";
import type { PauseFix } from "../core/records/generation-pause.ts";
import type { ModelFailure, ModelFailureKind } from "./model-failure.ts";

export interface CircuitState {
  state: "ready" | "paused" | "probing";
  /** Null when ready. `until` is the epoch of the next try; the message is redacted. */
  reason: { kind: ModelFailureKind; message: string; until: number; fix?: PauseFix | undefined } | null;
}

/** Permission for one call. The holder reports the result once; later reports are ignored. */
export interface Permit {
  readonly isProbe: boolean;
  succeeded(now: number): void;
  /** `explained`: the call's one message failed alone before, and others succeeded since. */
  failed(failure: ModelFailure, now: number, explained?: boolean): void;
  /** No call was made, or it was cancelled: nothing is known. */
  returned(now: number): void;
}

export type CircuitBreaker = ReturnType<typeof createCircuitBreaker>;

interface Pause {
  kind: ModelFailureKind;
  message: string;
  fix: PauseFix | undefined;
  since: number;
  until: number;
  /** The vendor asked for it: no session may call before its end. */
  isFirm: boolean;
  /** The vendor said how long. */
  isTimed: boolean;
}

interface Circuit {
  runs: Record<RunName, FailureRun>;
  pause: Pause | null;
  probe: Permit | null;
  /** Pauses since the last answer: each is longer than the one before. */
  pauses: number;
  /** A call that started before a pause or a reset says nothing about the time after it. */
  generation: number;
  answers: number;
  onChange(state: CircuitState): void;
}

export function createCircuitBreaker({ onChange }: Pick<Circuit, "onChange">) {
  const circuit: Circuit = {
    runs: { outage: newRun(), useless: newRun() },
    pause: null,
    probe: null,
    pauses: 0,
    generation: 0,
    answers: 0,
    onChange,
  };
  return {
    /** Whether `admit` would permit a call of the session. */
    mayCall: (now: number, sessionId: number) => mayCall(circuit, now, sessionId),
    admit: (now: number, sessionId: number) => admit(circuit, now, sessionId),
    /** Epoch of the next try, or null when ready. */
    resumesAt: (now: number) => (circuit.pause === null ? null : endOf(circuit.pause, now)),
    /** Answers since the start or the last `reset`. */
    answers: () => circuit.answers,
    /** Paused because the model's answers are useless to every session. */
    isUseless: () => isUseless(circuit),
    /** 0 for a session without failures in the current run; else higher, the later it failed. */
    suspicion(id: number): number {
      const { outage, useless } = circuit.runs;
      return Math.max(outage.sessions.get(id) ?? 0, useless.sessions.get(id) ?? 0);
    },
    /** Ends a pause that the vendor did not time: refused access is forgotten, else the next call is a probe. */
    retryNow: (now: number) => retryNow(circuit, now),
    /** The provider's settings changed: forgets every failure. */
    reset: (now: number) => reset(circuit, now),
    state: (now: number) => stateOf(circuit, now),
  };
}

function stateOf({ pause, probe }: Circuit, now: number): CircuitState {
  if (pause === null) return { state: "ready", reason: null };
  const until = endOf(pause, now);
  const { kind, message, fix } = pause;
  const isProbing = probe !== null || now >= until;
  return { state: isProbing ? "probing" : "paused", reason: { kind, message, until, fix } };
}

function mayCall({ pause, probe, runs }: Circuit, now: number, sessionId: number): boolean {
  if (pause === null) return true;
  if (probe !== null) return false;
  if (now >= endOf(pause, now)) return true;
  // A run of few sessions may be caused by their messages: other sessions need not wait.
  const { sessions } = runs[runOf(pause.kind)];
  return !pause.isFirm && sessions.size < failuresInARow && !sessions.has(sessionId);
}

function admit(circuit: Circuit, now: number, sessionId: number): Permit | null {
  if (!mayCall(circuit, now, sessionId)) return null;
  const { generation } = circuit;
  const isProbe = circuit.pause !== null;
  let isSettled = false;
  const once = (settle: () => void): void => {
    if (isSettled) return;
    isSettled = true;
    if (circuit.probe === permit) circuit.probe = null;
    settle();
  };
  const permit: Permit = {
    isProbe,
    succeeded: (at) =>
      once(() => {
        circuit.answers += 1;
        circuit.runs.useless = newRun();
        if (generation === circuit.generation || isUseless(circuit)) resume(circuit, at);
      }),
    failed: (failure, at, explained = false) =>
      once(() => {
        if (generation === circuit.generation) failed(circuit, failure, { at, sessionId, explained });
        else failedLate(circuit, failure, at);
      }),
    returned: (at) =>
      once(() => {
        if (isProbe) circuit.onChange(stateOf(circuit, at));
      }),
  };
  if (isProbe) {
    circuit.probe = permit;
    circuit.onChange(stateOf(circuit, now));
  }
  return permit;
}

function failed(
  circuit: Circuit,
  failure: ModelFailure,
  { at, ...call }: { at: number; sessionId: number; explained: boolean },
): void {
  const { kind } = failure;
  if (kind === "overflow") {
    resume(circuit, at);
    return;
  }
  const run = circuit.runs[runOf(kind)];
  if (!isPauseKind(kind)) addFailure(run, runOf(kind), call);
  const isOpen = run.failuresWhileOpen > 0;
  // A useless answer of one session: the provider works, and the message may be the cause.
  if (kind === "bad_answer" && !isOpen) resume(circuit, at);
  else if (asksForPause(failure) || circuit.pause !== null || isOpen) pauseFor(circuit, failure, at);
}

// One of several calls that were under way when the pause began: it can only extend it, by its own Retry-After.
function failedLate({ pause }: Circuit, { kind, retryAfterMs }: ModelFailure, now: number): void {
  if (kind === "overflow" || pause === null || retryAfterMs === undefined) return;
  pause.until = Math.max(pause.until, now + boundedMs(retryAfterMs));
  pause.isTimed = true;
}

function pauseFor(circuit: Circuit, failure: ModelFailure, now: number): void {
  const { kind, message, fix } = failure;
  const until = now + pauseMs(failure, circuit.pauses, circuit.runs[runOf(kind)]);
  const isTimed = failure.retryAfterMs !== undefined && kind !== "auth";
  circuit.pause = { kind, message, fix, since: now, until, isFirm: asksForPause(failure), isTimed };
  circuit.generation += 1;
  circuit.pauses += 1;
  circuit.onChange(stateOf(circuit, now));
}

function resume(circuit: Circuit, now: number): void {
  circuit.runs.outage = newRun();
  circuit.pauses = 0;
  if (circuit.pause === null) return;
  circuit.pause = null;
  circuit.onChange(stateOf(circuit, now));
}

function isUseless({ pause }: Circuit): boolean {
  return pause?.kind === "bad_answer";
}

function reset(circuit: Circuit, now: number): void {
  circuit.answers = 0;
  circuit.generation += 1;
  circuit.probe = null;
  circuit.runs.useless = newRun();
  resume(circuit, now);
}

function retryNow(circuit: Circuit, now: number): { resumed: boolean; waitsUntil: number | null } {
  const { pause } = circuit;
  if (pause === null || endOf(pause, now) <= now) return { resumed: false, waitsUntil: null };
  if (pause.isTimed) return { resumed: false, waitsUntil: pause.until };
  if (pause.kind === "auth") reset(circuit, now);
  else {
    pause.until = now;
    circuit.onChange(stateOf(circuit, now));
  }
  return { resumed: true, waitsUntil: null };
}

/** Consecutive failures of one sort. */
interface FailureRun {
  failures: number;
  unexplained: number;
  failuresWhileOpen: number;
  /** The number of each session's last failure. */
  sessions: Map<number, number>;
}

function newRun(): FailureRun {
  return { failures: 0, unexplained: 0, failuresWhileOpen: 0, sessions: new Map() };
}

type RunName = "outage" | "useless";

function runOf(kind: ModelFailureKind): RunName {
  return kind === "bad_answer" ? "useless" : "outage";
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const failuresInARow = 3;

// Probes of a provider that does not answer are free. Useless answers are paid for: every 5 minutes would be hundreds a
// day. At most two messages are dead-lettered before the pause; more only of those that failed alone before.
const limits: Record<RunName, { isReached(run: FailureRun): boolean; longestPauseMs: number }> = {
  outage: { isReached: ({ failures }) => failures >= failuresInARow, longestPauseMs: 5 * minuteMs },
  useless: {
    isReached: ({ failures, unexplained, sessions }) =>
      sessions.size >= 2 || unexplained >= failuresInARow || failures >= 2 * failuresInARow,
    longestPauseMs: 60 * minuteMs,
  },
};

function addFailure(
  run: FailureRun,
  name: RunName,
  { sessionId, explained }: { sessionId: number; explained: boolean },
): void {
  run.failures += 1;
  if (!explained) run.unexplained += 1;
  run.sessions.set(sessionId, run.failures);
  if (limits[name].isReached(run)) run.failuresWhileOpen += 1;
}

function isPauseKind(kind: ModelFailureKind): boolean {
  return kind === "rate_limited" || kind === "quota" || kind === "auth";
}

function asksForPause({ kind, retryAfterMs }: ModelFailure): boolean {
  return isPauseKind(kind) || retryAfterMs !== undefined;
}

function pauseMs({ kind, retryAfterMs }: ModelFailure, pauses: number, run: FailureRun): number {
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
      return Math.max(probeDelayMs(run, limits[runOf(kind)].longestPauseMs), boundedMs(retryAfterMs ?? 0));
  }
}

// Doubles from 5 s to the longest pause, with jitter.
function probeDelayMs({ failuresWhileOpen }: FailureRun, longestPauseMs: number): number {
  const doublings = Math.max(0, failuresWhileOpen - 1);
  return Math.round(Math.min(longestPauseMs, 5_000 * 2 ** doublings) * jitter());
}

function boundedMs(retryAfterMs: number): number {
  return Math.min(dayMs, Math.max(1_000, retryAfterMs));
}

// A clock that was put back must not extend the pause: it is measured from the new time.
function endOf(pause: Pause, now: number): number {
  if (now < pause.since) {
    pause.until -= pause.since - now;
    pause.since = now;
  }
  return pause.until;
}
