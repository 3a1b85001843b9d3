// One run of the regeneration: takes batch after batch off the list until it is empty, or something ends it early.
import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../core/clock.ts";
import { failOpen, toMemError } from "../core/errors.ts";
import type { Observation, SessionSummary } from "../core/records/records.ts";
import { shorten } from "../core/shorten.ts";
import { redactSecrets } from "../privacy/secrets.ts";
import type { Flow, Pass } from "./flow.ts";
import { ModelFailure } from "./model-failure.ts";
import { type GenerationBatch, type GenerationReply, type Provider, titlesOfWork } from "./provider.ts";
import { type CallLimits, joinReplies, partsOf } from "./regeneration-parts.ts";
import { type SettledReply, settledUses } from "./settled-uses.ts";
import { BudgetSpent } from "./spend.ts";

/** The records as they are now. */
export interface Replaced {
  observations: Observation[];
  summaries: SessionSummary[];
}

/** The part of the durable list that a run works off. */
export interface RunList<B extends GenerationBatch = GenerationBatch> {
  /** What stands together comes together, above the limits too. */
  next(limits: CallLimits): Promise<B | null>;
  /** False once something that the model would be shown was taken back. */
  stands(batch: B): boolean;
  /** Null when what the model was shown was taken back meanwhile: nothing is stored, what still stands stays listed. */
  complete(batch: B, reply: SettledReply): Promise<Replaced | null>;
  fail(batch: B, error: string): Promise<void>;
}

export interface RunDeps<B extends GenerationBatch> {
  list: RunList<B>;
  /** The gate that the generation loop asks too. */
  flow: Pick<Flow, "admit" | "state">;
  clock: Clock;
  /** Of one call. */
  limits: CallLimits;
  /** Deadline of one call. */
  timeoutMs: number;
  /** Resolves when intake is quiet enough to work. */
  quiet(): Promise<void>;
  onReplaced(session: B["session"], replaced: Replaced): void;
  /** A batch failed: for the log. The error is redacted. */
  onFailure(error: string, messages: number): void;
  /** How often a closed gate is looked at; default one second. */
  lookEveryMs?: number;
}

interface Progress {
  done(messages: number): void;
  waitingFor(reason: string | null): void;
}

/** What came of one batch. */
type Outcome =
  | { is: "replaced" }
  /** Its sources were taken back: what is left of it is asked for again. */
  | { is: "outdated" }
  | { is: "failed"; error: string }
  /** The provider's fault, or its wish: the batch stays on the list as it is. */
  | { is: "outage" | "paused"; error: string }
  | { is: "stop"; reason: string };

const maxFailuresInARow = 5;

