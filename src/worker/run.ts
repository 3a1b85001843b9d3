// Runs the worker as a process: one owner per data directory, its port and files, its signals, its end.
import { basename, dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { processStart, systemClock } from "../core/clock.ts";
import { failOpen, failOpenSync, MemError, reportFailOpenTo } from "../core/errors.ts";
import { newId, newSecret } from "../core/ids.ts";
import { createLog, type Log, recordCrash } from "../core/log.ts";
import type { DataPaths } from "../core/paths.ts";
import { version } from "../core/version.ts";
import { makePrivateDirectory } from "../hosts/hook/private-directory.ts";
import { processEnvironment } from "../settings/environment.ts";
import type { LoadedSettings } from "../settings/load.ts";
import { damageBehind } from "../store/sqlite/damage-check.ts";
import { createPlaceCheck, type PlaceCheck } from "../store/sqlite/in-place.ts";
import { withLateStatements } from "../store/sqlite/late-statements.ts";
import { closeDatabase, type Sqlite } from "../store/sqlite/open.ts";
import { type Ownership, takeOwnership } from "../store/sqlite/owner-lock.ts";
import { announceAlreadyRunning, announceRunning, announceStopping } from "./announce.ts";
import { buildWorker, type Worker, type WorkerIdentity } from "./build.ts";
import { createIntegrityCheck, type IntegrityCheck } from "./integrity.ts";
import { type Listening, listen, somebodyListens } from "./listen.ts";
import { openAddressNotice } from "./notices.ts";
import { openStore, replaceDatabase } from "./open-store.ts";
import { readWorkerFile, removeWorkerFile, writerRuns, writeWorkerFile } from "./worker-file.ts";

interface RunOptions {
  settings: LoadedSettings;
  /** Says on stdout where the worker is and what to do next. */
  announce: boolean;
}

// Replies in flight get 5 s of this; the whole end stays below the 10 s that are promised.
const stopDeadlineMs = 9_500;
const lookEveryMs = 2_000;
// When new databases are damaged too, the disk is: to go on would only fill it.
const mostReplacements = 3;

/** Starts the worker; resolves when it answers. Another owner is not an error: it is named, and the process ends. */
export async function runWorker({ settings, announce }: RunOptions): Promise<void> {
  const { paths } = settings;
  for (const directory of [paths.logs, paths.spool]) makePrivateDirectory(directory);
  // The socket is bound, and later removed, by its name alone: a path may be too long for it.
  process.chdir(paths.root);
  const ownership = naming(paths.ownerLock, () => takeOwnership(paths.ownerLock));
  if (ownership === undefined || (await anotherRuns(paths))) {
    ownership?.release();
    announceAlreadyRunning(readWorkerFile(paths));
    return;
  }
  const { log, close: closeLog } = createLog(paths.logFile, settings.get("MEM_LOG_LEVEL"));
  reportFailOpenTo((what, cause) => log.warn({ err: cause }, what));
  recordCrashes(paths.crashFile);
  for (const warning of settings.warnings) log.warn(warning);
  const life = await startLife({ settings, log, ownership, closeLog, announce });
  if (announce) announceRunning({ port: life.port, host: settings.get("MEM_WORKER_HOST"), paths });
}

/** Runs `open`; where that finds that a file cannot be read or written, the error names it and the next step. */
function naming<T>(file: string, open: () => T): T {
  try {
    return open();
  } catch (cause) {
    if (!(cause instanceof MemError && cause.code === "storage_failed")) throw cause;
    throw new MemError("storage_failed", {
      message: `${file} cannot be read and written.`,
      hint: `See its owner and mode, and those of its directory: \`ls -la ${dirname(file)}\`.`,
      cause: cause.cause,
    });
  }
}

// A killed worker's lock is free a moment before its process is gone.
const goneWithinMs = 1_000;

// Removing owner.lock does not end the worker that held it: it still listens, or its process runs.
async function anotherRuns(paths: DataPaths): Promise<boolean> {
  const deadline = systemClock.monotonicMs() + goneWithinMs;
  for (;;) {
    if (await somebodyListens(socketName(paths.socket))) return true;
    if (!writerRuns(paths)) return false;
    if (systemClock.monotonicMs() > deadline) return true;
    await delay(20);
  }
}

// The crash goes on whether or not it can be written down.
function recordCrashes(file: string): void {
  process.on("uncaughtExceptionMonitor", (cause) => {
    failOpenSync("writing a crash down", () => recordCrash(file, cause, systemClock.now()));
  });
}

interface LifeDeps {
  settings: LoadedSettings;
  log: Log;
  ownership: Ownership;
  closeLog: () => Promise<void>;
  announce: boolean;
}

/** What runs from the first answer to the last: the worker, and the one that replaces it when its database is damaged. */
async function startLife(deps: LifeDeps): Promise<{ port: number }> {
  const { settings, log, ownership, closeLog } = deps;
  const identity = { instance: newId(), secret: newSecret(), startedAt: systemClock.now() };
  const storage = { path: settings.paths.database, clock: systemClock, log };
  let replacing: Promise<void> | undefined;
  let replacements = 0;
  let ending = false;
  let refused = 0;
  let current: Running | undefined;
  current = await open(
    naming(settings.paths.database, () => openStore(storage)),
    settings.get("MEM_WORKER_PORT"),
  );

  // A damaged page may be met by the first statement that needs it, long after the file was opened.
  async function open(db: Sqlite, port: number): Promise<Running> {
    try {
      return await answer({ ...deps, identity, db, port, onDamage });
    } catch (cause) {
      const findings = damageBehind(cause, storage.path);
      if (findings.length === 0) throw cause;
      log.error({ findings, err: cause }, "the database is damaged");
      replacements++;
      return answer({ ...deps, identity, db: replaceDatabase(storage), port, onDamage });
    }
  }

  function onDamage(findings: string[]): void {
    if (ending || replacing !== undefined || current === undefined || isRemoved(current)) return;
    log.error({ findings }, "the database is damaged");
    if (replacements++ >= mostReplacements) return;
    replacing = replace().then(
      () => {
        replacing = undefined;
      },
      // Without a database there is nothing to answer with; the next start recovers what is left.
      (cause: unknown) => void (ending || giveUp(cause)),
    );
  }

  // A signal may come at any moment: `end` waits for this, and no new worker begins after it.
  async function replace(): Promise<void> {
    if (current === undefined) return;
    const { port } = current.listening;
    // What it still wants to write may need the damaged page.
    await within(stopDeadlineMs, failOpen("closing a worker whose database is damaged", closeCurrent));
    if (!ending) current = await open(replaceDatabase(storage), port);
  }

  async function closeCurrent(): Promise<void> {
    const closing = current;
    current = undefined;
    if (closing === undefined) return;
    const { db, worker, listening, check } = closing;
    check.stop();
    try {
      await Promise.all([listening.closeSocket(), worker.close()]);
    } finally {
      closeDatabase(db);
    }
  }

  async function end(): Promise<void> {
    await replacing;
    await closeCurrent();
    removeWorkerFile(settings.paths, identity.instance);
    ownership.release();
    log.info("the worker has stopped");
    await closeLog();
  }

  function giveUp(cause: unknown): void {
    log.fatal({ err: cause }, "the damaged database could not be replaced");
    failOpenSync("writing a crash down", () =>
      recordCrash(settings.paths.crashFile, cause, systemClock.now()),
    );
    setTimeout(() => process.exit(1), stopDeadlineMs).unref();
    void closeLog().finally(() => process.exit(1));
  }

  function stop(reason: string): void {
    ending = true;
    clearInterval(watching);
    log.info({ reason }, "stopping");
    if (deps.announce && reason === "SIGINT") announceStopping();
    setTimeout(() => process.exit(1), stopDeadlineMs).unref();
    end().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  }

  // What cannot be read because it was removed is not damaged.
  function isRemoved({ demandInPlace }: Running): boolean {
    const removed = removal(demandInPlace);
    if (removed === undefined) return false;
    log.error(
      { err: removed },
      "the memory's files were removed: the worker ends, a new session starts the next",
    );
    stop("the database was removed");
    return true;
  }

  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    process.on(signal, () => (ending ? process.exit(1) : stop(signal)));
  }
  // Whoever removes the directory removes the memory: a worker that went on would acknowledge into a file without a name.
  const watching = setInterval(() => {
    if (ending || replacing !== undefined || current === undefined || isRemoved(current)) return;
    // One that only looked whether another runs has held it for a moment.
    refused = ownership.renew() ? 0 : refused + 1;
    if (refused >= 2) stop("another worker owns the data directory");
  }, lookEveryMs).unref();

  return { port: current.listening.port };
}

