// The thread that cleans large texts: the first one starts it, it ends when idle, and what it loses is cleaned here.
import { Worker } from "node:worker_threads";
import type { Clean, CleanPrompt } from "../privacy/clean.ts";
import type { Json, JsonObject } from "../text/json.ts";
import { type CleanAnswer, type CleanRequest, type CleanTask, cleanedBy } from "./clean-task.ts";
import { type Cleaner, cleanHere, isLarge } from "./cleaner.ts";

interface ThreadCleanerDeps {
  /** What runs in the thread. */
  script: string;
  warn(sentence: string): void;
  /** Without work for this long, the thread ends and gives its memory back. */
  idleMs?: number;
}

export interface ThreadCleaner extends Cleaner {
  /** Of the thread while it runs. */
  threadId(): number | undefined;
  /** Ends the thread. What it still works on is cleaned in this process, as is everything after. */
  close(): Promise<void>;
}

interface Waiting {
  task: CleanTask;
  resolve(cleaned: unknown): void;
  reject(cause: unknown): void;
}

// The largest request is 5 MB; of a value with a string for every character the strings take 40 times as much.
const heapMb = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32 };

export function createThreadCleaner({ script, warn, idleMs = 60_000 }: ThreadCleanerDeps): ThreadCleaner {
  const waiting = new Map<number, Waiting>();
  let thread: Worker | undefined;
  let calls = 0;
  let idle: NodeJS.Timeout | undefined;
  let closed = false;

  function start(): Worker {
    const started = new Worker(script, { env: {}, execArgv: [], resourceLimits: heapMb });
    started.on("message", (answer: CleanAnswer) => settle(answer));
    // Both come after a break, the error first: it says why.
    started.on("error", (cause) => lose(started, cause.message));
    started.on("exit", (code) => lose(started, `it ended with ${code}`));
    thread = started;
    return started;
  }

  function settle({ call, cleaned }: CleanAnswer): void {
    const waited = waiting.get(call);
    waiting.delete(call);
    waited?.resolve(cleaned);
    if (waiting.size === 0) rest();
  }

  function rest(): void {
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

  // One in each turn of the event loop: others are answered in between.
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

  function inThread<T>(task: CleanTask): Promise<T> {
    clearTimeout(idle);
    const call = ++calls;
    return new Promise((resolve, reject) => {
      const asked = thread ?? start();
      asked.ref();
      waiting.set(call, { task, resolve: (cleaned) => resolve(cleaned as T), reject });
      const message: CleanRequest = { call, task: JSON.stringify(task) };
      asked.postMessage(message);
    });
  }

  const isForThread = (value: Json): boolean => !closed && isLarge(value);
  return {
    text: (value) =>
      isForThread(value) ? inThread<Clean<string>>({ as: "text", value }) : cleanHere.text(value),
    prompt: (value) =>
      isForThread(value) ? inThread<CleanPrompt>({ as: "prompt", value }) : cleanHere.prompt(value),
    payload: (value) =>
      isForThread(value) ? inThread<Clean<JsonObject>>({ as: "payload", value }) : cleanHere.payload(value),
    json: (value, maxChars) =>
      isForThread(value) ? inThread<Json>({ as: "json", value, maxChars }) : cleanHere.json(value, maxChars),
    threadId: () => thread?.threadId,
    async close() {
      closed = true;
      await end();
      takeBack();
    },
  };
}
