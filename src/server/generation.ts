// The generating side of the hosted server: teams take turns, a turn is one batch of one session, or project, under a lease.
import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { Logger, type Runner, run } from "graphile-worker";
import * as z from "zod";
import type { Clock } from "../core/clock.ts";
import { failOpen, MemError } from "../core/errors.ts";
import { newId } from "../core/ids.ts";
import type { Log } from "../core/log.ts";
import { createActiveSessions } from "../generate/active-sessions.ts";
import { createBatchSizes } from "../generate/batch-sizes.ts";
import { localBatching, modelBatching } from "../generate/batching.ts";
import { createFlow, type Pass } from "../generate/flow.ts";
import { generateBatch } from "../generate/generate-batch.ts";
import { createRetries, maxClaims } from "../generate/retry.ts";
import type { Environment } from "../settings/environment.ts";
import type { LoadedSettings } from "../settings/load.ts";
import type { ServerSettings } from "../settings/server.ts";
import { requestTurn, sweepJobs, type TeamWork, teamWork } from "../store/postgres/job-leases.ts";
import type { Database } from "../store/postgres/open.ts";
import { openQueuePool } from "../store/postgres/queue-pool.ts";
import { toStorageError } from "../store/postgres/storage-error.ts";
import { createHostedProvider } from "./hosted-provider.ts";
import { type ChosenJobs, createJobChoice } from "./job-choice.ts";
import { loggedFailure } from "./job-failures.ts";
import { createJobQueue } from "./job-queue.ts";
import type { GenerationWatch } from "./metrics.ts";

export interface HostedGenerationDeps {
  database: Database;
  settings: LoadedSettings;
  server: ServerSettings;
  env: Environment;
  log: Log;
  clock: Clock;
  /** Left out where nobody measures. */
  watch?: GenerationWatch | undefined;
}

export interface HostedGeneration {
  start(): Promise<void>;
  /** Breaks calls off, gives their jobs back, resolves when nothing is left running. */
  stop(): Promise<void>;
}

// A dead worker's jobs are free again when its lease has run out and a sweep has seen it: 45 s and 5 s.
const sweepEveryMs = 5_000;
// What a paused provider or a full team waits at most before it is looked at again.
const longestWaitMs = 60_000;
const fullTeamWaitMs = 500;
// A runner whose database is away sleeps for seconds and minutes between its tries: it is not waited for.
const runnerEndMs = 5_000;
const brokenRunnerEndMs = 500;

