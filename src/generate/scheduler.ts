// Schedules generation: finds sessions with due messages, runs one call at a time for each, and returns for retries.
import PQueue from "p-queue";
import type { Clock } from "../core/clock.ts";
import { failOpen, failOpenSync, MemError, toMemError } from "../core/errors.ts";
import { dueAt } from "./batching.ts";
import {
  type BatchDeps,
  type DraftDeps,
  draftBatch,
  type GenerationQueue,
  generateBatch,
  type QueuedBatch,
} from "./generate-batch.ts";
import type { Provider } from "./provider.ts";
import { createRetries } from "./retry.ts";

export interface Scheduler {
  /** The session has a new message, or ended. */
  notify(sessionId: number): void;
  /** Schedules what is due, now and every few seconds. */
  start(): void;
  /** Schedules what is due now: the queue or the provider's settings changed. */
  scheduleDue(): Promise<void>;
  /** Cancels the session's call and releases its messages. */
  cancel(sessionId: number): Promise<void>;
  /** Cancels all calls and releases their messages; resolves when nothing runs. */
  stop(): Promise<void>;
  lastSuccessAt(): number | null;
}

/** The queue of a single process. */
type ScheduledQueue<B extends QueuedBatch> = GenerationQueue<B> &
  DraftDeps<B>["queue"] & {
    /** Releases expired leases, except for `sessionsInWork`: a suspended machine's clock goes on without them. */
    reclaimExpired(now: number, sessionsInWork: readonly number[]): Promise<number>;
    sessionsDue(now: number): number[];
    /** Whether the session has messages that `undrafted` would return. */
    hasUndrafted(sessionId: number): boolean;
    nextDue(now: number): number | null;
  };

export interface SchedulerDeps<B extends QueuedBatch> extends BatchDeps<B> {
  queue: ScheduledQueue<B>;
  concurrency: Concurrency;
  /** Whether `local` writes the session's next messages instead of the model. */
  localWrites(sessionId: number): boolean;
  /** Resolves when intake is idle enough: capture goes before generation. */
  idle(): Promise<void>;
}

/** A slow call gives its place to another one, so that hanging calls do not hold up the rest. */
export interface Concurrency {
  calls: number;
  slowAfterMs: number;
  /** Concurrent calls, slow ones included. */
  most: number;
}

const sweepEveryMs = 5_000;

// Sessions beyond this are scheduled when half of these are done.
const maxScheduled = 256;

interface State<B extends QueuedBatch> {
  deps: SchedulerDeps<B>;
  tasks: PQueue;
  retries: ReturnType<typeof createRetries>;
  alarm: Alarm;
  /** Queued or running. */
  scheduled: Set<number>;
  /** Notified while they were scheduled. */
  again: Set<number>;
  /** Notified in this turn of the event loop. */
  notified: Set<number>;
  /** One session after the other: their records take milliseconds. */
  drafts: PQueue;
  /** Waiting for it. */
  drafting: Set<number>;
  ending: AbortController;
  scheduling: Promise<void>;
  isStopping: boolean;
  /** Due sessions were left out because `maxScheduled` was reached. */
  isFull: boolean;
  slowCalls: number;
  lastSuccessAt: number | null;
  /** Provisional records say nothing about the model. */
  onDrafted: SchedulerDeps<B>["onCompleted"];
}

