// Regenerates records with a model: works through the durable list batch by batch, behind live generation.
//
// | state   | event                                     | next                                             |
// | ------- | ----------------------------------------- | ------------------------------------------------ |
// | stopped | start                                     | running                                          |
// | running | reply stored                              | running: old records replaced, next batch        |
// | running | a source was withdrawn                    | running: nothing stored, the rest is asked again |
// | running | batch failed                              | running: old records stay, retried twice         |
// | running | provider paused (rate, quota, outage)     | running, waiting for the provider                |
// | running | budget spent, access refused, stopped,    | stopped with the reason; the rest stays listed   |
// |         | five failures in a row                    |                                                  |
// | running | list empty                                | stopped                                          |
//
// A run costs money, so it never starts by itself: after a restart the list waits for `resume`.
import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../core/clock.ts";
import { MemError, toMemError } from "../core/errors.ts";
import type { Made, SettledReply } from "../core/records/drafts.ts";
import type { RegenerationRequest } from "../core/records/regeneration.ts";
import { callProvider, redactedMessage } from "./call-provider.ts";
import type { CircuitBreaker, Permit } from "./circuit-breaker.ts";
import { emptyReply } from "./generate-batch.ts";
import { ModelFailure, type ModelFailureKind } from "./model-failure.ts";
import type { GenerationBatch, GenerationReply, Provider } from "./provider.ts";
import { settledUses } from "./settled-uses.ts";
import { BudgetSpent } from "./spend.ts";
import { shownOf } from "./turns.ts";

/** The durable list of raw events to regenerate. */
export interface RegenerationList<B extends GenerationBatch = GenerationBatch> {
  /** Adds the raw events of the request; resolves with the number that wait. */
  select(request: RegenerationRequest): Promise<number>;
  /** The next turn, or a part of it; null at the end. */
  next(maxMessages: number): Promise<B | null>;
  /** False once something that the model would see was withdrawn. */
  isCurrent(batch: B): boolean;
  /** Replaces the records; null, and nothing stored, when the batch is not current. */
  complete(batch: B, reply: SettledReply): Promise<Made | null>;
  fail(batch: B, error: string): Promise<void>;
  drop(): Promise<number>;
  counts(): { left: number; failed: number };
}

/** Counts are raw events. */
export interface RegenerationState {
  running: boolean;
  total: number;
  done: number;
  left: number;
  /** Failed three times: their records stay as they were. */
  failed: number;
  /** Why a running regeneration waits, or null. */
  waitingFor: string | null;
  /** Why it stopped early, or null. */
  stoppedBecause: string | null;
}

export interface RegeneratorDeps<B extends GenerationBatch> {
  list: RegenerationList<B>;
  /** The model without its `local` fallback; null where only `local` is configured. */
  model: Provider | null;
  /** Shared with live generation. */
  circuit: Pick<CircuitBreaker, "admit" | "state">;
  clock: Clock;
  /** Of one call. */
  maxMessages: number;
  timeoutMs: number;
  /** Resolves when intake is idle enough. */
  idle(): Promise<void>;
  onCompleted(made: Made): void;
  /** Logs a failed batch; the error is redacted. */
  onFailure(error: string, messages: number): void;
  /** Interval of the checks on a paused provider; default one second. */
  pollMs?: number;
}

export interface Regenerator {
  /** Adds the requested records to the list and runs. Throws `no_model`. */
  start(request: RegenerationRequest): Promise<RegenerationState>;
  /** Runs over what is listed. Throws `no_model`. */
  resume(): RegenerationState;
  /** Stops; the rest stays listed unless `drop` is set. */
  stop(options?: { drop?: boolean | undefined }): Promise<RegenerationState>;
  state(): RegenerationState;
  /** Stops for good; resolves when nothing runs. */
  close(): Promise<void>;
}

type Progress = Pick<RegenerationState, "done" | "waitingFor" | "stoppedBecause">;

export function createRegenerator<B extends GenerationBatch>(deps: RegeneratorDeps<B>): Regenerator {
  const { list } = deps;
  const restarted = list.counts().left > 0 ? "the worker was restarted" : null;
  const progress: Progress = { done: 0, waitingFor: null, stoppedBecause: restarted };
  let run: { stopping: AbortController; ended: Promise<void> } | null = null;
  let isClosed = false;

  function state(): RegenerationState {
    const { left, failed } = list.counts();
    return { running: run !== null, total: progress.done + left + failed, left, failed, ...progress };
  }

  function begin(model: Provider): RegenerationState {
    if (run === null && !isClosed) {
      Object.assign(progress, { done: 0, stoppedBecause: null });
      const stopping = new AbortController();
      run = { stopping, ended: work({ ...deps, model, progress, stopping: stopping.signal }) };
    }
    return state();
  }

  async function work(context: RunContext<B>): Promise<void> {
    do {
      progress.stoppedBecause = await workOff(context).catch((cause: unknown) => toMemError(cause).message);
      // A start may have listed more after the list was found empty.
    } while (progress.stoppedBecause === null && !isClosed && list.counts().left > 0);
    progress.waitingFor = null;
    run = null;
  }

  async function halt(): Promise<void> {
    const ending = run;
    ending?.stopping.abort();
    await ending?.ended;
  }

  return {
    async start(request) {
      const model = demandModel(deps.model);
      await list.select(request);
      return begin(model);
    },
    resume: () => begin(demandModel(deps.model)),
    async stop({ drop = false } = {}) {
      await halt();
      if (drop) {
        await list.drop();
        progress.stoppedBecause = null;
      }
      return state();
    },
    state,
    async close() {
      isClosed = true;
      await halt();
    },
  };
}