/** The work of one run; resolves with why it ended early, or null at the end of the list. */
export function createRegenerationRun<B extends GenerationBatch>(
  deps: RunDeps<B>,
  model: Provider,
  progress: Progress,
): (stopping: AbortSignal) => Promise<string | null> {
  const { list, flow, clock } = deps;
  const lookEveryMs = deps.lookEveryMs ?? 1_000;

  /** The leave to ask, or why there is none to wait for. */
  async function admitted(sessionId: number, stopping: AbortSignal): Promise<Pass | string> {
    for (;;) {
      await deps.quiet();
      if (stopping.aborted) return stoppedByUser;
      const pass = flow.admit(clock.now(), sessionId);
      const reason = flow.state(clock.now()).reason;
      // Refused access is the user's to mend: the next try of the gate may be a quarter of an hour away.
      if (pass === null && reason?.kind === "auth") return reason.message;
      progress.waitingFor(pass === null ? (reason?.message ?? "the provider is busy") : null);
      if (pass !== null) return pass;
      await failOpen("waiting for the provider", () =>
        delay(lookEveryMs, undefined, { signal: stopping, ref: false }).catch(ifAborted),
      );
    }
  }

  /** One call for a part of the batch. */
  async function ask(
    batch: B,
    part: GenerationBatch,
    stopping: AbortSignal,
  ): Promise<GenerationReply | Outcome> {
    const pass = await admitted(batch.session.id, stopping);
    if (typeof pass === "string") return { is: "stop", reason: pass };
    try {
      // The wait may have been long: what was taken back meanwhile is shown to nobody.
      if (!list.stands(batch)) return { is: "outdated" };
      const reply = await answerOf(deps, model, { batch: part, stopping });
      pass.succeeded(clock.now());
      return reply;
    } catch (cause) {
      if (cause instanceof ModelFailure) pass.failed(cause, clock.now());
      return stopping.aborted ? { is: "stop", reason: stoppedByUser } : outcomeOf(cause, flow, clock.now());
    } finally {
      pass.returned(clock.now());
    }
  }

  /** The same, again after every pause that the vendor wants: the parts before it are paid for. */
  async function askUntilAnswered(...call: Parameters<typeof ask>): ReturnType<typeof ask> {
    for (;;) {
      const answer = await ask(...call);
      if (!("is" in answer) || answer.is !== "paused") return answer;
      deps.onFailure(answer.error, call[1].messages.length);
    }
  }

  async function make(batch: B, stopping: AbortSignal): Promise<Outcome> {
    let made: GenerationReply | null = null;
    for (const messages of partsOf(batch.messages, deps.limits)) {
      const recentTitles = [...batch.recentTitles, ...(made === null ? [] : titlesOfWork(made))];
      const answer = await askUntilAnswered(batch, { ...batch, messages, recentTitles }, stopping);
      if ("is" in answer) return answer;
      made = made === null ? answer : joinReplies(made, answer);
    }
    if (made === null) return { is: "outdated" };
    // A store that refuses ends the run: what is paid for and cannot be stored must not be asked for again and again.
    const replaced = await list.complete(batch, settledUses(batch, made));
    if (replaced === null) return { is: "outdated" };
    progress.done(batch.messages.length);
    deps.onReplaced(batch.session, replaced);
    return { is: "replaced" };
  }

  return async (stopping) => {
    for (let failures = 0; failures < maxFailuresInARow; ) {
      const batch = await list.next(deps.limits);
      if (batch === null) return null;
      const outcome = await make(batch, stopping);
      if (outcome.is === "stop") return outcome.reason;
      if (outcome.is === "replaced") failures = 0;
      if (outcome.is === "replaced" || outcome.is === "outdated") continue;
      deps.onFailure(outcome.error, batch.messages.length);
      if (outcome.is === "failed") await list.fail(batch, outcome.error);
      // Answers that are of no use to anybody are paid for like others.
      if (outcome.is === "outage" || flow.state(clock.now()).state !== "open") failures += 1;
    }
    return "the provider failed too often in a row";
  };
}

const stoppedByUser = "it was stopped";

const maxErrorChars = 300;

function outcomeOf(cause: unknown, flow: Pick<Flow, "state">, now: number): Outcome {
  const failure = toMemError(cause);
  const error = shorten(redactSecrets(failure.message), maxErrorChars);
  if (failure instanceof BudgetSpent) return { is: "stop", reason: error };
  if (!(failure instanceof ModelFailure)) return { is: "failed", error };
  // An outage must not use up the tries of what is listed; a single failure may well be the batch's own.
  const mayBeItsOwn: Outcome = { is: flow.state(now).state === "open" ? "failed" : "outage", error };
  switch (failure.kind) {
    case "auth":
      return { is: "stop", reason: error };
    case "rate_limited":
    case "quota":
      return { is: "paused", error };
    case "unavailable":
    case "timeout":
    case "bad_request":
      return mayBeItsOwn;
    case "bad_answer":
      return failure.isPage ? mayBeItsOwn : { is: "failed", error };
    case "overflow":
      return { is: "failed", error };
  }
}

/** The reply, or the reason of the abort when that comes first: a provider that is deaf to it must not hold the worker. */
function answerOf(
  { timeoutMs }: { timeoutMs: number },
  model: Provider,
  { batch, stopping }: { batch: GenerationBatch; stopping: AbortSignal },
): Promise<GenerationReply> {
  const late = new AbortController();
  const signal = AbortSignal.any([stopping, late.signal]);
  return new Promise((resolve, reject) => {
    const deadline = setTimeout(() => {
      late.abort(new ModelFailure("timeout", `no answer within ${timeoutMs / 1000} s`));
    }, timeoutMs);
    const abort = (): void => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
    model
      .generate(batch, signal)
      .then(resolve, reject)
      .finally(() => {
        clearTimeout(deadline);
        signal.removeEventListener("abort", abort);
      });
  });
}

// The end of a wait by its signal is no failure.
function ifAborted(cause: unknown): void {
  if (!(cause instanceof Error && cause.name === "AbortError")) throw cause;
}