export function createScheduler<B extends QueuedBatch>(deps: SchedulerDeps<B>): Scheduler {
  const { sessions, clock } = deps;
  const state: State<B> = {
    deps: {
      ...deps,
      onCompleted(made) {
        state.lastSuccessAt = clock.now();
        deps.onCompleted(made);
      },
    },
    tasks: new PQueue({ concurrency: deps.concurrency.calls }),
    retries: createRetries(),
    alarm: createAlarm(clock, () => void scheduleDue(state)),
    scheduled: new Set(),
    again: new Set(),
    notified: new Set(),
    drafts: new PQueue({ concurrency: 1 }),
    drafting: new Set(),
    ending: new AbortController(),
    scheduling: Promise.resolve(),
    isStopping: false,
    isFull: false,
    slowCalls: 0,
    lastSuccessAt: null,
    onDrafted: deps.onCompleted,
  };
  let sweep: NodeJS.Timeout | undefined;
  return {
    notify: (sessionId) => notify(state, sessionId),
    scheduleDue: () => scheduleDue(state),
    cancel: sessions.cancel,
    lastSuccessAt: () => state.lastSuccessAt,
    start() {
      void scheduleDue(state);
      sweep = setInterval(() => void scheduleDue(state), sweepEveryMs);
      sweep.unref();
    },
    async stop() {
      state.isStopping = true;
      clearInterval(sweep);
      state.alarm.stop();
      sessions.cancelAll();
      state.ending.abort(new MemError("cancelled"));
      await Promise.all([state.tasks.onIdle(), state.drafts.onIdle(), state.scheduling]);
    },
  };
}

function notify<B extends QueuedBatch>(state: State<B>, sessionId: number): void {
  const { scheduled, again, notified, isStopping } = state;
  if (isStopping) return;
  if (scheduled.has(sessionId)) again.add(sessionId);
  // Once per turn of the event loop: a burst of messages costs one query. What fails is found by the next sweep.
  if (notified.size === 0)
    setImmediate(() => {
      const sessionIds = [...notified];
      notified.clear();
      failOpenSync("looking for due messages", () => {
        for (const id of sessionIds) consider(state, id);
      });
    });
  notified.add(sessionId);
}

/** The call of a turn comes after its provisional records. */
function consider<B extends QueuedBatch>(state: State<B>, sessionId: number): void {
  const { local, localWrites, queue } = state.deps;
  if (state.isStopping) return;
  if (local !== null && !localWrites(sessionId) && queue.hasUndrafted(sessionId))
    draft(state, sessionId, local);
  else considerCall(state, sessionId);
}

/** Schedules the session when its messages are due for a call, or sets the alarm for that time. */
function considerCall<B extends QueuedBatch>(state: State<B>, sessionId: number): void {
  const { deps, scheduled, alarm, isStopping } = state;
  const now = deps.clock.now();
  if (isStopping || scheduled.has(sessionId)) return;
  const isLocal = deps.localWrites(sessionId);
  if (!isLocal && !deps.circuit.mayCall(now, sessionId)) return;
  const at = isLocal ? now : callDueAt(deps, sessionId, now);
  if (at === null) return;
  if (at > now) alarm.setFor(at);
  else if (scheduled.size >= maxScheduled) state.isFull = true;
  else {
    scheduled.add(sessionId);
    void failOpen("generation", () => state.tasks.add(() => workOn(state, sessionId)));
  }
}

function callDueAt<B extends QueuedBatch>(
  { queue, batching }: SchedulerDeps<B>,
  sessionId: number,
  now: number,
): number | null {
  if (batching.idleMs === null) return now;
  const waiting = queue.waiting(sessionId, now, batching.maxMessages);
  return waiting === null ? null : dueAt(waiting, batching, now);
}

/** Has the session's new messages written provisionally, also while a call of it runs. */
function draft<B extends QueuedBatch>(state: State<B>, sessionId: number, local: Provider): void {
  const { deps, drafting, drafts, ending } = state;
  if (drafting.has(sessionId)) return;
  drafting.add(sessionId);
  const work = async (): Promise<void> => {
    await deps.idle();
    drafting.delete(sessionId);
    const request = { sessionId, local, signal: ending.signal };
    await failOpen("provisional records", async () => {
      while (!state.isStopping && (await draftBatch({ ...deps, onCompleted: state.onDrafted }, request)));
    });
    considerCall(state, sessionId);
  };
  void failOpen("provisional records", () => drafts.add(work)).finally(() => drafting.delete(sessionId));
}

