// Events on their way to the worker: sent one after the other in the background, spooled when the worker is not there.
import { existsSync } from "node:fs";
import type { Clock } from "../../core/clock.ts";
import { failOpen, failOpenSync } from "../../core/errors.ts";
import type { JsonObject } from "../../text/json.ts";
import { type Failure, failureOf } from "../hook/connection.ts";
import { deadlineMs } from "../hook/deadlines.ts";
import { type SpoolRequest, spoolEvent } from "../hook/spool.ts";
import type { RunHook } from "./hook-process.ts";
import type { WorkerLink } from "./worker-link.ts";

export interface Outbox {
  /** Queues an event and returns: `make` is called when it is sent. Never throws. */
  send(event: string, make: () => JsonObject): void;
  /** Sends an event now, and resolves with the reply; empty when it could only be kept. Never throws. */
  ask(event: string, body: JsonObject): Promise<string>;
  /** Starts the worker if none runs. */
  wake(): void;
  /** Resolves when everything queued was sent or spooled. */
  settled(): Promise<void>;
  counts(): OutboxCounts;
}

export interface OutboxCounts {
  waiting: number;
  sent: number;
  spooled: number;
  dropped: number;
  /** Why the last event was not sent; null once one was. */
  failed: Failure | null;
}

interface OutboxDeps {
  host: string;
  link: Pick<WorkerLink, "post">;
  dataDir: string | null;
  runHook: RunHook;
  environment: NodeJS.ProcessEnv;
  clock: Clock;
  /** A line for the host's log. */
  warn(message: string): void;
}

interface Waiting {
  event: string;
  make: () => JsonObject;
}

// The worker stores an event in milliseconds: more waiting ones mean that it is slow, and the disk takes them.
const maxWaiting = 500;
const startEveryMs = 30_000;

export function createOutbox(deps: OutboxDeps): Outbox {
  const { link, environment, warn } = deps;
  const waiting: Waiting[] = [];
  const counts = { sent: 0, spooled: 0, dropped: 0 };
  const keep = createKeeper(deps, counts);
  let failed: Failure | null = null;
  let running: Promise<void> = Promise.resolve();
  let isRunning = false;

  async function run(): Promise<void> {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const each = next;
      await failOpen("send an event", () => deliver(each));
    }
    isRunning = false;
  }

  async function deliver({ event, make }: Waiting): Promise<string> {
    const payload = Buffer.from(JSON.stringify(make()));
    try {
      const reply = await link.post(event, payload, deadlineMs(event, environment));
      counts.sent += 1;
      failed = null;
      if (event === sessionStart && reply !== "") warn(reply);
      return reply;
    } catch (cause) {
      const failure = failureOf(cause);
      if (failed === null) warn(`an event was not delivered (${failure})`);
      failed = failure;
      keep(event, payload, failure);
      return "";
    }
  }

  function send(event: string, make: () => JsonObject): void {
    if (waiting.length >= maxWaiting) {
      failOpenSync("keep an event", () => keep(event, Buffer.from(JSON.stringify(make())), "hung"));
      return;
    }
    waiting.push({ event, make });
    if (isRunning) return;
    isRunning = true;
    // In a later turn of the event loop: the caller is not to wait for a connection to be made.
    running = new Promise((resolve) => setImmediate(resolve)).then(run);
  }

  return {
    send,
    ask: async (event, body) =>
      (await failOpen("send an event", () => deliver({ event, make: () => body }))) ?? "",
    wake: () => send(sessionStart, () => ({})),
    settled: () => running,
    counts: () => ({ waiting: waiting.length, ...counts, failed }),
  };
}

/** Keeps an event that was not delivered, and starts or replaces the worker. */
function createKeeper(
  { host, dataDir, runHook, clock }: OutboxDeps,
  counts: Record<"spooled" | "dropped", number>,
) {
  let startedAtMs = Number.NEGATIVE_INFINITY;
  return (event: string, payload: Buffer, failure: Failure): void => {
    if (startsWorker.has(failure) && clock.monotonicMs() - startedAtMs >= startEveryMs) {
      const isStarted = runHook({ event: sessionStart, failed: failure }, Buffer.from("{}"));
      if (isStarted) startedAtMs = clock.monotonicMs();
    }
    if (event === sessionStart) return;
    // The worker refused the event itself: it would refuse it from the spool too, which shortens a large one.
    const isRefused = failure === "exposed" || /^status-4(?!08|13|29)/.test(failure);
    // The hook spools the event too, and replaces a worker that stays hung.
    const isKept =
      !isRefused &&
      ((failure === "timeout" && runHook({ event, failed: failure }, payload)) ||
        spool({ host, event, payload }, dataDir));
    counts[isKept ? "spooled" : "dropped"] += 1;
  };
}

// Without a data directory mem was never used here, and no worker reads a spool.
function spool(event: Omit<SpoolRequest, "dataDir">, dataDir: string | null): boolean {
  if (dataDir === null || !existsSync(dataDir)) return false;
  const spooled = failOpenSync("spool an event", () => {
    spoolEvent({ ...event, dataDir });
    return true;
  });
  return spooled === true;
}

const sessionStart = "session-start";
const startsWorker: ReadonlySet<Failure> = new Set(["absent", "unreachable", "stranger"]);