function removal(demandInPlace: PlaceCheck): unknown {
  try {
    demandInPlace();
    return undefined;
  } catch (cause) {
    return cause;
  }
}

interface Running {
  db: Sqlite;
  demandInPlace: PlaceCheck;
  worker: Worker;
  listening: Listening;
  check: IntegrityCheck;
}

interface AnswerDeps extends Pick<LifeDeps, "settings" | "log"> {
  identity: WorkerIdentity;
  db: Sqlite;
  /** The port that is wanted; the next free one is taken. */
  port: number;
  onDamage(findings: string[]): void;
}

/** One worker over one database, from here on found by hooks and the command line. When it fails, all is closed. */
async function answer(deps: AnswerDeps): Promise<Running> {
  const { db, settings, log, identity, onDamage } = deps;
  // Not inside the statement that met it: the end of the worker begins there.
  const report = (cause: unknown) => void setImmediate(() => onDamage([String(cause)]));
  let port = deps.port;
  let worker: Worker | undefined;
  try {
    worker = buildWorker({
      db: withLateStatements(db, report),
      settings,
      env: processEnvironment(),
      log,
      clock: systemClock,
      identity,
      port: () => port,
    });
    const onPort = (bound: number): void => {
      port = bound;
    };
    return await begin(worker, { ...deps, onPort });
  } catch (cause) {
    const closing = failOpen("closing a worker that could not start", async () => worker?.close());
    await within(stopDeadlineMs, closing).finally(() => closeDatabase(db));
    throw cause;
  }
}