async function workOn<B extends QueuedBatch>(state: State<B>, sessionId: number): Promise<void> {
  const { deps, retries, scheduled, again } = state;
  again.delete(sessionId);
  const releasePlace = yieldPlaceWhenSlow(state);
  let more = false;
  let isProbe = false;
  try {
    await deps.idle();
    const isLocal = deps.localWrites(sessionId);
    const permit = isLocal || state.isStopping ? null : deps.circuit.admit(deps.clock.now(), sessionId);
    isProbe = permit?.isProbe === true;
    if (permit !== null || (isLocal && !state.isStopping))
      more = await generateBatch(deps, { sessionId, permit, retries });
  } catch (cause) {
    // The store refused (busy, full): the messages are unchanged, and the next sweep finds them.
    deps.onFailure(toMemError(cause).message, 0);
  }
  releasePlace();
  scheduled.delete(sessionId);
  if (state.isStopping) return;
  if (more || again.has(sessionId)) notify(state, sessionId);
  planNext(state, isProbe);
}

function yieldPlaceWhenSlow<B extends QueuedBatch>(state: State<B>): () => void {
  const { calls, most, slowAfterMs } = state.deps.concurrency;
  let isSlow = false;
  const count = (by: 1 | -1): void => {
    state.slowCalls += by;
    state.tasks.concurrency = Math.min(most, calls + state.slowCalls);
  };
  const timer = setTimeout(() => {
    isSlow = true;
    count(1);
  }, slowAfterMs);
  return () => {
    clearTimeout(timer);
    if (isSlow) count(-1);
  };
}

/** Makes sure that messages that wait for a time, a place or the provider are scheduled. */
function planNext<B extends QueuedBatch>(state: State<B>, wasProbe: boolean): void {
  const { deps, alarm, scheduled } = state;
  const now = deps.clock.now();
  const resumesAt = deps.circuit.resumesAt(now);
  if (resumesAt !== null) alarm.setFor(resumesAt);
  const retryAt = failOpenSync("looking for the next retry", () => deps.queue.nextDue(now)) ?? null;
  if (retryAt !== null) alarm.setFor(retryAt);
  const hasRoom = state.isFull && scheduled.size < maxScheduled / 2;
  if (hasRoom || (wasProbe && resumesAt === null)) void scheduleDue(state);
}

function scheduleDue<B extends QueuedBatch>(state: State<B>): Promise<void> {
  state.scheduling = state.scheduling.then(async () => {
    if (!state.isStopping) await failOpen("scheduling due messages", () => sweepDue(state));
  });
  return state.scheduling;
}

async function sweepDue<B extends QueuedBatch>(state: State<B>): Promise<void> {
  const { queue, clock, circuit } = state.deps;
  const now = clock.now();
  state.isFull = false;
  await queue.reclaimExpired(now, [...state.scheduled]);
  // After a failed probe another session is probed next: its messages may have been the cause.
  const due = queue.sessionsDue(now).map((id) => ({ id, suspicion: circuit.suspicion(id) }));
  for (const { id } of due.sort((a, b) => a.suspicion - b.suspicion)) consider(state, id);
}

type Alarm = ReturnType<typeof createAlarm>;

// Sessions become due one after the other: one ring schedules all that are due by then.
const shortestAlarmMs = 250;
// A clock that is put forward is noticed within this time.
const longestAlarmMs = 60_000;

/** One timer that rings at the earliest of its times. */
function createAlarm(clock: Clock, ring: () => void) {
  let timer: NodeJS.Timeout | undefined;
  let ringsAt = Number.POSITIVE_INFINITY;
  return {
    /** Rings at the epoch, or earlier. */
    setFor(at: number) {
      if (at >= ringsAt) return;
      ringsAt = at;
      clearTimeout(timer);
      const waitMs = Math.min(Math.max(at - clock.now() + 1, shortestAlarmMs), longestAlarmMs);
      timer = setTimeout(() => {
        ringsAt = Number.POSITIVE_INFINITY;
        ring();
      }, waitMs);
      timer.unref();
    },
    stop() {
      clearTimeout(timer);
      ringsAt = Number.NEGATIVE_INFINITY;
    },
  };
}
