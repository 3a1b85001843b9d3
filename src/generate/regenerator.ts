// Makes again, by a model, what was written without one: works the durable list off, a batch at a time, behind live work.
//
// | state   | event                                        | next                                              |
// | ------- | -------------------------------------------- | ------------------------------------------------- |
// | stopped | start                                        | running                                           |
// | running | a batch is answered                          | running: old records replaced, next batch         |
// | running | a batch cannot be answered                   | running: old records stay, tried again twice      |
// | running | the gate is closed (rate, quota, outage)     | running, waiting until it opens                   |
// | running | a budget is spent, the key is refused,       | stopped, with the reason; the rest stays listed   |
// |         | stop, five failures in a row                 |                                                   |
// | running | the list is empty                            | stopped, without a reason                         |
//
// It never starts by itself: it costs money, so after a restart the rest waits until somebody asks for it.
import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../clock.ts";
import type { Observation, SessionSummary } from "../domain/records.ts";
import { redactSecrets } from "../domain/secrets.ts";
import { shorten } from "../domain/shorten.ts";
import { failOpen, MemError, toMemError } from "../errors.ts";
import type { Flow, Pass } from "./flow.ts";
import { ModelFailure } from "./model-failure.ts";
import type { GenerationBatch, GenerationReply, Provider } from "./provider.ts";
import { BudgetSpent } from "./spend.ts";

/** Which records are to be made again. */
export interface RegenerationRequest {
  since?: number | undefined;
  project?: string | undefined;
  generator: string;
}

/** The port of the durable list; the SQLite store's regenerations fit it. */
export interface RegenerationList<B extends GenerationBatch = GenerationBatch> {
  select(request: RegenerationRequest): Promise<number>;
  next(limits: { messages: number; characters: number }): Promise<B | null>;
  complete(batch: B, reply: GenerationReply): Promise<Replaced>;
  fail(batch: B, error: string): Promise<void>;
  drop(): Promise<number>;
  counts(): { left: number; failed: number };
}

/** The records as they are now. */
interface Replaced {
  observations: Observation[];
  summaries: SessionSummary[];
}

export interface RegenerationState {
  running: boolean;
  /** Raw events of this run: done, left and given up. */
  total: number;
  done: number;
  left: number;
  /** Given up after three failures: their records stay as they were. */
  failed: number;
  /** Why nothing moves at the moment though it runs, or null. */
  waitingFor: string | null;
  /** Why it stopped before the end, or null. */
  stoppedBecause: string | null;
}

