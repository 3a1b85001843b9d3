// Runs the hosted server as a process: its database, its port, its signals, its end.
import { systemClock } from "../core/clock.ts";
import { makePrivateDirectory } from "../core/directory.ts";
import { MemError, reportFailOpenTo } from "../core/errors.ts";
import { createLog, createStderrLog, type Log } from "../core/log.ts";
import { version } from "../core/version.ts";
import { serverEmbedderSettings } from "../generate/model/embedders.ts";
import { processEnvironment } from "../settings/environment.ts";
import type { LoadedSettings } from "../settings/load.ts";
import { isLoopbackHost } from "../settings/loopback-host.ts";
import { demandWriterSettings, type ServerSettings } from "../settings/server.ts";
import { unknownSettings } from "../settings/unknown-names.ts";
import { migrateServer } from "../store/postgres/migrate.ts";
import { type Database, openDatabase } from "../store/postgres/open.ts";
import { codeOf, toStorageError } from "../store/postgres/storage-error.ts";
import { announceAddress } from "./announced.ts";
import { buildServer, type HostedServer } from "./build.ts";
import { createHostedGeneration } from "./generation.ts";
import { greeting } from "./greeting.ts";
import { type HostedVectors, openHostedVectors } from "./hosted-vectors.ts";
import { createHousekeeping } from "./housekeeping.ts";
import { logLibraryWords } from "./library-words.ts";
import type { OpenMetrics } from "./metrics-port.ts";
import { findServerDatabase, type ServerDatabase } from "./own-database.ts";

export interface RunServerOptions {
  settings: LoadedSettings;
  server: ServerSettings;
  role: "all" | "http" | "generate";
  host: string;
  port: number;
  /** True when a person sees the output: the log then goes to its file, else to stderr. */
  isTerminal: boolean;
  /** A line for the person who started it. */
  say(line: string): void;
}

const stopDeadlineMs = 9_500;
// `timeout` and service managers tell a process and then its whole group: what comes twice within this is one signal.
const sameSignalMs = 1_000;

/** Starts the server; resolves when it answers. It ends with SIGTERM or SIGINT; another one a second later ends it at once. */
export async function runServer(options: RunServerOptions): Promise<void> {
  demandLoopback(options);
  const { settings } = options;
  demandWriterSettings(settings);
  const { log, close: closeLog } = openLog(options);
  reportFailOpenTo((what, cause) => log.warn({ err: cause }, what));
  for (const warning of settings.warnings) log.warn(warning);
  for (const warning of unknownSettings(processEnvironment())) sayWarning(options, log, warning);
  // Before it answers there is nothing to finish: PostgreSQL ends with us.
  let end = async (): Promise<void> => undefined;
  let isEnding = false;
  logLibraryWords(log, () => isEnding);
  endWithSignals(log, () => {
    isEnding = true;
    return end();
  });
  const { life, database } = await startOnDatabase(options, log);
  end = async () => {
    await life.close();
    await database.stop();
    log.info("the server has stopped");
    await closeLog();
  };
}

// A private PostgreSQL that is joined may end in the same moment, with the server that owned it: then it is ours to start.
async function startOnDatabase(options: RunServerOptions, log: Log, isSecondTry = false): Promise<Started> {
  const { settings, server } = options;
  const database = await findServerDatabase({
    named: server.get("MEM_DATABASE_URL").reveal(),
    dataDir: settings.dataDir,
    log,
    onLost(cause) {
      log.fatal({ err: cause }, "the database is lost");
      process.exit(cause.exitCode);
    },
  });
  try {
    return { life: await answer(options, log, database), database };
  } catch (cause) {
    await database.stop();
    const isGone = cause instanceof MemError && cause.code === "storage_failed";
    if (isSecondTry || database.described !== "joined" || !isGone) throw cause;
    return startOnDatabase(options, log, true);
  }
}

interface Started {
  life: { close(): Promise<void> };
  database: ServerDatabase;
}

function openLog({ settings, isTerminal }: RunServerOptions): { log: Log; close: () => Promise<void> } {
  const level = settings.get("MEM_LOG_LEVEL");
  if (!isTerminal) return createStderrLog(level);
  makePrivateDirectory(settings.paths.logs);
  return createLog(settings.paths.serverLogFile, level);
}

async function answer(
  options: RunServerOptions,
  log: Log,
  { url, described }: ServerDatabase,
): Promise<{ close(): Promise<void> }> {
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
    const applied = await migrateServer(database.owner, version());
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
    // Who only generates answers too, on its own port: an orchestrator asks every process whether it is well.
    port = await listenAt(built.app, { host, port });
    if (role !== "generate") {
      const takeBack = announceAddress(options.settings.dataDir, { host, port, since: systemClock.now() });
      running.push(async () => takeBack());
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

/** Makes observations and their vectors, and clears away what is old; the end of all. */
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
  vectors.embedding?.start();
  return () => Promise.all([generation.stop(), housekeeping.stop(), vectors.embedding?.stop()]);
}

// Loaded by who wants figures only.
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

// A connect line carries a key: whoever makes up a Host header would say where to.
function warnOfUnknownAddress(options: RunServerOptions, log: Log): void {
  const { server, role, host } = options;
  if (role === "generate" || server.get("MEM_PUBLIC_URL") !== "" || isLoopbackHost(host)) return;
  sayWarning(options, log, "MEM_PUBLIC_URL is not set: connect lines lead to whatever host a request names");
}

function sayWarning({ say }: Pick<RunServerOptions, "say">, log: Log, warning: string): void {
  log.warn(warning);
  say(`  warning: ${warning}`);
}

function endWithSignals(log: Log, end: () => Promise<void>): void {
  let since: number | undefined;
  function stop(reason: string): void {
    const now = systemClock.monotonicMs();
    if (since !== undefined) {
      if (now - since >= sameSignalMs) process.exit(1);
      return;
    }
    since = now;
    log.info({ reason }, "stopping");
    setTimeout(() => process.exit(1), stopDeadlineMs).unref();
    end().then(
      () => process.exit(0),
      (cause: unknown) => {
        log.fatal({ err: cause }, "the end failed");
        process.exit(1);
      },
    );
  }
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => stop(signal));
}

async function listenAt(
  app: HostedServer["app"],
  { host, port }: { host: string; port: number },
): Promise<number> {
  try {
    return Number(new URL(await app.listen({ host, port })).port);
  } catch (cause) {
    const reason = cause instanceof Error ? ` (${cause.message})` : "";
    throw new MemError("port_unusable", {
      message: `The server cannot listen on ${host}:${port}${reason}.`,
      hint: listenHints[codeOf(cause)] ?? "Name another port with --port, or 0 for any free one.",
      cause,
    });
  }
}

const noSuchAddress =
  "This machine has no such address: name one of its own with --host, or 0.0.0.0 for all of them.";
const listenHints: Readonly<Record<string, string>> = {
  EADDRNOTAVAIL: noSuchAddress,
  ENOTFOUND: noSuchAddress,
  EAI_AGAIN: noSuchAddress,
  EACCES: "Ports below 1024 are for root: name another one with --port.",
};

// Without keys anybody who reaches the port has the memory.
function demandLoopback({ server, host }: RunServerOptions): void {
  if (server.get("MEM_AUTH_MODE") === "api-key" || ["127.0.0.1", "localhost", "::1"].includes(host)) return;
  throw new MemError("setting_invalid", {
    message: `Without keys the server binds to this machine only, not to ${host}.`,
    hint: "Set MEM_AUTH_MODE=api-key, and make a key with `mem keys create --team NAME --scope memories:write --scope memories:read`.",
  });
}
