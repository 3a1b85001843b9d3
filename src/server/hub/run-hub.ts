// Runs `mem hub` as a process: log, signals, lock, store, port.
import { systemClock } from "../../core/clock.ts";
import { makePrivateDirectory } from "../../core/directory.ts";
import { MemError, reportFailOpenTo } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import { version } from "../../core/version.ts";
import type { LoadedSettings } from "../../settings/load.ts";
import { isLoopbackHost } from "../../settings/loopback-host.ts";
import type { ServerSettings } from "../../settings/server.ts";
import { openHubStore } from "../../store/sqlite/hub/hub-store.ts";
import { takeOwnership } from "../../store/sqlite/owner-lock.ts";
import { inAddress } from "../greeting.ts";
import { listenAt } from "../listen-at.ts";
import { endWithSignals, openProcessLog } from "../process.ts";
import { buildHub } from "./build-hub.ts";

export interface RunHubOptions {
  settings: LoadedSettings;
  server: ServerSettings;
  host: string;
  port: number;
  /** On a terminal the log goes to its file, else to stderr. */
  isTerminal: boolean;
  /** Prints a line for the operator. */
  say(line: string): void;
}

/** Starts the hub; resolves when it answers. SIGTERM or SIGINT ends it. */
export async function runHub(options: RunHubOptions): Promise<void> {
  const { settings } = options;
  const { log, close: closeLog } = openProcessLog(options, settings.paths.hubLogFile);
  reportFailOpenTo((what, cause) => log.warn({ err: cause }, what));
  for (const warning of settings.warnings) log.warn(warning);
  let close: (() => Promise<void>) | undefined;
  endWithSignals(log, async () => {
    await close?.();
    log.info("the hub has stopped");
    await closeLog();
  });
  close = await start(options, log);
}

async function start(options: RunHubOptions, log: Log): Promise<() => Promise<void>> {
  const { settings, server, host } = options;
  const { paths } = settings;
  makePrivateDirectory(paths.hub);
  const lock = takeOwnership(paths.hubLock);
  if (lock === undefined) throw alreadyRuns(paths.hub);
  const closing = [lock.release];
  async function close(): Promise<void> {
    for (const each of closing.toReversed()) await each();
  }
  try {
    const store = openHubStore(paths.hubDatabase, { product: version(), now: systemClock.now() });
    closing.push(store.close);
    const hub = buildHub({ store, settings: server, log, clock: systemClock });
    closing.push(hub.close);
    const port = await listenAt(hub.app, options);
    hub.start();
    log.info({ host, port, version: version() }, "the hub answers");
    options.say(`mem hub ${version()} answers at http://${inAddress(host)}:${port}`);
    options.say(`  database: ${paths.hubDatabase}`);
    if ((await store.accounts()).length === 0)
      options.say("  accounts: none; create one: mem hub account create NAME");
    warnOfPlainHttp(options, log);
    return close;
  } catch (cause) {
    await close();
    throw cause;
  }
}

function alreadyRuns(directory: string): MemError {
  return new MemError("conflict", {
    message: `A hub already runs on ${directory}.`,
    hint: "Stop it first, or set MEM_DATA_DIR to another directory.",
  });
}

// A token that is read on the way opens the whole log.
function warnOfPlainHttp({ host, say }: RunHubOptions, log: Log): void {
  if (isLoopbackHost(host)) return;
  const warning = `SECURITY: the hub answers on ${host} over plain HTTP: put a proxy with TLS in front, tokens travel in clear`;
  log.warn(warning);
  say(`  warning: ${warning}`);
}
