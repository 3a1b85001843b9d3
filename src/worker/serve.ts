// Serves one worker over one database: builds it, listens, and writes worker.json. On failure everything is closed.
import { basename } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { processStart, systemClock } from "../core/clock.ts";
import { failOpen, MemError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { version } from "../core/version.ts";
import { processEnvironment } from "../settings/environment.ts";
import type { LoadedSettings } from "../settings/load.ts";
import { createPlaceCheck, type PlaceCheck } from "../store/sqlite/in-place.ts";
import { withLateStatements } from "../store/sqlite/late-statements.ts";
import { closeDatabase, type Sqlite } from "../store/sqlite/open.ts";
import { buildWorker, type Worker } from "./build.ts";
import { createIntegrityCheck, type IntegrityCheck } from "./integrity.ts";
import { type Listening, listen } from "./listen.ts";
import { startNotices } from "./notices.ts";
import type { WorkerIdentity } from "./worker-file.ts";
import { writeWorkerFile } from "./worker-file.ts";

/** Replies in flight get 5 s of this; the whole shutdown stays below the promised 10 s. */
export const stopDeadlineMs = 9_500;

interface ServeDeps {
  settings: LoadedSettings;
  log: Log;
  identity: WorkerIdentity;
  db: Sqlite;
  /** True if this start created the database. */
  isNew: boolean;
  /** The wanted port; the next free one is taken. */
  port: number;
  onDamage(findings: string[]): void;
}

export interface Serving {
  port: number;
  /** Throws if the database file was removed or moved. */
  demandInPlace: PlaceCheck;
  /** Ends the worker and closes its database. */
  close(): Promise<void>;
}

/** Resolves when hooks and the command line can find the worker. */
export async function serve(deps: ServeDeps): Promise<Serving> {
  const { db, isNew, settings, log, identity, onDamage } = deps;
  // Reported after the statement that met the damage has returned: the report ends the worker.
  const report = (cause: unknown) => void setImmediate(() => onDamage([String(cause)]));
  let port = deps.port;
  let worker: Worker | undefined;
  let listening: Listening | undefined;
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
    const demandInPlace = createPlaceCheck(db);
    listening = await open(worker, deps);
    port = listening.port;
    // Before worker.json is written: a damaged page met here ends this worker, and another takes its place.
    worker.start();
    announce(deps, port);
    const databasePath = settings.paths.database;
    const check = createIntegrityCheck({ ...worker, databasePath, isNew, onDamage });
    check.start();
    return { port, demandInPlace, close: closing({ db, worker, listening, check }) };
  } catch (cause) {
    const closed = failOpen("closing a worker that could not start", () =>
      Promise.all([listening?.closeSocket(), worker?.close()]),
    );
    await within(stopDeadlineMs, closed).finally(() => closeDatabase(db));
    throw cause;
  }
}

/** The name under which the socket is bound and removed; its full path may be too long for a socket. */
export function socketName(socket: string): string {
  return process.platform === "win32" ? socket : basename(socket);
}

/** Rejects when `work` takes longer than `deadlineMs`. */
export async function within(deadlineMs: number, work: Promise<unknown>): Promise<void> {
  const timer = new AbortController();
  const late = delay(deadlineMs, undefined, { signal: timer.signal }).then(() => {
    throw new MemError("internal", { message: "It did not end in time." });
  });
  late.catch(() => undefined);
  await Promise.race([work, late]).finally(() => timer.abort());
}

async function open(worker: Worker, { settings, port }: ServeDeps): Promise<Listening> {
  await worker.ready();
  const host = settings.get("MEM_WORKER_HOST");
  const socket = socketName(settings.paths.socket);
  return listen({ ...worker, host, port, dataDir: settings.dataDir, socket });
}

function announce({ settings, log, identity }: ServeDeps, port: number): void {
  const { pid } = process;
  writeWorkerFile(settings.paths, {
    pid,
    process_start: processStart(pid),
    host: settings.get("MEM_WORKER_HOST"),
    port,
    version: version(),
    instance: identity.instance,
    secret: identity.secret,
    socket: settings.paths.socket,
    started_at_epoch: identity.startedAt,
  });
  log.info({ port, version: version(), pid }, "the worker answers");
  for (const notice of startNotices(settings)) log.warn(notice);
}

interface Open {
  db: Sqlite;
  worker: Worker;
  listening: Listening;
  check: IntegrityCheck;
}

function closing({ db, worker, listening, check }: Open): () => Promise<void> {
  return async () => {
    check.stop();
    try {
      await Promise.all([listening.closeSocket(), worker.close()]);
    } finally {
      closeDatabase(db);
    }
  };
}
