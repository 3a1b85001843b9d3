// The generation loop: finds the sessions whose messages are due, asks the provider for one batch of each in turn, and
// comes back for what failed. One session is worked on by one task at a time.
import PQueue from "p-queue";
import { failOpen, failOpenSync, toMemError } from "../core/errors.ts";
import { createAlarm } from "./alarm.ts";
import { createBatchSizes } from "./batch-sizes.ts";
import { dueAt } from "./batching.ts";
import { type BatchDeps, generateBatch, type QueuedBatch } from "./generate-batch.ts";
import { createRetries } from "./retry.ts";

export interface GenerationLoop {
  /** Something waits for this session, or nothing more will come for it. */
  notify(sessionId: number): void;
  /** Takes up what is due in the store, now and every few seconds. */
  start(): void;
  /** Takes up what is due, now: the queue or the provider's settings were changed from outside. */
  takeUpDue(): Promise<void>;
  /** Breaks the session's running call off; its messages wait again. */
  cancel(sessionId: number): Promise<void>;
  /** Aborts what runs, gives claimed messages back, resolves when nothing is left running. */
  stop(): Promise<void>;
  lastSuccessAt(): number | null;
}

export interface GenerationLoopDeps<B extends QueuedBatch> extends BatchDeps<B> {
  concurrency: Concurrency;
  /** Resolves when intake is quiet enough to work; capture goes before generation. */
  quiet(): Promise<void>;
}

/** Calls at once. A call that is slow gives its place to another, so that hung ones do not hold up the rest. */
export interface Concurrency {
  calls: number;
  /** After this long a call is slow. */
  slowAfterMs: number;
  /** All calls together, slow ones included. */
  most: number;
}

const sweepEveryMs = 5_000;

// What waits behind these is found again when half of them are done.
const maxScheduled = 256;

