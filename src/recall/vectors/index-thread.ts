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

export interface IndexThread {
  /** Throws `IndexUnavailable`. */
  nearest(request: NearestRequest): Promise<NearHit[]>;
  /** Whether the thread runs. */
  running(): boolean;
  close(): Promise<void>;
}

interface Waiting {
  resolve(hits: NearHit[]): void;
  reject(cause: IndexUnavailable): void;
  timer: NodeJS.Timeout;
}

const longestPauseMs = 60_000;
// The index is typed arrays, so the thread needs little heap.
const heapMb = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 4 };

export function createIndexThread({
  script,
  databasePath,
  clock,
  deadlineMs = 2_000,
  idleMs = 10 * 60_000,
  restartMs = 1_000,
}: IndexThreadDeps): IndexThread {
  const waiting = new Map<number, Waiting>();
  let thread: Worker | undefined;
  let calls = 0;
  let breaks = 0;
  let broken: { why: string; until: number } | undefined;
  let idle: NodeJS.Timeout | undefined;
  let closed = false;

  function start(): Worker {
    const workerData: ThreadData = { databasePath };
    const started = new Worker(script, { workerData, env: {}, execArgv: [], resourceLimits: heapMb });
    started.unref();
    started.on("message", (answer: ThreadAnswer) => settle(answer));
    // After a failure both are emitted, the error with the reason first.
    started.on("error", (cause) => lose(started, cause.message));
    started.on("exit", (code) => lose(started, `it ended with ${code}`));
    thread = started;
    return started;
  }

  function settle(answer: ThreadAnswer): void {
    const call = waiting.get(answer.call);
    if (call === undefined) return;
    waiting.delete(answer.call);
    clearTimeout(call.timer);
    breaks = 0;
    if ("failed" in answer) call.reject(new IndexUnavailable(answer.failed));
    else call.resolve(answer.hits);
  }

  function lose(lost: Worker, why: string): void {
    if (thread !== lost) return;
    thread = undefined;
    if (!closed) {
      const pauseMs = Math.min(longestPauseMs, restartMs * 2 ** breaks);
      breaks += 1;
      broken = { why, until: clock.monotonicMs() + pauseMs };
    }
    rejectAll(`the index of vectors broke: ${why}`);
  }

  function rejectAll(why: string): void {
    for (const { reject, timer } of waiting.values()) {
      clearTimeout(timer);
      reject(new IndexUnavailable(why));
    }
    waiting.clear();
  }

  async function end(): Promise<void> {
    const ending = thread;
    thread = undefined;
    clearTimeout(idle);
    await ending?.terminate();
  }

  function keepAwake(): void {
    clearTimeout(idle);
    idle = setTimeout(() => void (waiting.size === 0 ? end() : keepAwake()), idleMs);
    idle.unref();
  }

  return {
    running: () => thread !== undefined,
    nearest(request) {
      if (closed) return Promise.reject(new IndexUnavailable("the worker is stopping"));
      const wait = (broken?.until ?? 0) - clock.monotonicMs();
      if (thread === undefined && broken !== undefined && wait > 0) {
        const seconds = Math.ceil(wait / 1_000);
        const why = `the index of vectors broke: ${broken.why}; it starts again in ${seconds} s`;
        return Promise.reject(new IndexUnavailable(why));
      }
      const asked = thread ?? start();
      keepAwake();
      const call = ++calls;
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(call);
          reject(new IndexUnavailable("the index of vectors is still being read, or is too busy"));
        }, deadlineMs);
        waiting.set(call, { resolve, reject, timer });
        const message: ThreadRequest = { call, nearest: request };
        asked.postMessage(message);
      });
    },
    async close() {
      closed = true;
      rejectAll("the worker is stopping");
      await end();
    },
  };
}