function demandModel(model: Provider | null): Provider {
  if (model === null) throw new MemError("no_model");
  return model;
}

interface RunContext<B extends GenerationBatch> extends RegeneratorDeps<B> {
  model: Provider;
  progress: Progress;
  stopping: AbortSignal;
}

type Outcome =
  | "replaced"
  /** A source was withdrawn: what is left of the batch is asked again. */
  | "outdated"
  | { stop: string }
  /** `isOutage`: the provider's fault; no attempt of the batch is spent. */
  | { error: string; isOutage: boolean };

const maxFailuresInARow = 5;

/** Resolves with the reason of an early end, or null at the end of the list. */
async function workOff<B extends GenerationBatch>(context: RunContext<B>): Promise<string | null> {
  const { list, circuit, clock } = context;
  for (let failures = 0; failures < maxFailuresInARow; ) {
    const batch = await list.next(context.maxMessages);
    if (batch === null) return null;
    const outcome = await regenerate(context, batch);
    if (outcome === "replaced") failures = 0;
    if (typeof outcome === "string") continue;
    if ("stop" in outcome) return outcome.stop;
    context.onFailure(outcome.error, batch.messages.length);
    if (!outcome.isOutage) await list.fail(batch, outcome.error);
    // A provider whose every answer is useless is paid for each of them.
    if (outcome.isOutage || circuit.state(clock.now()).state !== "ready") failures += 1;
  }
  return "the provider failed too often in a row";
}

/** One turn, in one call; none where nothing of it is shown to a model. */
async function regenerate<B extends GenerationBatch>(context: RunContext<B>, batch: B): Promise<Outcome> {
  const { list, progress } = context;
  const part = shownOf(batch);
  const reply = part.messages.length === 0 ? emptyReply(context.model) : await ask(context, batch, part);
  if (typeof reply === "string" || !("usage" in reply)) return reply;
  // A store error ends the run: an answer that cannot be stored must not be paid for again.
  const made = await list.complete(batch, settledUses(batch, reply));
  if (made === null) return "outdated";
  progress.done += batch.messages.length;
  context.onCompleted(made);
  return "replaced";
}

/** One call; asked again after a pause of the vendor. */
async function ask<B extends GenerationBatch>(
  context: RunContext<B>,
  batch: B,
  part: GenerationBatch,
): Promise<GenerationReply | Exclude<Outcome, "replaced">> {
  const { list, circuit, clock, stopping } = context;
  for (;;) {
    const permit = await admitted(context, batch.session.id);
    if ("stop" in permit) return permit;
    try {
      // Sources may have been withdrawn during a long wait.
      if (!list.isCurrent(batch)) return "outdated";
      const reply = await callProvider(context.model, part, { ...context, signal: stopping });
      permit.succeeded(clock.now());
      return reply;
    } catch (cause) {
      const failure = toMemError(cause);
      if (failure instanceof ModelFailure) permit.failed(failure, clock.now());
      if (stopping.aborted) return stopped;
      const error = redactedMessage(failure);
      const reaction = reactionTo(failure);
      if (reaction === "stop") return { stop: error };
      if (reaction === "fail") return { error, isOutage: false };
      if (reaction === "fail or outage")
        return { error, isOutage: circuit.state(clock.now()).state !== "ready" };
      context.onFailure(error, part.messages.length);
    } finally {
      permit.returned(clock.now());
    }
  }
}

const stopped = { stop: "it was stopped" };

/** Waits for the provider to accept a call. */
async function admitted<B extends GenerationBatch>(
  { circuit, clock, progress, stopping, idle, pollMs = 1_000 }: RunContext<B>,
  sessionId: number,
): Promise<Permit | { stop: string }> {
  for (;;) {
    await idle();
    if (stopping.aborted) return stopped;
    const permit = circuit.admit(clock.now(), sessionId);
    const { reason } = circuit.state(clock.now());
    // Only the user can end refused access, and the next probe may be 15 minutes away.
    if (permit === null && reason?.kind === "auth") return { stop: reason.message };
    progress.waitingFor = permit === null ? (reason?.message ?? "the provider is busy") : null;
    if (permit !== null) return permit;
    // Rejects when stopped, which the next turn of the loop sees.
    await delay(pollMs, undefined, { signal: stopping, ref: false }).catch(() => undefined);
  }
}

type Reaction = "stop" | "wait" | "fail" | "fail or outage";

// A single failure may be the batch's own; while the provider is paused it is an outage.
const reactions: Readonly<Record<ModelFailureKind, Reaction>> = {
  auth: "stop",
  rate_limited: "wait",
  quota: "wait",
  unavailable: "fail or outage",
  timeout: "fail or outage",
  bad_request: "fail or outage",
  bad_answer: "fail",
  overflow: "fail",
};

function reactionTo(failure: MemError): Reaction {
  if (failure instanceof BudgetSpent) return "stop";
  if (!(failure instanceof ModelFailure)) return "fail";
  return failure.isPage ? "fail or outage" : reactions[failure.kind];
}
