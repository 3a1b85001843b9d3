// One call: claims a batch of a session, asks the provider, and stores the reply or releases the messages.
import type { Clock } from "../core/clock.ts";
import { type MemError, toMemError } from "../core/errors.ts";
import type { Made, Reply, SettledReply } from "../core/records/drafts.ts";
import { type ClaimedMessage, endsTurn } from "../core/records/messages.ts";
import type { Release, WaitingMessages } from "../core/records/queue.ts";
import type { ActiveSession, ActiveSessions, SessionInWork } from "./active-sessions.ts";
import type { Batching } from "./batching.ts";
import { callProvider, storedError } from "./call-provider.ts";
import type { CircuitBreaker, Permit } from "./circuit-breaker.ts";
import { ModelFailure } from "./model-failure.ts";
import type { GenerationBatch, GenerationReply, Provider } from "./provider.ts";
import { maxClaims, type Retries } from "./retry.ts";
import { settledUses } from "./settled-uses.ts";
import { BudgetSpent } from "./spend.ts";
import { noUsage } from "./token-usage.ts";
import { describedOf, shownOf } from "./turns.ts";

export interface QueuedBatch extends GenerationBatch {
  session: SessionInWork & { status: "active" | "completed" };
}

/** The queue's port: SQLite in the worker, Postgres on the server. */
export interface GenerationQueue<B extends QueuedBatch = QueuedBatch> {
  claim(
    sessionId: number,
    request: { now: number; leaseMs: number; limit: number; limitOfRetry?: number; maxChars: number },
  ): Promise<B | null>;
  complete(batch: B, reply: SettledReply): Promise<Made>;
  release(messages: readonly ClaimedMessage[], release: Release): Promise<void>;
  /** Reads at most `limit` due messages of the session; null when none is due. */
  waiting(sessionId: number, now: number, limit: number): WaitingMessages | null;
}

export interface BatchDeps<B extends QueuedBatch> {
  queue: GenerationQueue<B>;
  provider: Provider;
  /** Writes instead of a model that may not be called or gave a useless answer; null where `provider` is `local`. */
  local: Provider | null;
  circuit: CircuitBreaker;
  sessions: ActiveSessions;
  batching: Batching;
  clock: Clock;
  /** Deadline of one provider call, and the length of a lease. */
  timeoutMs: number;
  onCompleted(made: Made): void;
  /** Logs a failed batch; the error is redacted. */
  onFailure(error: string, messages: number): void;
}

export interface BatchRequest {
  sessionId: number;
  /** Null: `local` writes, and no model is called. */
  permit: Permit | null;
  retries: Retries;
}

/** True when more messages may wait. Settles the permit in any case. */
export async function generateBatch<B extends QueuedBatch>(
  deps: BatchDeps<B>,
  request: BatchRequest,
): Promise<boolean> {
  const { queue, clock, sessions } = deps;
  const call = sessions.begin(request.sessionId);
  let isOver = false;
  try {
    const batch = await queue.claim(request.sessionId, {
      now: clock.now(),
      leaseMs: deps.timeoutMs,
      limit: deps.batching.maxMessages,
      limitOfRetry: deps.batching.maxRetried ?? deps.batching.maxMessages,
      maxChars: deps.batching.maxChars,
    });
    if (batch === null) return false;
    const attempts = batch.messages[0]?.attempts ?? 0;
    if (attempts >= maxClaims) {
      const error = `the worker died ${attempts} times on it`;
      await queue.release(batch.messages, { kind: "dead", error });
      return true;
    }
    const messages = batch.messages.map(({ message }) => message);
    const more = await work(deps, batch, { ...request, active: call.start(batch.session, messages) });
    isOver = batch.session.status === "completed" && queue.waiting(batch.session.id, clock.now(), 1) === null;
    return more;
  } finally {
    request.permit?.returned(clock.now());
    call.end({ isOver });
  }
}

interface Call extends BatchRequest {
  active: ActiveSession;
}

async function work<B extends QueuedBatch>(deps: BatchDeps<B>, batch: B, call: Call): Promise<boolean> {
  const { clock } = deps;
  const { permit, active } = call;
  const { signal } = active.abortController;
  // The messages that are left out are completed with the batch: read, and nothing to record.
  const isModel = permit !== null && deps.batching.idleMs !== null;
  const part = isModel ? shownOf(batch) : describedOf(batch);
  const isAsked = part.messages.length > 0;
  let reply: GenerationReply;
  try {
    reply = isAsked ? await ask(deps, part, call) : emptyReply(deps.provider);
  } catch (cause) {
    const failure = toMemError(signal.aborted ? signal.reason : cause);
    if (signal.aborted && !(failure instanceof ModelFailure)) {
      await deps.queue.release(batch.messages, { kind: "give_back" });
      return false;
    }
    await releaseFailed(deps, batch, { ...call, failure });
    return true;
  }
  // A reply of `local` says nothing about the model.
  if (!isAsked || reply.upgrade === true) permit?.returned(clock.now());
  else permit?.succeeded(clock.now());
  active.cumulativeInputTokens += reply.usage.inputTokens;
  active.cumulativeOutputTokens += reply.usage.outputTokens;
  const made = await store(deps, batch, reply);
  if (made === undefined) return false;
  call.retries.finished(batch.messages);
  deps.onCompleted(made);
  return true;
}