interface BeginDeps extends AnswerDeps {
  onPort(port: number): void;
}

async function begin(worker: Worker, deps: BeginDeps): Promise<Running> {
  const { settings, log, identity, db, onDamage, onPort } = deps;
  const { paths, dataDir } = settings;
  const demandInPlace = createPlaceCheck(db);
  const host = settings.get("MEM_WORKER_HOST");
  await worker.ready();
  const socketPath = socketName(paths.socket);
  const listening = await listen({ ...worker, host, port: deps.port, dataDir, socket: socketPath });
  const { port } = listening;
  onPort(port);
  // Before anybody can find it: a damaged page may be met here, and another worker takes its place then.
  try {
    worker.start();
  } catch (cause) {
    await listening.closeSocket();
    throw cause;
  }
  const { instance, secret, startedAt: started_at_epoch } = identity;
  const { pid } = process;
  const { socket } = paths;
  writeWorkerFile(paths, {
    pid,
    process_start: processStart(pid),
    host,
    port,
    version: version(),
    instance,
    secret,
    socket,
    started_at_epoch,
  });
  const check = createIntegrityCheck({ ...worker, databasePath: paths.database, onDamage });
  check.start();
  log.info({ port, version: version(), pid }, "the worker answers");
  const openAddress = openAddressNotice(settings);
  if (openAddress !== null) log.warn(openAddress);
  return { db, demandInPlace, worker, listening, check };
}

function socketName(socket: string): string {
  return process.platform === "win32" ? socket : basename(socket);
}

async function within(deadlineMs: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new MemError("internal", { message: "It did not end in time." })),
      deadlineMs,
    );
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
