// Cleans large texts in a thread. It starts with the first one and ends when idle; if it breaks, this process cleans.
import { Worker } from "node:worker_threads";
import type { Json } from "../text/json.ts";
import {
  type CleanAnswer,
  type Cleaner,
  type CleanRequest,
  type CleanTask,
  cleanedBy,
  isLarge,
} from "./cleaner.ts";

interface ThreadCleanerDeps {
  /** Path of the thread's program. */
  script: string;
  warn(sentence: string): void;
  /** The thread ends after this time without work. */
  idleMs?: number;
}

export interface ThreadCleaner extends Cleaner {
  /** Undefined while no thread runs. */
  threadId(): number | undefined;
  /** Ends the thread. Its open work, and all later work, is done in this process. */
  close(): Promise<void>;
}

interface Waiting {
  task: CleanTask;
  resolve(cleaned: unknown): void;
  reject(cause: unknown): void;
}

// Requests are at most 5 MB; a value with one string per character takes 40 times as much memory.
const heapMb = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32 };

export function createThreadCleaner({ script, warn, idleMs = 60_000 }: ThreadCleanerDeps): ThreadCleaner {
  const state: State = { script, warn, idleMs, waiting: new Map(), calls: 0, closed: false };
  return {
    text: method(state, "text"),
    prompt: method(state, "prompt"),
    payload: method(state, "payload"),
    json: method(state, "json"),
    row: method(state, "row"),
    threadId: () => state.thread?.threadId,
    async close() {
      state.closed = true;
      await end(state);
      takeBack(state);
    },
  };
}

interface State extends Required<ThreadCleanerDeps> {
  waiting: Map<number, Waiting>;
  thread?: Worker | undefined;
  calls: number;
  idle?: NodeJS.Timeout;
  closed: boolean;
}

function method<As extends keyof Cleaner>(state: State, as: As): Cleaner[As] {
  const run = (value: Json, ...options: number[]): unknown => {
    const task = { as, given: [value, ...options] };
    return !state.closed && isLarge(value) ? inThread(state, task) : cleanedBy(task);
  };
  return run as Cleaner[As];
}

function inThread(state: State, task: CleanTask): Promise<unknown> {
  clearTimeout(state.idle);
  const call = ++state.calls;
  return new Promise((resolve, reject) => {
    const running = state.thread ?? start(state);
    running.ref();
    state.waiting.set(call, { task, resolve, reject });
    const message: CleanRequest = { call, task: JSON.stringify(task) };
    running.postMessage(message);
  });
}

function start(state: State): Worker {
  const started = new Worker(state.script, { env: {}, execArgv: [], resourceLimits: heapMb });
  started.on("message", (answer: CleanAnswer) => settle(state, answer));
  // A broken thread emits both, first the error with the reason.
  started.on("error", (cause) => lose(state, started, cause.message));
  started.on("exit", (code) => lose(state, started, `it ended with ${code}`));
  state.thread = started;
  return started;
}

function settle(state: State, { call, cleaned }: CleanAnswer): void {
  state.waiting.get(call)?.resolve(cleaned);
  state.waiting.delete(call);
  if (state.waiting.size > 0) return;
  state.thread?.unref();
  clearTimeout(state.idle);
  state.idle = setTimeout(() => void end(state), state.idleMs);
  state.idle.unref();
}

function lose(state: State, lost: Worker, why: string): void {
  if (state.thread !== lost) return;
  state.thread = undefined;
  state.warn(`The thread that cleans large events broke: ${why}. They are cleaned without it.`);
  takeBack(state);
}

// One task per turn of the event loop, so that other requests are answered in between.
function takeBack({ waiting }: State): void {
  const lost = [...waiting.values()];
  waiting.clear();
  for (const { task, resolve, reject } of lost) {
    setImmediate(() => {
      try {
        resolve(cleanedBy(task));
      } catch (cause) {
        reject(cause);
      }
    });
  }
}

async function end(state: State): Promise<void> {
  const ending = state.thread;
  state.thread = undefined;
  clearTimeout(state.idle);
  await ending?.terminate();
}
