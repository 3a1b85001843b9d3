// One call: claims a batch of a session, asks the provider, stores what it says, or says what becomes of the messages.
import type { Clock } from "../core/clock.ts";
import { type MemError, toMemError } from "../core/errors.ts";
import type { ClaimedMessage } from "../core/records/messages.ts";
import type { Observation, SessionSummary } from "../core/records/records.ts";
import type { ActiveSession, ActiveSessions, SessionInWork } from "./active-sessions.ts";
import type { BatchSizes } from "./batch-sizes.ts";
import type { Batching, WaitingMessages } from "./batching.ts";
import { callProvider, storedError } from "./call-provider.ts";
import type { Flow, Pass } from "./flow.ts";
import { noUsage } from "./model-client.ts";
import { ModelFailure } from "./model-failure.ts";
import type { GenerationBatch, GenerationReply, Provider } from "./provider.ts";
import { maxClaims, type Release, type Retries } from "./retry.ts";
import { type SettledReply, settledUses } from "./settled-uses.ts";
import { isDescribed, withoutEmptyTurns } from "./turns.ts";

/** A batch as the queue gives it. */
export interface QueuedBatch extends GenerationBatch {
  session: SessionInWork & { status: "active" | "completed" };
}

/** What was made of a batch. */
export interface Made {
  observations: Observation[];
  summaries: SessionSummary[];
  /** Older observations that are routine or superseded from now on, as they are now. */
  changed?: Observation[];
}

/** The port of the loop; the SQLite store's generation queue fits it. */
export interface GenerationQueue<B extends QueuedBatch = QueuedBatch> {
  claim(
    sessionId: number,
    request: { now: number; leaseMs: number; limit: number; maxChars: number },
  ): Promise<B | null>;
  complete(batch: B, reply: SettledReply): Promise<Made>;
  release(messages: readonly ClaimedMessage[], release: Release): Promise<void>;
  /** Leases of the sessions in work are left alone: a suspended machine's clock has run on without them. */
  reclaimExpired(now: number, sessionsInWork: readonly number[]): Promise<number>;
  /** Of the oldest due messages of the session, `limit` at most; null when none is due. */
  waiting(sessionId: number, now: number, limit: number): WaitingMessages | null;
  sessionsDue(now: number): number[];
  nextDue(now: number): number | null;
}

export interface BatchDeps<B extends QueuedBatch> {
  queue: GenerationQueue<B>;
  provider: Provider;
  /** The gate in front of the provider. */
  flow: Flow;
  sessions: ActiveSessions;
  batching: Batching;
  clock: Clock;
  /** Deadline of one call of the provider, and the length of a lease. */
  timeoutMs: number;
  onCompleted(session: B["session"], made: Made): void;
  /** A batch failed: for the log. The error is redacted. */
  onFailure(error: string, messages: number): void;
}

/** True when more may wait. The pass is settled in any case. */
export async function generateBatch<B extends QueuedBatch>(
  deps: BatchDeps<B>,
  { sessionId, ...how }: { sessionId: number; pass: Pass; retries: Retries; sizes: BatchSizes },
): Promise<boolean> {
  const { queue, clock, sessions } = deps;
  const out = sessions.setOut(sessionId);
  try {
    const batch = await queue.claim(sessionId, {
      now: clock.now(),
      leaseMs: deps.timeoutMs,
      limit: how.sizes.of(sessionId),
      maxChars: deps.batching.maxChars,
    });
    if (batch === null) return false;
    const [first] = batch.messages;
    if (first !== undefined && first.attempts >= maxClaims) {
      const error = `the worker died ${first.attempts} times on it`;
      await queue.release(batch.messages, { kind: "dead", error });
      return true;
    }
    const messages = batch.messages.map(({ message }) => message);
    const more = await sessions.work(batch.session, messages, (active) =>
      settle(deps, batch, { active, ...how }),
    );
    const { id, status } = batch.session;
    if (status === "completed" && queue.waiting(id, clock.now(), 1) === null) sessions.release(id);
    return more;
  } finally {
    how.pass.returned(clock.now());
    out.end();
  }
}

interface Call {
  active: ActiveSession;
  pass: Pass;
  retries: Retries;
  sizes: BatchSizes;
}