/** Nothing was asked: what exists stays. */
export function emptyReply({ name }: Pick<Provider, "name">): GenerationReply {
  return { observations: [], summaries: [], generator: name, usage: noUsage };
}

type AskDeps = Pick<BatchDeps<QueuedBatch>, "provider" | "local" | "circuit" | "timeoutMs">;

/** The provider's reply, or `local`'s without a permit and when the budget ends during the call. */
export async function ask(
  { provider, local, circuit, timeoutMs }: AskDeps,
  batch: GenerationBatch,
  { permit, active }: Pick<Call, "permit"> & { active: Pick<ActiveSession, "abortController"> },
): Promise<GenerationReply> {
  const call = { timeoutMs, signal: active.abortController.signal };
  const askOnce = permit?.isProbe === true && circuit.isUseless();
  try {
    if (permit !== null || local === null) return await callProvider(provider, { ...batch, askOnce }, call);
  } catch (cause) {
    if (local === null || !(cause instanceof BudgetSpent)) throw cause;
  }
  return { ...(await callProvider(local, batch, call)), upgrade: true };
}

// A store error is no failure of the messages. They wait long enough that a reply that cannot be stored is not paid for
// again and again.
async function store<B extends QueuedBatch>(
  { queue, clock, onFailure }: BatchDeps<B>,
  batch: B,
  reply: Reply,
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

// A turn is tried again as a whole.
async function releaseFailed<B extends QueuedBatch>(
  deps: BatchDeps<B>,
  batch: B,
  { failure, active, permit, retries }: Call & { failure: MemError },
): Promise<void> {
  const { queue, clock, circuit, onFailure } = deps;
  const now = clock.now();
  const reason = storedError(failure);
  const answers = circuit.answers();
  const { messages } = batch;
  const isOfModel = failure instanceof ModelFailure;
  if (isOfModel) permit?.failed(failure, now, retries.explains(messages, failure, answers));
  onFailure(reason, messages.length);
  const uselessUntil = circuit.isUseless() ? circuit.resumesAt(now) : null;
  const call = { reason, now, isProbe: permit?.isProbe === true, answers, uselessUntil };
  const release = retries.afterFailure(messages, failure, call);
  if (release.kind === "dead" && isOfModel && (await writeLocally(deps, batch, active)))
    retries.finished(messages);
  else await queue.release(messages, release);
}

/** Writes a turn without the model that cannot. False where `local` cannot; a store error retries. */
async function writeLocally<B extends QueuedBatch>(
  deps: BatchDeps<B>,
  batch: B,
  active: ActiveSession,
): Promise<boolean> {
  if (deps.local === null) return false;
  try {
    const reply = await ask(deps, describedOf(batch), { permit: null, active });
    const made = await store(deps, batch, reply);
    if (made !== undefined) deps.onCompleted(made);
    return true;
  } catch (cause) {
    deps.onFailure(storedError(toMemError(cause)), batch.messages.length);
    return false;
  }
}

export type DraftDeps<B extends QueuedBatch> = Pick<BatchDeps<B>, "onCompleted" | "timeoutMs"> & {
  queue: {
    /** The oldest messages of one turn of the session without provisional records; null when there are none. */
    undrafted(sessionId: number, limit: number): B | null;
    /** Stores provisional records; the messages wait on. */
    draft(batch: B, reply: SettledReply): Promise<Made>;
  };
};

/** Writes provisional records of new messages, which then wait for the model. False when the session has none. */
export async function draftBatch<B extends QueuedBatch>(
  { queue, onCompleted, timeoutMs }: DraftDeps<B>,
  { sessionId, local, signal }: { sessionId: number; local: Provider; signal: AbortSignal },
): Promise<boolean> {
  const batch = queue.undrafted(sessionId, mostDrafted);
  if (batch === null) return false;
  // A compaction ends no turn: the model's next summary goes on with the model's last one.
  const described = describedOf(batch);
  const isOfModel = ({ message }: ClaimedMessage) => message.type !== "summarize" || endsTurn(message);
  const messages = described.messages.filter(isOfModel);
  const part = { ...described, messages };
  const reply =
    messages.length === 0 ? emptyReply(local) : await callProvider(local, part, { timeoutMs, signal });
  onCompleted(await queue.draft(batch, settledUses(batch, asDraft(reply))));
  return true;
}

// What rules take for a rule of the user is a proposal until the model has judged it.
function asDraft(reply: Reply): Reply {
  const observations = reply.observations.map(({ statement, ...draft }) =>
    statement === undefined ? draft : { ...draft, statement: { ...statement, standing: false } },
  );
  return { ...reply, observations, upgrade: true, isDraft: true };
}

const mostDrafted = 50;
