// Runs the hosted server as a process: log, signals, database, parts, port.
import { systemClock } from "../core/clock.ts";
import { MemError, reportFailOpenTo } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { version } from "../core/version.ts";
import { serverEmbedderSettings } from "../generate/model/embedders.ts";
import { processEnvironment } from "../settings/environment.ts";
import { isLoopbackHost } from "../settings/loopback-host.ts";
import { demandWriterSettings, unknownSettings } from "../settings/server.ts";
import { migrateServer } from "../store/postgres/migrate.ts";
import { type Database, openDatabase } from "../store/postgres/open.ts";
import { toStorageError } from "../store/postgres/storage-error.ts";
import { buildServer } from "./build.ts";
import { createHostedGeneration } from "./generation/generation.ts";
import { greeting } from "./greeting.ts";
import { createHousekeeping } from "./housekeeping.ts";
import type { RunHubOptions } from "./hub/run-hub.ts";
import { createServerHubUpkeep } from "./hub/server-hub.ts";
import { listenAt } from "./listen-at.ts";
import type { OpenMetrics } from "./metrics-port.ts";
import { announceAddress } from "./postgres/announced.ts";
import { findServerDatabase, type ServerDatabase } from "./postgres/own-database.ts";
import { endWithSignals, logConsole, openProcessLog } from "./process.ts";
import { type HostedVectors, openHostedVectors } from "./vectors/hosted-vectors.ts";

export interface RunServerOptions extends RunHubOptions {
  role: "all" | "http" | "generate";
}

/** Starts the server; resolves when it answers. SIGTERM or SIGINT ends it. */
export async function runServer(options: RunServerOptions): Promise<void> {
  demandLoopback(options);
  const { settings } = options;
  demandWriterSettings(settings);
  const { log, close: closeLog } = openProcessLog(options, settings.paths.serverLogFile);
  reportFailOpenTo((what, cause) => log.warn({ err: cause }, what));
  for (const warning of settings.warnings) log.warn(warning);
  for (const warning of unknownSettings(processEnvironment())) sayWarning(options, log, warning);
  let started: Started | undefined;
  let isEnding = false;
  logConsole(log, () => isEnding);
  endWithSignals(log, async () => {
    isEnding = true;
    // A start that is not complete has nothing to finish: PostgreSQL ends with this process.
    if (started === undefined) return;
    await started.close();
    log.info("the server has stopped");
    await closeLog();
  });
  started = await startOnDatabase(options, log);
}

// A joined PostgreSQL may end during the start, with the server that owned it: the second try starts one.
async function startOnDatabase(options: RunServerOptions, log: Log, isSecondTry = false): Promise<Started> {
  const { settings, server } = options;
  const database = await findServerDatabase({
    named: server.get("MEM_DATABASE_URL").reveal(),
    dataDir: settings.dataDir,
    log,
    say: options.say,
    onLost(cause) {
      log.fatal({ err: cause }, "the database is lost");
      process.exit(cause.exitCode);
    },
  });
  try {
    const { close } = await startParts(options, log, database);
    return {
      async close() {
        await close();
        await database.stop();
      },
    };
  } catch (cause) {
    await database.stop();
    const isGone = cause instanceof MemError && cause.code === "storage_failed";
    if (isSecondTry || database.described !== "joined" || !isGone) throw cause;
    return startOnDatabase(options, log, true);
  }
}

interface Started {
  close(): Promise<void>;
}

