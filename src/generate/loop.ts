// The generation loop: takes due messages session by session, asks the provider, stores what it says, and tries again
// what failed. One session is worked on by one task at a time; sessions take turns.
import PQueue from "p-queue";
import type { Clock } from "../clock.ts";
import type { ClaimedMessage } from "../domain/messages.ts";
import type { Observation, SessionSummary } from "../domain/records.ts";
import { failOpen, failOpenSync, toMemError } from "../errors.ts";
import type { GenerationBatch, GenerationReply, Provider } from "./provider.ts";
import { maxClaims, maxFailures, retryDelayMs } from "./retry.ts";

/** The port of the loop; the SQLite store's generation queue fits it. */
export interface GenerationQueue<B extends GenerationBatch = GenerationBatch> {
  claim(sessionId: number, request: { now: number; leaseMs: number; limit: number }): Promise<B | null>;
  complete(
    batch: B,
    reply: GenerationReply,
  ): Promise<{ observations: Observation[]; summaries: SessionSummary[] }>;
  release(messages: readonly ClaimedMessage[], release: Release): Promise<void>;
  /** Leases of the sessions in work are left alone: a suspended machine's clock has run on without them. */
  reclaimExpired(now: number, sessionsInWork: readonly number[]): Promise<number>;
  sessionsDue(now: number): number[];
  nextDue(now: number): number | null;
}

type Release =
  | { kind: "retry"; at: number; error: string }
  | { kind: "dead"; error: string }
  | { kind: "give_back" };

export interface GenerationLoop {
  /** Something waits for this session. */
  notify(sessionId: number): void;
  /** Takes up what is due in the store, now and every few seconds. */
  start(): void;
  /** Aborts what runs, gives claimed messages back, resolves when nothing is left running. */
  stop(): Promise<void>;
  lastSuccessAt(): number | null;
}

export interface GenerationLoopDeps<B extends GenerationBatch> {
  queue: GenerationQueue<B>;
  provider: Provider;
  clock: Clock;
  concurrency: number;
  /** Messages in one call at most. */
  batchLimit: number;
  /** Deadline of one provider call, and the length of a lease. */
  timeoutMs: number;
  /** Resolves when intake is quiet enough to work; capture goes before generation. */
  quiet(): Promise<void>;
  onCompleted(
    session: B["session"],
    made: { observations: Observation[]; summaries: SessionSummary[] },
  ): void;
  /** A batch failed: for the log. The error is redacted. */
  onFailure(error: string, messages: number): void;
}

const sweepEveryMs = 5_000;

export function createGenerationLoop<B extends GenerationBatch>(deps: GenerationLoopDeps<B>): GenerationLoop {
  const { queue, clock } = deps;
  const tasks = new PQueue({ concurrency: deps.concurrency });
  const scheduled = new Set<number>();
  const again = new Set<number>();
  const stopping = new AbortController();
  let sweep: NodeJS.Timeout | undefined;
  let wake: NodeJS.Timeout | undefined;
  let lastSuccessAt: number | null = null;

  function notify(sessionId: number): void {
    if (stopping.signal.aborted) return;
    if (scheduled.has(sessionId)) {
      again.add(sessionId);
      return;
    }
    scheduled.add(sessionId);
    void failOpen("generation", () => tasks.add(() => workOn(sessionId)));
  }

  async function workOn(sessionId: number): Promise<void> {
    again.delete(sessionId);
    let more = false;
    try {
      await deps.quiet();
      if (!stopping.signal.aborted)
        more = await runBatch(deps, sessionId, { stopping: stopping.signal, succeeded });
    } catch (cause) {
      // The store refused (busy, full): the messages are where they were, the next sweep takes them up.
      deps.onFailure(toMemError(cause).message, 0);
    }
    scheduled.delete(sessionId);
    if (more || again.has(sessionId)) notify(sessionId);
    else wakeForRetries();
  }

  function succeeded(): void {
    lastSuccessAt = clock.now();
  }

  async function takeUpDue(): Promise<void> {
    if (stopping.signal.aborted) return;
    await failOpen("taking up due messages", async () => {
      await queue.reclaimExpired(clock.now(), [...scheduled]);
      for (const sessionId of queue.sessionsDue(clock.now())) notify(sessionId);
    });
  }

  function wakeForRetries(): void {
    if (stopping.signal.aborted) return;
    // What cannot be asked now is found by the next sweep.
    const due = failOpenSync("looking for the next retry", () => queue.nextDue(clock.now())) ?? null;
    if (due === null) return;
    clearTimeout(wake);
    wake = setTimeout(() => void takeUpDue(), Math.min(due - clock.now(), 60_000) + 1);
    wake.unref();
  }

  return {
    notify,
    lastSuccessAt: () => lastSuccessAt,
    start() {
      void takeUpDue();
      sweep = setInterval(() => void takeUpDue(), sweepEveryMs);
      sweep.unref();
    },
    async stop() {
      stopping.abort();
      clearInterval(sweep);
      clearTimeout(wake);
      await tasks.onIdle();
    },
  };
}

/** Claims and finishes one batch; true when more may wait. */
async function runBatch<B extends GenerationBatch>(
  deps: GenerationLoopDeps<B>,
  sessionId: number,
  { stopping, succeeded }: { stopping: AbortSignal; succeeded: () => void },
): Promise<boolean> {
  const { queue, provider, clock } = deps;
  const claim = { now: clock.now(), leaseMs: deps.timeoutMs, limit: deps.batchLimit };
  const batch = await queue.claim(sessionId, claim);
  if (batch === null) return false;
  const [first] = batch.messages;
  if (first !== undefined && first.attempts >= maxClaims) {
    await queue.release(batch.messages, {
      kind: "dead",
      error: `the worker died ${first.attempts} times on it`,
    });
    return true;
  }
  try {
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(deps.timeoutMs)]);
    const reply = await beforeAbort(provider.generate(batch, signal), signal);
    const made = await queue.complete(batch, reply);
    succeeded();
    deps.onCompleted(batch.session, made);
    return true;
  } catch (cause) {
    if (stopping.aborted) {
      await queue.release(batch.messages, { kind: "give_back" });
      return false;
    }
    const error = toMemError(cause);
    deps.onFailure(error.message, batch.messages.length);
    await Promise.all(batch.messages.map((message) => releaseFailed(deps, message, error.message)));
    return true;
  }
}

/** The answer, or the reason of the abort when that comes first: a provider that is deaf to it must not hold the loop. */
function beforeAbort<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    answer.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

function releaseFailed<B extends GenerationBatch>(
  { queue, clock }: GenerationLoopDeps<B>,
  message: ClaimedMessage,
  error: string,
): Promise<void> {
  const tries = message.failures + 1;
  if (tries >= maxFailures) return queue.release([message], { kind: "dead", error });
  return queue.release([message], { kind: "retry", at: clock.now() + retryDelayMs(tries), error });
}
