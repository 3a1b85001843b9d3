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
  const waiting = new Map<number, Waiting>();
  let thread: Worker | undefined;
  let calls = 0;
  let idle: NodeJS.Timeout | undefined;
  let closed = false;

  function start(): Worker {
    const started = new Worker(script, { env: {}, execArgv: [], resourceLimits: heapMb });
    started.on("message", settle);
    // A broken thread emits both, first the error with the reason.
    started.on("error", (cause) => lose(started, cause.message));
    started.on("exit", (code) => lose(started, `it ended with ${code}`));
    thread = started;
    return started;
  }

  function settle({ call, cleaned }: CleanAnswer): void {
    waiting.get(call)?.resolve(cleaned);
    waiting.delete(call);
    if (waiting.size > 0) return;
    thread?.unref();
    clearTimeout(idle);
    idle = setTimeout(() => void end(), idleMs);
    idle.unref();
  }

  function lose(lost: Worker, why: string): void {
    if (thread !== lost) return;
    thread = undefined;
    warn(`The thread that cleans large events broke: ${why}. They are cleaned without it.`);
    takeBack();
  }

  // One task per turn of the event loop, so that other requests are answered in between.
  function takeBack(): void {
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

  async function end(): Promise<void> {
    const ending = thread;
    thread = undefined;
    clearTimeout(idle);
    await ending?.terminate();
  }

  function inThread(task: CleanTask): Promise<unknown> {
    clearTimeout(idle);
    const call = ++calls;
    return new Promise((resolve, reject) => {
      const running = thread ?? start();
      running.ref();
      waiting.set(call, { task, resolve, reject });
      const message: CleanRequest = { call, task: JSON.stringify(task) };
      running.postMessage(message);
    });
  }

  function method<As extends keyof Cleaner>(as: As): Cleaner[As] {
    const run = (value: Json, ...options: number[]): unknown => {
      const task = { as, given: [value, ...options] };
      return !closed && isLarge(value) ? inThread(task) : cleanedBy(task);
    };
    return run as Cleaner[As];
  }

  return {
    text: method("text"),
    prompt: method("prompt"),
    payload: method("payload"),
    json: method("json"),
    threadId: () => thread?.threadId,
    async close() {
      closed = true;
      await end();
      takeBack();
    },
  };
}