export interface RegeneratorDeps<B extends GenerationBatch> {
  list: RegenerationList<B>;
  /** The model itself, not what stands in for it when a budget is spent; null where only `local` is set up. */
  model: Provider | null;
  /** The gate that the generation loop asks too. */
  flow: Pick<Flow, "admit" | "state">;
  clock: Clock;
  /** In one call at most. */
  limits: { messages: number; characters: number };
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

export interface Regenerator {
  /** Adds what fits to the list and starts. Throws `no_model`. */
  start(request: RegenerationRequest): Promise<RegenerationState>;
  /** Goes on with what is listed. Throws `no_model`. */
  resume(): RegenerationState;
  /** Stops; the rest stays listed, or with `drop` is forgotten. */
  stop(options?: { drop?: boolean | undefined }): Promise<RegenerationState>;
  state(): RegenerationState;
  /** Ends with the worker; resolves when nothing runs any more. */
  close(): Promise<void>;
}

interface Run {
  stopping: AbortController;
  ended: Promise<void>;
}

export function createRegenerator<B extends GenerationBatch>(deps: RegeneratorDeps<B>): Regenerator {
  const { list } = deps;
  let run: Run | null = null;
  let closed = false;
  let done = 0;
  let waitingFor: string | null = null;
  let stoppedBecause: string | null = list.counts().left > 0 ? "the worker was restarted" : null;

  function state(): RegenerationState {
    const { left, failed } = list.counts();
    const running = run !== null;
    return { running, total: done + left + failed, done, left, failed, waitingFor, stoppedBecause };
  }

  function begin(model: Provider): void {
    if (run !== null || closed) return;
    done = 0;
    stoppedBecause = null;
    goOn(model);
  }

  function goOn(model: Provider): void {
    const stopping = new AbortController();
    const work = createWork(deps, model, {
      done: (messages) => {
        done += messages;
      },
      waitingFor: (reason) => {
        waitingFor = reason;
      },
    });
    const ended = work(stopping.signal)
      .catch((cause: unknown) => toMemError(cause).message)
      .then((reason) => {
        stoppedBecause = reason;
        waitingFor = null;
        run = null;
        // What was listed in the very moment in which the list was found empty.
        if (reason === null && !closed && list.counts().left > 0) goOn(model);
      });
    run = { stopping, ended };
  }

  async function halt(): Promise<void> {
    const ending = run;
    if (ending === null) return;
    ending.stopping.abort();
    await ending.ended;
  }

  return {
    async start(request) {
      const model = demandModel(deps.model);
      await list.select(request);
      begin(model);
      return state();
    },
    resume() {
      begin(demandModel(deps.model));
      return state();
    },
    async stop({ drop = false } = {}) {
      await halt();
      if (drop) {
        await list.drop();
        stoppedBecause = null;
      }
      return state();
    },
    state,
    async close() {
      closed = true;
      await halt();
    },
  };
}

function demandModel(model: Provider | null): Provider {
  if (model === null) throw new MemError("no_model");
  return model;
}

interface Progress {
  done(messages: number): void;
  waitingFor(reason: string | null): void;
}

/** What came of one batch. */
type Outcome =
  | { is: "replaced" }
  | { is: "failed"; error: string }
  /** The provider's fault, or its wish: the batch stays on the list as it is. */
  | { is: "outage" | "paused"; error: string }
  | { is: "stop"; reason: string };

const maxFailuresInARow = 5;

/** The work of one run; resolves with why it ended early, or null at the end of the list. */
function createWork<B extends GenerationBatch>(
  deps: RegeneratorDeps<B>,
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

  async function make(batch: B, pass: Pass, stopping: AbortSignal): Promise<Outcome> {
    let reply: GenerationReply;
    try {
      reply = await answerOf(deps, model, { batch, stopping });
      pass.succeeded(clock.now());
    } catch (cause) {
      if (cause instanceof ModelFailure) pass.failed(cause, clock.now());
      return stopping.aborted ? { is: "stop", reason: stoppedByUser } : outcomeOf(cause, flow, clock.now());
    } finally {
      pass.returned(clock.now());
    }
    // A store that refuses ends the run: what is paid for and cannot be stored must not be asked for again and again.
    const replaced = await list.complete(batch, reply);
    progress.done(batch.messages.length);
    deps.onReplaced(batch.session, replaced);
    return { is: "replaced" };
  }

  return async (stopping) => {
    for (let failures = 0; failures < maxFailuresInARow; ) {
      const batch = await list.next(deps.limits);
      if (batch === null) return null;
      const pass = await admitted(batch.session.id, stopping);
      if (typeof pass === "string") return pass;
      const outcome = await make(batch, pass, stopping);
      if (outcome.is === "stop") return outcome.reason;
      if (outcome.is === "replaced") {
        failures = 0;
        continue;
      }
      deps.onFailure(outcome.error, batch.messages.length);
      if (outcome.is === "failed") await list.fail(batch, outcome.error);
      if (outcome.is === "outage") failures += 1;
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
  switch (failure.kind) {
    case "auth":
      return { is: "stop", reason: error };
    case "rate_limited":
    case "quota":
      return { is: "paused", error };
    case "unavailable":
    case "timeout":
    case "bad_request":
      // An outage must not use up the tries of what is listed; a single failure may well be the batch's own.
      return flow.state(now).state === "open" ? { is: "failed", error } : { is: "outage", error };
    case "bad_answer":
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
