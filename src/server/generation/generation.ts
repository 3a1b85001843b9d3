// Generation on the hosted server: teams take turns, and each task is one batch of one session or project under a lease.
import { hostname } from "node:os";
import type { Clock } from "../../core/clock.ts";
import { failOpen } from "../../core/errors.ts";
import { newId } from "../../core/ids.ts";
import type { Log } from "../../core/log.ts";
import { createActiveSessions } from "../../generate/active-sessions.ts";
import { hostedBatching, localBatching } from "../../generate/batching.ts";
import { createCircuitBreaker } from "../../generate/circuit-breaker.ts";
import type { Environment } from "../../settings/environment.ts";
import type { LoadedSettings } from "../../settings/load.ts";
import type { ServerSettings } from "../../settings/server.ts";
import type { Database } from "../../store/postgres/open.ts";
import type { GenerationWatch } from "../metrics.ts";
import { createHostedProvider } from "./hosted-provider.ts";
import { loggedFailure } from "./job-failures.ts";
import { createJobQueue } from "./job-queue.ts";
import { createTaskRunner } from "./task-runner.ts";
import { createTeamTasks } from "./team-tasks.ts";

export interface HostedGenerationDeps {
  database: Database;
  settings: LoadedSettings;
  server: ServerSettings;
  env: Environment;
  log: Log;
  clock: Clock;
  /** Metrics. */
  watch?: GenerationWatch | undefined;
}

export type HostedGeneration = ReturnType<typeof createHostedGeneration>;

export function createHostedGeneration(deps: HostedGenerationDeps) {
  const { database, server, log, clock } = deps;
  const { app, system } = database;
  const leaseMs = server.get("MEM_GENERATION_LEASE_SECONDS") * 1_000;
  const concurrency = server.get("MEM_GENERATION_CONCURRENCY");
  const sessions = createActiveSessions({ clock });
  const queue = createJobQueue({
    app,
    system,
    clock,
    leaseMs,
    worker: `${hostname()}:${process.pid}:${newId().slice(0, 8)}`,
    onLost: (group) => void failOpen("ending a lost call", () => sessions.cancel(group)),
  });
  const provider = createHostedProvider({ ...deps, scopeOf: queue.scopeOf });
  const circuit = createCircuitBreaker({
    onChange: ({ state, reason }) =>
      log.info({ state, reason: reason?.kind }, "the provider's circuit breaker"),
  });
  const tasks = createTeamTasks({
    ...database,
    ...provider,
    queue,
    circuit,
    sessions,
    batching: provider.local === null ? localBatching : hostedBatching,
    clock,
    concurrency,
    onCompleted: () => deps.watch?.worked("completed"),
    onFailure(error, messages) {
      deps.watch?.worked("failed");
      log.warn({ messages }, `generation failed: ${loggedFailure(error)}`);
    },
  });
  const runner = createTaskRunner({ database, concurrency, leaseMs, log, run: tasks.run });
  return {
    start: runner.start,
    /** Cancels calls and releases their jobs; resolves when nothing runs. */
    async stop() {
      tasks.stop();
      await runner.stop(sessions.cancelAll);
      queue.close();
      await provider.close();
    },
  };
}