async function startParts(
  options: RunServerOptions,
  log: Log,
  { url, described }: ServerDatabase,
): Promise<Started> {
  const { server, role, host } = options;
  let closing = false;
  const database = openDatabase({
    url,
    max: server.get("MEM_DATABASE_CONNECTIONS"),
    onConnectionLost(cause) {
      if (!closing) log.warn({ err: toStorageError(cause) }, "a connection to the database was lost");
    },
  });
  const running: (() => Promise<unknown>)[] = [];
  async function close(): Promise<void> {
    closing = true;
    await Promise.all(running.map((stop) => stop()));
    await database.close();
  }
  try {
    const say = (line: string) => sayWarning(options, log, line);
    const applied = await migrateServer(database.owner, version(), { say });
    if (applied.length > 0) log.info({ applied }, "the database was migrated");
    const metrics = await listenForMetrics(options, database);
    if (metrics !== null) running.push(metrics.close);
    const vectors = await openHostedVectors({
      database,
      settings: serverEmbedderSettings(server),
      dataDir: options.settings.dataDir,
      clock: systemClock,
      log,
      metrics,
    });
    running.push(vectors.close);
    let { port } = options;
    const built = buildServer({
      database,
      vectors,
      role,
      settings: server,
      log,
      clock: systemClock,
      ...(metrics === null ? {} : { metrics }),
      address: () => ({ host, port }),
    });
    running.push(built.close);
    await built.ready();
    if (role !== "http") {
      running.push(await startGenerating({ ...options, database, log, metrics, vectors }));
    }
    // A generating process listens too: an orchestrator asks every process for its health.
    port = await listenAt(built.app, { host, port });
    if (role !== "generate") {
      const removeAddress = announceAddress(options.settings.dataDir, {
        host,
        port,
        since: systemClock.now(),
      });
      running.push(async () => removeAddress());
    }
    log.info({ host, port, role, version: version() }, "the server answers");
    for (const line of greeting({ ...options, port, described, vectors: vectors.inWords })) options.say(line);
    warnOfUnknownAddress(options, log);
    return { close };
  } catch (cause) {
    await close();
    throw cause;
  }
}

interface Generating extends Pick<RunServerOptions, "settings" | "server"> {
  database: Database;
  log: Log;
  metrics: OpenMetrics | null;
  vectors: HostedVectors;
}

/** Starts generation, housekeeping and embedding; returns the function that stops them. */
async function startGenerating({ settings, server, database, log, metrics, vectors }: Generating) {
  const generation = createHostedGeneration({
    database,
    settings,
    server,
    env: processEnvironment(),
    log,
    clock: systemClock,
    watch: metrics?.generation,
  });
  await generation.start();
  const housekeeping = createHousekeeping({ database, settings: server, log });
  housekeeping.start();
  const hubUpkeep = createServerHubUpkeep({ database, log, clock: systemClock });
  hubUpkeep.start();
  vectors.embedding?.start();
  return () =>
    Promise.all([generation.stop(), housekeeping.stop(), hubUpkeep.stop(), vectors.embedding?.stop()]);
}

// Loaded only when metrics are on.
async function listenForMetrics(
  { server, role }: RunServerOptions,
  database: Database,
): Promise<OpenMetrics | null> {
  const port = server.get("MEM_METRICS_PORT");
  if (port === 0) return null;
  const { createMetricsPort } = await import("./metrics-port.ts");
  const metrics = createMetricsPort({ database, clock: systemClock, version: version(), role });
  await metrics.listen({ host: server.get("MEM_METRICS_HOST"), port });
  return metrics;
}

// Connect commands carry a key, and a forged Host header would decide their address.
function warnOfUnknownAddress(options: RunServerOptions, log: Log): void {
  const { server, role, host } = options;
  if (role === "generate" || server.get("MEM_PUBLIC_URL") !== "" || isLoopbackHost(host)) return;
  sayWarning(options, log, "MEM_PUBLIC_URL is not set: connect commands use the Host header of the request");
}

function sayWarning({ say }: Pick<RunServerOptions, "say">, log: Log, warning: string): void {
  log.warn(warning);
  say(`  warning: ${warning}`);
}

// Without keys, access to the port is access to the memory.
function demandLoopback({ server, host }: RunServerOptions): void {
  if (server.get("MEM_AUTH_MODE") === "api-key" || ["127.0.0.1", "localhost", "::1"].includes(host)) return;
  throw new MemError("setting_invalid", {
    message: `Without keys the server listens on this machine only, not on ${host}.`,
    hint: "Set MEM_AUTH_MODE=api-key, and create a key with `mem keys create --team NAME --scope memories:write --scope memories:read`.",
  });
}
