// Runs the hosted server as a process: its database, its port, its signals, its end.
import { systemClock } from "../clock.ts";
import { MemError, reportFailOpenTo } from "../errors.ts";
import { createLog } from "../log.ts";
import type { LoadedSettings } from "../settings/load.ts";
import type { ServerSettings } from "../settings/server.ts";
import { migrateServer } from "../store/postgres/migrate.ts";
import { openDatabase } from "../store/postgres/open.ts";
import { version } from "../version.ts";
import { buildServer } from "./build.ts";
import { startPrivatePostgres } from "./private-postgres.ts";

export interface RunServerOptions {
  settings: LoadedSettings;
  server: ServerSettings;
  role: "all" | "http" | "generate";
  host: string;
  port: number;
  /** A line for the person who started it. */
  say(line: string): void;
}

const stopDeadlineMs = 9_500;

/** Starts the server; resolves when it answers. It ends with SIGTERM or SIGINT; a second one ends it at once. */
export async function runServer(options: RunServerOptions): Promise<void> {
  const { settings, server, say } = options;
  demandLoopback(options);
  const { log, close: closeLog } = createLog(settings.paths.serverLogFile, settings.get("MEM_LOG_LEVEL"));
  reportFailOpenTo((what, cause) => log.warn({ err: cause }, what));
  const url = server.get("MEM_DATABASE_URL").reveal();
  const own =
    url === ""
      ? await startPrivatePostgres({ dataDir: settings.dataDir, log: (line) => log.debug(line) })
      : undefined;
  const database = openDatabase({
    url: own?.url ?? url,
    max: server.get("MEM_DATABASE_CONNECTIONS"),
    onConnectionLost: (cause) => log.warn({ err: cause }, "a connection to the database was lost"),
  });
  await migrateServer(database.owner, version());
  let port = options.port;
  const built = buildServer({
    database,
    settings: server,
    log,
    clock: systemClock,
    address: () => ({ host: options.host, port }),
  });
  await built.ready();
  port = Number(new URL(await built.app.listen({ host: options.host, port: options.port })).port) || port;
  say(`mem server ${version()} answers at http://${options.host}:${port}`);

  let ending = false;
  async function end(): Promise<void> {
    await built.close();
    await database.close();
    await own?.stop();
    await closeLog();
  }
  function stop(): void {
    if (ending) process.exit(1);
    ending = true;
    setTimeout(() => process.exit(1), stopDeadlineMs).unref();
    end().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  }
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, stop);
}

// Without keys anybody who reaches the port has the memory.
function demandLoopback({ server, host }: RunServerOptions): void {
  if (server.get("MEM_AUTH_MODE") === "api-key" || ["127.0.0.1", "localhost", "::1"].includes(host)) return;
  throw new MemError("setting_invalid", {
    message: `Without keys the server binds to this machine only, not to ${host}.`,
    hint: "Set MEM_AUTH_MODE=api-key, and make a key with `mem keys create --team NAME`.",
  });
}
