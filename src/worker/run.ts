// Runs the worker as a process: one owner per data directory, its files, signals and shutdown.
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { systemClock } from "../core/clock.ts";
import { makePrivateDirectory } from "../core/directory.ts";
import { failOpen, failOpenSync, MemError, reportFailOpenTo } from "../core/errors.ts";
import { newId, newSecret } from "../core/ids.ts";
import { createLog, type Log, recordCrash } from "../core/log.ts";
import type { DataPaths } from "../core/paths.ts";
import type { LoadedSettings } from "../settings/load.ts";
import { isLoopbackHost } from "../settings/loopback-host.ts";
import { damageBehind } from "../store/sqlite/damage-check.ts";
import type { Sqlite } from "../store/sqlite/open.ts";
import { type Ownership, takeOwnership } from "../store/sqlite/owner-lock.ts";
import { somebodyListens } from "./listen.ts";
import { startNotices } from "./notices.ts";
import { openStore, replaceDatabase } from "./open-store.ts";
import { type Serving, serve, socketName, stopDeadlineMs, within } from "./serve.ts";
import { readWorkerFile, removeWorkerFile, type WorkerFile, writerRuns } from "./worker-file.ts";

interface RunOptions {
  settings: LoadedSettings;
  /** Prints the worker's address and the next steps on stdout. */
  announce: boolean;
}

/** Starts the worker; resolves when it answers. If another worker owns the directory, prints its address and returns. */
export async function runWorker({ settings, announce }: RunOptions): Promise<void> {
  const { paths } = settings;
  for (const directory of [paths.logs, paths.spool]) makePrivateDirectory(directory);
  process.chdir(paths.root);
  const ownership = naming(paths.ownerLock, () => takeOwnership(paths.ownerLock));
  if (ownership === undefined || (await anotherRuns(paths))) {
    ownership?.release();
    announceAlreadyRunning(readWorkerFile(paths));
    return;
  }
  const { log, close: closeLog } = createLog(paths.logFile, settings.get("MEM_LOG_LEVEL"));
  reportFailOpenTo((what, cause) => log.warn({ err: cause }, what));
  // Node reports the crash itself, whether or not it can be written here.
  process.on("uncaughtExceptionMonitor", (cause) => writeCrash(paths, cause));
  for (const warning of settings.warnings) log.warn(warning);
  const life = new WorkerLife({ settings, log, ownership, closeLog, announce });
  const port = await life.start();
  if (announce) announceRunning(settings, port);
}

/** Runs `open`; a storage failure names the file and the next step. */
function naming<T>(file: string, open: () => T): T {
  try {
    return open();
  } catch (cause) {
    if (!(cause instanceof MemError && cause.code === "storage_failed")) throw cause;
    throw new MemError("storage_failed", {
      message: `${file} cannot be read and written.`,
      hint: `Check the owner and mode of the file and its directory: \`ls -la ${dirname(file)}\`.`,
      cause: cause.cause,
    });
  }
}

// The lock of a killed worker is free shortly before its process is gone.
const goneWithinMs = 1_000;

// Removing owner.lock does not end its worker: it still listens, or its process runs.
async function anotherRuns(paths: DataPaths): Promise<boolean> {
  const deadline = systemClock.monotonicMs() + goneWithinMs;
  for (;;) {
    if (await somebodyListens(socketName(paths.socket))) return true;
    if (!writerRuns(paths)) return false;
    if (systemClock.monotonicMs() > deadline) return true;
    await delay(20);
  }
}

function writeCrash({ crashFile }: DataPaths, cause: unknown): void {
  failOpenSync("writing the crash file", () => recordCrash(crashFile, cause, systemClock.now()));
}

interface LifeDeps {
  settings: LoadedSettings;
  log: Log;
  ownership: Ownership;
  closeLog: () => Promise<void>;
  announce: boolean;
}

const checkEveryMs = 2_000;
// If the replacements are damaged too, the disk is: going on would only fill it.
const maxReplacements = 3;

/**
 * The worker from start to exit.
 *
 * | event | what follows |
 * | --- | --- |
 * | the database is damaged | a new database replaces it, at most `maxReplacements` times |
 * | its files were removed, or another worker owns the directory | shutdown, exit 0 |
 * | SIGTERM, SIGINT, SIGHUP | shutdown, exit 0; a second signal exits 1 immediately |
 * | shutdown takes longer than `stopDeadlineMs` | exit 1 |
 */
class WorkerLife {
  readonly #deps: LifeDeps;
  readonly #identity = { instance: newId(), secret: newSecret(), startedAt: systemClock.now() };
  #serving: Serving | undefined;
  #replacing: Promise<void> | undefined;
  #replacements = 0;
  #isEnding = false;
  #watch: NodeJS.Timeout | undefined;
  #refusedRenewals = 0;

  constructor(deps: LifeDeps) {
    this.#deps = deps;
  }

