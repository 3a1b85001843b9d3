// Runs the tasks of teams from the database's queue, restarts the queue's runner when it ends, and sweeps expired leases.
import { setTimeout as delay } from "node:timers/promises";
import { Logger, type Runner, run } from "graphile-worker";
import * as z from "zod";
import { failOpen, MemError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import { maxClaims } from "../../generate/retry.ts";
import { sweepJobs } from "../../store/postgres/job-leases.ts";
import type { Database } from "../../store/postgres/open.ts";
import { openQueuePool } from "../../store/postgres/open.ts";
import { toStorageError } from "../../store/postgres/storage-error.ts";

interface TaskRunnerDeps {
  database: Pick<Database, "system" | "owner">;
  concurrency: number;
  leaseMs: number;
  log: Log;
  /** Runs the task of a team. */
  run(team_id: string): Promise<void>;
}

// The jobs of a dead process are queued again when its lease (45 s) has expired and a sweep has seen it.
const sweepEveryMs = 5_000;
// A runner whose database is away waits seconds and minutes between its tries: stopping does not wait for it.
const runnerEndMs = 5_000;
const brokenRunnerEndMs = 500;

export function createTaskRunner({ database, leaseMs, log, ...deps }: TaskRunnerDeps) {
  const pool = openQueuePool(database.owner);
  let runner: Runner | null = null;
  // Settles when the newest runner has released its connections, also when it ends by itself.
  let ended: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let sweeping: Promise<unknown> | null = null;
  let isStopping = false;

  // One at a time: a slow start, with the database away, must not leave a second runner behind.
  function sweep(): void {
    sweeping ??= failOpen("sweeping jobs", async () => {
      runner ??= await startRunner();
      const freed = await sweepJobs(database.system, maxClaims);
      if (freed > 0) log.warn({ freed }, "jobs of ended processes are queued again");
    }).finally(() => (sweeping = null));
  }

  async function startRunner(): Promise<Runner> {
    const started = await run(optionsOf({ ...deps, pool, warn: warnOf })).catch((cause: unknown) => {
      throw toStorageError(cause);
    });
    const restart = (cause?: unknown): void => {
      if (runner !== started || isStopping) return;
      const why = cause === undefined ? {} : { err: toStorageError(cause) };
      log.error(why, "the queue's runner ended; it is started again");
      runner = null;
    };
    ended = started.promise.then(() => restart(), restart);
    return started;
  }

  function warnOf(message: string): void {
    if (!isStopping) log.warn({ err: new MemError("storage_failed", { message }) }, "the queue");
  }

  async function endRunner(): Promise<void> {
    // `stop` rejects when the runner is ending by itself.
    const broken = () => Promise.race([ended, delay(brokenRunnerEndMs, undefined, { ref: false })]);
    await Promise.race([runner?.stop().catch(broken), delay(runnerEndMs, undefined, { ref: false })]);
  }

  return {
    async start() {
      sweep();
      await sweeping;
      timer = setInterval(sweep, Math.min(sweepEveryMs, leaseMs / 2));
    },
    /** Calls `onStopping` once no new task begins; resolves when the tasks have ended. */
    async stop(onStopping: () => void) {
      isStopping = true;
      clearInterval(timer);
      await sweeping;
      onStopping();
      await endRunner();
      await pool.end();
    },
  };
}

function optionsOf({
  pool,
  concurrency,
  run: runTask,
  warn,
}: Pick<TaskRunnerDeps, "concurrency" | "run"> & {
  pool: ReturnType<typeof openQueuePool>;
  warn(message: string): void;
}): Parameters<typeof run>[0] {
  return {
    pgPool: pool,
    concurrency,
    pollInterval: 1_000,
    noHandleSignals: true,
    taskList: {
      // A task throws when the store refuses: its jobs wait, and the sweep requests another task.
      turn: async (payload) => {
        await failOpen("a team's task", () => runTask(taskPayload.parse(payload).team_id));
      },
    },
    parsedCronItems: [],
    // With a delay the library completes jobs in a promise that is not awaited: a lost connection would end the process.
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    logger: new Logger(() => (level, message) => {
      if (level === "error") warn(message);
    }),
  };
}

const taskPayload = z.object({ team_id: z.string() });