async function settle<B extends QueuedBatch>(deps: BatchDeps<B>, batch: B, call: Call): Promise<boolean> {
  const { queue, clock } = deps;
  const { signal } = call.active.abortController;
  const askOnce = call.pass.isProbe && deps.flow.isUseless();
  // The others are done with this batch: read, and nothing to record.
  const messages = withoutEmptyTurns(batch).filter(isDescribed);
  const isAsked = messages.length > 0;
  let reply: GenerationReply;
  try {
    reply = isAsked
      ? await callProvider(deps.provider, { ...batch, messages, askOnce }, { ...deps, signal })
      : nothingOf(deps.provider);
  } catch (cause) {
    const failure = toMemError(signal.aborted ? signal.reason : cause);
    if (signal.aborted && !(failure instanceof ModelFailure)) {
      await queue.release(batch.messages, { kind: "give_back" });
      return false;
    }
    await releaseFailed(deps, batch, { ...call, failure });
    return true;
  }
  // What `local` wrote in a model's place says nothing of the model.
  if (!isAsked || reply.upgrade === true) call.pass.returned(clock.now());
  else call.pass.succeeded(clock.now());
  call.active.cumulativeInputTokens += reply.usage.inputTokens;
  call.active.cumulativeOutputTokens += reply.usage.outputTokens;
  const made = await store(deps, batch, reply);
  if (made === undefined) return false;
  call.retries.finished(batch.messages);
  if (isAsked) call.sizes.answered(batch.session.id, batch.messages.length);
  deps.onCompleted(batch.session, made);
  return true;
}

function nothingOf({ name }: Provider): GenerationReply {
  return { observations: [], summaries: [], generator: name, usage: noUsage };
}

// A store that refuses is no failure of the messages; they wait long enough that an answer that cannot be stored is not
// paid for again and again.
async function store<B extends QueuedBatch>(
  { queue, clock, onFailure }: BatchDeps<B>,
  batch: B,
  reply: GenerationReply,
): Promise<Made | undefined> {
  try {
    return await queue.complete(batch, settledUses(batch, reply));
  } catch (cause) {
    const error = toMemError(cause).message;
    onFailure(error, batch.messages.length);
    await queue.release(batch.messages, { kind: "later", at: clock.now() + storeRetryMs, error });
    return undefined;
  }
}

const storeRetryMs = 60_000;

async function releaseFailed<B extends QueuedBatch>(
  deps: BatchDeps<B>,
  batch: B,
  { failure, active, pass, retries, sizes }: Call & { failure: MemError },
): Promise<void> {
  const { queue, clock, flow, onFailure } = deps;
  const now = clock.now();
  const reason = storedError(failure);
  const answers = flow.answers();
  const { length: size } = batch.messages;
  if (failure instanceof ModelFailure) {
    const explained = size === 1 && batch.messages.every((each) => retries.explains(each, failure, answers));
    pass.failed(failure, now, explained);
    if (failure.kind === "timeout") sizes.timedOut(batch.session.id, { size, isProbe: pass.isProbe });
  }
  onFailure(reason, size);
  const uselessUntil = flow.isUseless() ? flow.resumesAt(now) : null;
  const circumstances = { reason, now, size, isProbe: pass.isProbe, answers, uselessUntil };
  await Promise.all(
    batch.messages.map(async (message) => {
      const release = retries.afterFailure(message, failure, circumstances);
      const isUseless = failure instanceof ModelFailure && failure.kind === "bad_answer";
      const isSettled =
        isUseless && release.kind === "dead" && (await standIn(deps, batch, { message, active }));
      if (isSettled) retries.finished([message]);
      else await queue.release([message], release);
    }),
  );
}

/**
 * Has a message written without the model that answered it with rubbish. False where nobody can; what cannot be stored is
 * tried again.
 */
async function standIn<B extends QueuedBatch>(
  deps: BatchDeps<B>,
  batch: B,
  { message, active }: { message: ClaimedMessage; active: ActiveSession },
): Promise<boolean> {
  const { provider, onCompleted, onFailure } = deps;
  const alone = { ...batch, messages: [message] };
  let reply: GenerationReply | undefined;
  try {
    reply = await provider.standIn?.(alone, active.abortController.signal);
  } catch (cause) {
    onFailure(storedError(toMemError(cause)), 1);
  }
  if (reply === undefined) return false;
  const made = await store(deps, alone, reply);
  if (made !== undefined) onCompleted(batch.session, made);
  return true;
}