export function createGenerationLoop<B extends QueuedBatch>(deps: GenerationLoopDeps<B>): GenerationLoop {
  const { queue, clock, flow, sessions, batching, concurrency } = deps;
  const tasks = new PQueue({ concurrency: concurrency.calls });
  const retries = createRetries();
  const sizes = createBatchSizes(batching.maxMessages);
  const alarm = createAlarm(clock, () => void takeUpDue());
  // Queued or running.
  const scheduled = new Set<number>();
  // Heard of while they were scheduled, or since the last turn of the event loop.
  const again = new Set<number>();
  const heardOf = new Set<number>();
  // Sessions whose messages wait for more to come, and until when.
  const gathering = new Map<number, number>();
  let taking: Promise<void> = Promise.resolve();
  let sweep: NodeJS.Timeout | undefined;
  let stopping = false;
  let leftBehind = false;
  let slowCalls = 0;
  let lastSuccessAt: number | null = null;

  function notify(sessionId: number): void {
    if (stopping) return;
    if (scheduled.has(sessionId)) {
      again.add(sessionId);
      return;
    }
    // Once a turn: a burst of messages costs one look.
    if (heardOf.size === 0) setImmediate(lookAtHeardOf);
    heardOf.add(sessionId);
  }

  function lookAtHeardOf(): void {
    const sessionIds = [...heardOf];
    heardOf.clear();
    // What cannot be asked now is found by the next sweep.
    failOpenSync("looking for due messages", () => sessionIds.forEach(look));
  }

  /** Schedules the session when its messages are due for a call, or sets the alarm for when they will be. */
  function look(sessionId: number): void {
    const now = clock.now();
    if (stopping || scheduled.has(sessionId) || !flow.mayAsk(now, sessionId)) return;
    const at = batching.wait === null ? now : dueOf(sessionId, now, batching.wait.enough);
    gathering.delete(sessionId);
    if (at === null) return;
    if (at <= now) schedule(sessionId);
    else {
      gathering.set(sessionId, at);
      alarm.setFor(at);
    }
  }

  function dueOf(sessionId: number, now: number, enough: number): number | null {
    const waiting = queue.waiting(sessionId, now, enough);
    if (waiting === null) return null;
    return dueAt(waiting, batching, { now, lastCallAt: sessions.get(sessionId)?.lastCallAt ?? null });
  }

  function schedule(sessionId: number): void {
    if (scheduled.size >= maxScheduled) {
      leftBehind = true;
      return;
    }
    scheduled.add(sessionId);
    void failOpen("generation", () => tasks.add(() => workOn(sessionId)));
  }

  async function workOn(sessionId: number): Promise<void> {
    again.delete(sessionId);
    const holdPlace = givePlaceWhenSlow();
    let more = false;
    let wasProbe = false;
    try {
      await deps.quiet();
      const pass = stopping ? null : flow.admit(clock.now(), sessionId);
      if (pass !== null) {
        wasProbe = pass.isProbe;
        more = await generateBatch(watched, { sessionId, pass, retries, sizes });
      }
    } catch (cause) {
      // The store refused (busy, full): the messages are where they were, the next sweep takes them up.
      deps.onFailure(toMemError(cause).message, 0);
    }
    holdPlace.end();
    scheduled.delete(sessionId);
    if (stopping) return;
    if (more || again.has(sessionId)) notify(sessionId);
    comeBack(wasProbe);
  }

  const watched: BatchDeps<B> = {
    ...deps,
    onCompleted(session, made) {
      lastSuccessAt = clock.now();
      deps.onCompleted(session, made);
    },
  };

  function givePlaceWhenSlow(): { end(): void } {
    let isSlow = false;
    const count = (by: 1 | -1): void => {
      slowCalls += by;
      tasks.concurrency = Math.min(concurrency.most, concurrency.calls + slowCalls);
    };
    const timer = setTimeout(() => {
      isSlow = true;
      count(1);
    }, concurrency.slowAfterMs);
    return {
      end() {
        clearTimeout(timer);
        if (isSlow) count(-1);
      },
    };
  }

  /** Makes sure that what waits for a time, a place or the provider is taken up. */
  function comeBack(wasProbe: boolean): void {
    const now = clock.now();
    const resumesAt = flow.resumesAt(now);
    if (resumesAt !== null) alarm.setFor(resumesAt);
    const retryAt = failOpenSync("looking for the next retry", () => queue.nextDue(now)) ?? null;
    if (retryAt !== null) alarm.setFor(retryAt);
    const hasRoom = leftBehind && scheduled.size < maxScheduled / 2;
    if (hasRoom || (wasProbe && resumesAt === null)) void takeUpDue();
  }

  function takeUpDue(): Promise<void> {
    taking = taking.then(async () => {
      if (!stopping) await failOpen("taking up due messages", takeUp);
    });
    return taking;
  }

  async function takeUp(): Promise<void> {
    const now = clock.now();
    leftBehind = false;
    sessions.releaseIdle();
    for (const [id, at] of gathering) if (at <= now) gathering.delete(id);
    await queue.reclaimExpired(now, [...scheduled]);
    const due = queue.sessionsDue(now).filter((id) => !(scheduled.has(id) || gathering.has(id)));
    // After a failed probe the next one is another session's, each in its turn: it may have been the messages.
    const least = due.map((id) => ({ id, suspicion: flow.suspicion(id) }));
    for (const { id } of least.sort((a, b) => a.suspicion - b.suspicion)) look(id);
    for (const at of gathering.values()) alarm.setFor(at);
  }

  return {
    notify,
    takeUpDue,
    cancel: sessions.cancel,
    lastSuccessAt: () => lastSuccessAt,
    start() {
      void takeUpDue();
      sweep = setInterval(() => void takeUpDue(), sweepEveryMs);
      sweep.unref();
    },
    async stop() {
      stopping = true;
      clearInterval(sweep);
      alarm.stop();
      sessions.cancelAll();
      await Promise.all([tasks.onIdle(), taking]);
      sessions.releaseAll();
    },
  };
}
