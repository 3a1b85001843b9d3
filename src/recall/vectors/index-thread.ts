// The worker's client of the vector index thread: starts it on demand and restarts it after a failure.
import { Worker } from "node:worker_threads";
import type { Clock } from "../../core/clock.ts";
import type { NearestRequest, NearHit } from "./vector-index.ts";

/** The index cannot answer now. The message is for users. */
export class IndexUnavailable extends Error {}

/** Given to the thread when it starts. */
export interface ThreadData {
  databasePath: string;
}

/** To the thread; the answer has the same number. */
export interface ThreadRequest {
  call: number;
  nearest: NearestRequest;
}

export type ThreadAnswer = { call: number; hits: NearHit[] } | { call: number; failed: string };

interface IndexThreadDeps {
  /** The thread's script. */
  script: string;
  databasePath: string;
  clock: Clock;
  /** Deadline of an answer, also while all vectors are read the first time. */
  deadlineMs?: number;
  /** After this long without a search the thread ends and frees its memory. */
  idleMs?: number;
  /** The first pause after a failure; it doubles. */
  restartMs?: number;
}

export type IndexThread = ReturnType<typeof createIndexThread>;

interface Waiting {
  resolve(hits: NearHit[]): void;
  reject(cause: IndexUnavailable): void;
  timer: NodeJS.Timeout;
}

const longestPauseMs = 60_000;
// The index is typed arrays, so the thread needs little heap.
const heapMb = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 4 };

export function createIndexThread(deps: IndexThreadDeps) {
  const state: State = {
    ...{ deadlineMs: 2_000, idleMs: 10 * 60_000, restartMs: 1_000, ...deps },
    ...{ waiting: new Map(), calls: 0, breaks: 0, closed: false },
  };
  return {
    /** Whether the thread runs. */
    running: () => state.thread !== undefined,
    /** Throws `IndexUnavailable`. */
    async nearest(request: NearestRequest): Promise<NearHit[]> {
      const why = whyUnavailable(state);
      if (why !== undefined) throw new IndexUnavailable(why);
      return ask(state, request);
    },
    async close() {
      state.closed = true;
      rejectAll(state, "the worker is stopping");
      await end(state);
    },
  };
}

interface State extends Required<IndexThreadDeps> {
  waiting: Map<number, Waiting>;
  thread?: Worker | undefined;
  calls: number;
  /** Failures since the last answer. */
  breaks: number;
  broken?: { why: string; until: number };
  idle?: NodeJS.Timeout;
  closed: boolean;
}

function whyUnavailable({ closed, thread, broken, clock }: State): string | undefined {
  if (closed) return "the worker is stopping";
  if (thread !== undefined || broken === undefined) return undefined;
  const wait = broken.until - clock.monotonicMs();
  if (wait <= 0) return undefined;
  return `the index of vectors broke: ${broken.why}; it starts again in ${Math.ceil(wait / 1_000)} s`;
}

function ask(state: State, nearest: NearestRequest): Promise<NearHit[]> {
  const { waiting, deadlineMs } = state;
  const thread = state.thread ?? start(state);
  keepAwake(state);
  const call = ++state.calls;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      waiting.delete(call);
      reject(new IndexUnavailable("the index of vectors is still being read, or is too busy"));
    }, deadlineMs);
    waiting.set(call, { resolve, reject, timer });
    const message: ThreadRequest = { call, nearest };
    thread.postMessage(message);
  });
}

function start(state: State): Worker {
  const workerData: ThreadData = { databasePath: state.databasePath };
  const started = new Worker(state.script, { workerData, env: {}, execArgv: [], resourceLimits: heapMb });
  started.unref();
  started.on("message", (answer: ThreadAnswer) => settle(state, answer));
  // After a failure both are emitted, the error with the reason first.
  started.on("error", (cause) => lose(state, started, cause.message));
  started.on("exit", (code) => lose(state, started, `it ended with ${code}`));
  state.thread = started;
  return started;
}

function keepAwake(state: State): void {
  clearTimeout(state.idle);
  state.idle = setTimeout(
    () => void (state.waiting.size === 0 ? end(state) : keepAwake(state)),
    state.idleMs,
  );
  state.idle.unref();
}

function settle(state: State, answer: ThreadAnswer): void {
  const call = state.waiting.get(answer.call);
  if (call === undefined) return;
  state.waiting.delete(answer.call);
  clearTimeout(call.timer);
  state.breaks = 0;
  if ("failed" in answer) call.reject(new IndexUnavailable(answer.failed));
  else call.resolve(answer.hits);
}

function lose(state: State, lost: Worker, why: string): void {
  if (state.thread !== lost) return;
  state.thread = undefined;
  if (!state.closed) {
    const pauseMs = Math.min(longestPauseMs, state.restartMs * 2 ** state.breaks);
    state.breaks += 1;
    state.broken = { why, until: state.clock.monotonicMs() + pauseMs };
  }
  rejectAll(state, `the index of vectors broke: ${why}`);
}

function rejectAll({ waiting }: State, why: string): void {
  for (const { reject, timer } of waiting.values()) {
    clearTimeout(timer);
    reject(new IndexUnavailable(why));
  }
  waiting.clear();
}

async function end(state: State): Promise<void> {
  const ending = state.thread;
  state.thread = undefined;
  clearTimeout(state.idle);
  await ending?.terminate();
}