  /** Resolves with the port. */
  async start(): Promise<number> {
    const { settings } = this.#deps;
    const isNew = !existsSync(settings.paths.database);
    const db = naming(settings.paths.database, () => openStore(this.#storage()));
    this.#serving = await this.#serve(db, { port: settings.get("MEM_WORKER_PORT"), isNew });
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
      process.on(signal, () => (this.#isEnding ? process.exit(1) : this.#stop(signal)));
    }
    this.#watch = setInterval(() => this.#checkOwnership(), checkEveryMs).unref();
    return this.#serving.port;
  }

  #storage() {
    const { settings, log } = this.#deps;
    return { path: settings.paths.database, clock: systemClock, log };
  }

  // The first statement that needs a damaged page may run long after the file was opened.
  async #serve(db: Sqlite, how: { port: number; isNew: boolean }): Promise<Serving> {
    const { settings, log } = this.#deps;
    const onDamage = (findings: string[]): void => this.#onDamage(findings);
    const request = { settings, log, identity: this.#identity, port: how.port, onDamage };
    try {
      return await serve({ ...request, isNew: how.isNew, db });
    } catch (cause) {
      const findings = damageBehind(cause, settings.paths.database);
      if (findings.length === 0) throw cause;
      log.error({ findings, err: cause }, "the database is damaged");
      this.#replacements++;
      return serve({ ...request, isNew: false, db: replaceDatabase(this.#storage()) });
    }
  }

  #onDamage(findings: string[]): void {
    if (!this.#isInPlace()) return;
    this.#deps.log.error({ findings }, "the database is damaged");
    if (this.#replacements++ >= maxReplacements) return;
    this.#replacing = this.#replace().then(
      () => {
        this.#replacing = undefined;
      },
      // Without a database there is nothing to answer with; the next start recovers what is left.
      (cause: unknown) => void (this.#isEnding || this.#fail(cause)),
    );
  }

  // A signal may come at any moment: `#end` waits for this, and no new worker starts after it.
  async #replace(): Promise<void> {
    const port = this.#serving?.port;
    if (port === undefined) return;
    // The last writes may need the damaged page.
    const closed = failOpen("closing a worker whose database is damaged", () => this.#close());
    await within(stopDeadlineMs, closed);
    if (!this.#isEnding)
      this.#serving = await this.#serve(replaceDatabase(this.#storage()), { port, isNew: false });
  }

  async #close(): Promise<void> {
    const serving = this.#serving;
    this.#serving = undefined;
    await serving?.close();
  }

  // A worker that went on after its directory was removed would acknowledge into a file without a name.
  #checkOwnership(): void {
    if (!this.#isInPlace()) return;
    // A start that finds this worker holds the lock for up to a second, and starts may follow each other.
    const isOwner = this.#deps.ownership.renew() || this.#isNamed();
    this.#refusedRenewals = isOwner ? 0 : this.#refusedRenewals + 1;
    if (this.#refusedRenewals >= 2) this.#stop("another worker owns the data directory");
  }

  // A worker that took the directory over wrote itself into worker.json.
  #isNamed(): boolean {
    return readWorkerFile(this.#deps.settings.paths)?.instance === this.#identity.instance;
  }

  // False while there is no worker to check. Removed files are not damage: the worker ends.
  #isInPlace(): boolean {
    if (this.#isEnding || this.#replacing !== undefined || this.#serving === undefined) return false;
    try {
      this.#serving.demandInPlace();
      return true;
    } catch (cause) {
      this.#deps.log.error(
        { err: cause },
        "the data files were removed: the worker ends, and a new session starts the next one",
      );
      this.#stop("the database was removed");
      return false;
    }
  }

  #stop(reason: string): void {
    const { log, announce } = this.#deps;
    this.#isEnding = true;
    clearInterval(this.#watch);
    log.info({ reason }, "stopping");
    if (announce && reason === "SIGINT") announceStopping();
    setTimeout(() => process.exit(1), stopDeadlineMs).unref();
    this.#end().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  }

  async #end(): Promise<void> {
    const { settings, log, ownership, closeLog } = this.#deps;
    await this.#replacing;
    await this.#close();
    removeWorkerFile(settings.paths, this.#identity.instance);
    ownership.release();
    log.info("the worker has stopped");
    await closeLog();
  }

  #fail(cause: unknown): void {
    const { settings, log, closeLog } = this.#deps;
    log.fatal({ err: cause }, "the damaged database could not be replaced");
    writeCrash(settings.paths, cause);
    setTimeout(() => process.exit(1), stopDeadlineMs).unref();
    void closeLog().finally(() => process.exit(1));
  }
}

/** Prints the address of the worker, a warning when others can use it, and the next steps. */
function announceRunning(settings: LoadedSettings, port: number): void {
  const host = settings.get("MEM_WORKER_HOST");
  const loopback = isLoopbackHost(host) ? host : "127.0.0.1";
  const warnings = startNotices(settings).map((notice) => `${notice}\n`);
  process.stdout.write(`mem is running; its viewer is at http://${loopback === "::1" ? "[::1]" : loopback}:${port}
${warnings.join("")}Its memory is in ${settings.paths.root}

Next, in another terminal:
  npm link                  once, in this directory: make mem a command
  mem install               register it with the agents on this machine
  mem demo                  or see it work on a recorded session first
  mem search <words>        find what an agent learned

Stop it with Ctrl-C.
`);
}

/** Printed on Ctrl-C: requests in flight finish first. */
function announceStopping(): void {
  process.stdout.once("error", () => undefined);
  process.stdout.write("\nmem is stopping.\n");
}

/** Printed by a second worker of the same data directory, which then exits. */
function announceAlreadyRunning(file: WorkerFile | undefined): void {
  const where = file === undefined ? "" : ` at http://${file.host}:${file.port} (process ${file.pid})`;
  process.stdout.write(`mem is already running${where}.
Stop it with \`mem worker stop\`, or set MEM_DATA_DIR to run a second one.
`);
}