export function createHostedGeneration(deps: HostedGenerationDeps): HostedGeneration {
  const { database, server, log, clock } = deps;
  const { app, system } = database;
  const sessions = createActiveSessions({ clock });
  const leaseMs = server.get("MEM_GENERATION_LEASE_SECONDS") * 1_000;
  const queue = createJobQueue({
    app,
    system,
    clock,
    leaseMs,
    worker: `${hostname()}:${process.pid}:${newId().slice(0, 8)}`,
    onLost: (group) => void failOpen("ending a lost call", () => sessions.cancel(group)),
  });
  const { provider, isModel, timeoutMs, close } = createHostedProvider({ ...deps, scopeOf: queue.scopeOf });
  const flow = createFlow({
    onChange: ({ state, reason }) => log.info({ state, reason: reason?.kind }, "the provider's gate"),
  });
  const batching = isModel ? modelBatching : localBatching;
  const retries = createRetries();
  const sizes = createBatchSizes(batching.maxMessages);
  const concurrency = server.get("MEM_GENERATION_CONCURRENCY");
  // One place is always left for another team: whose calls hang holds up nobody else.
  const mostOfTeam = Math.max(1, concurrency - 1);
  const inWork = new Map<string, number>();
  const choice = createJobChoice(batching, (group) => sessions.get(group)?.lastCallAt ?? null);
  const queuePool = openQueuePool(database.owner);
  let runner: Runner | null = null;
  // Settles when the newest runner has let go of its connections, also one that ends by itself.
  let ran: Promise<unknown> = Promise.resolve();
  let sweep: NodeJS.Timeout | undefined;
  let sweeping: Promise<unknown> = Promise.resolve();
  let isSweeping = false;
  let stopping = false;

  const batchDeps = {
    queue,
    provider,
    flow,
    sessions,
    batching,
    clock,
    timeoutMs,
    onCompleted: () => deps.watch?.worked("completed"),
    onFailure,
  };

  async function turn(team_id: string): Promise<void> {
    if (stopping) return requestTurn(system, team_id);
    if ((inWork.get(team_id) ?? 0) >= mostOfTeam) {
      return requestTurn(system, team_id, clock.now() + fullTeamWaitMs);
    }
    // Taken before anything is waited for: two turns of a team may begin in the same moment.
    inWork.set(team_id, (inWork.get(team_id) ?? 0) + 1);
    try {
      await workFor(team_id);
    } finally {
      const left = (inWork.get(team_id) ?? 1) - 1;
      if (left > 0) inWork.set(team_id, left);
      else inWork.delete(team_id);
    }
  }

  async function workFor(team_id: string): Promise<void> {
    const work = await teamWork(app, team_id);
    const chosen = choice.choose(team_id, work);
    if ("wait" in chosen) {
      if (chosen.wait !== null) await requestTurn(system, team_id, clock.now() + chosen.wait);
      return;
    }
    const pass = flow.admit(clock.now(), chosen.group);
    if (pass === null) {
      chosen.done();
      const resumes = flow.resumesAt(clock.now()) ?? clock.now();
      const at = Math.min(Math.max(resumes, clock.now() + 1_000), clock.now() + longestWaitMs);
      return requestTurn(system, team_id, at);
    }
    let isWantedAgain = false;
    try {
      await workOn(team_id, work, { chosen, pass });
    } finally {
      // Where the store refused before the call: a probe that never ends would keep the gate closed.
      pass.returned(clock.now());
      isWantedAgain = chosen.done();
    }
    // What came in the meantime has no turn of its own, nor has a summary that waits for the end of these events: it may
    // have come while they were worked on, and its own turn, here or in another process, found it not due.
    const { session_id, has_summary, count } = chosen.jobs;
    const mayLeaveMore = session_id === null ? count > 1 : !has_summary;
    if (isWantedAgain || mayLeaveMore) await requestTurn(system, team_id);
  }

  async function workOn(
    team_id: string,
    { waiting, next_at }: TeamWork,
    { chosen, pass }: { chosen: ChosenJobs; pass: Pass },
  ): Promise<void> {
    const { group, jobs } = chosen;
    queue.intend(team_id, chosen);
    // The next turn stands behind those of the other teams that wait already.
    const most = jobs.session_id !== null && jobs.has_summary ? 1 : sizes.of(group);
    const hasMore = waiting.length > 1 || jobs.count > most || next_at !== null;
    if (hasMore) await requestTurn(system, team_id);
    await generateBatch(batchDeps, { sessionId: group, pass, retries, sizes });
  }

  function onFailure(error: string, messages: number): void {
    deps.watch?.worked("failed");
    log.warn({ messages }, `generation failed: ${loggedFailure(error)}`);
  }

  // One at a time: a start that takes long, of a database that is away, must not leave a second runner behind.
  function lookForLeft(): void {
    if (isSweeping) return;
    isSweeping = true;
    sweeping = failOpen("looking for jobs that were left", async () => {
      runner ??= await startRunner();
      const freed = await sweepJobs(system, maxClaims);
      if (freed > 0) log.warn({ freed }, "jobs of ended processes are queued again");
    }).finally(() => (isSweeping = false));
  }

  // What a turn throws is the store's refusal: its jobs wait, and the sweep asks for another turn.
  async function startRunner(): Promise<Runner> {
    const started = await run({
      pgPool: queuePool,
      concurrency,
      pollInterval: 1_000,
      noHandleSignals: true,
      taskList: {
        turn: async (payload) => {
          await failOpen("a team's turn", () => turn(turnPayload.parse(payload).team_id));
        },
      },
      parsedCronItems: [],
      // Without a batch the library ends a job in a promise that nobody holds: a lost connection would end the process.
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
      logger: new Logger(() => (level, message) => {
        if (level === "error" && !stopping)
          log.warn({ err: new MemError("storage_failed", { message }) }, "the queue");
      }),
    }).catch((cause: unknown) => {
      throw toStorageError(cause);
    });
    const ended = (cause?: unknown): void => {
      if (runner !== started || stopping) return;
      const why = cause === undefined ? {} : { err: toStorageError(cause) };
      log.error(why, "the queue's runner ended; it is started again");
      runner = null;
    };
    ran = started.promise.then(() => ended(), ended);
    return started;
  }

  async function endRunner(): Promise<void> {
    // It refuses when it is ending by itself.
    const broken = () => Promise.race([ran, delay(brokenRunnerEndMs, undefined, { ref: false })]);
    await Promise.race([runner?.stop().catch(broken), delay(runnerEndMs, undefined, { ref: false })]);
  }

  return {
    async start() {
      lookForLeft();
      await sweeping;
      sweep = setInterval(lookForLeft, Math.min(sweepEveryMs, leaseMs / 2));
    },
    async stop() {
      stopping = true;
      clearInterval(sweep);
      await sweeping;
      sessions.cancelAll();
      await endRunner();
      queue.close();
      await queuePool.end();
      await close();
    },
  };
}

const turnPayload = z.object({ team_id: z.string() });
