// A worker in this process, with its port, socket and worker.json: for tests that ask a worker and are not about its process.
import { afterAll, onTestFinished } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { makePrivateDirectory } from "../../src/core/directory.ts";
import { newId, newSecret } from "../../src/core/ids.ts";
import { createLog } from "../../src/core/log.ts";
import { version } from "../../src/core/version.ts";
import { loadSettings } from "../../src/settings/load.ts";
import { withLateStatements } from "../../src/store/sqlite/late-statements.ts";
import { closeDatabase, openDatabase } from "../../src/store/sqlite/open.ts";
import { buildWorker } from "../../src/worker/build.ts";
import { listen } from "../../src/worker/listen.ts";
import { writeWorkerFile } from "../../src/worker/worker-file.ts";
import { sharedTempDir } from "./temp-dir.ts";
import { type AtEnd, asksPort, type WorkerHome, type WorkerProcess, workerHome } from "./worker-process.ts";

export interface CalledWorker extends Pick<WorkerProcess, "port" | "get" | "post"> {
  stop(): Promise<unknown>;
}

type Prepare = (home: WorkerHome) => void;

/** A worker for the running test; `prepare` writes its database. */
export function callWorker(prepare: Prepare = () => undefined, env = {}): Promise<CalledWorker> {
  const home = workerHome(env);
  prepare(home);
  return serveIn(home);
}

/** A worker for the tests of a file that leave its records as they are: the first call starts it, it ends with the file. */
export function sharedWorker(prepare: Prepare = () => undefined): () => Promise<CalledWorker> {
  const home = workerHome({}, sharedTempDir());
  let started: Promise<CalledWorker> | undefined;
  afterAll(async () => (await started)?.stop());
  return () => {
    if (started === undefined) prepare(home);
    started ??= serveIn(home, () => undefined);
    return started;
  };
}

/** Resolves when it answers. No command may stop it: the process in its worker.json is that of the tests. */
export async function serveIn(home: WorkerHome, atEnd: AtEnd = onTestFinished): Promise<CalledWorker> {
  const settings = loadSettings({ dataDir: home.dataDir, env: home.env });
  const { paths, dataDir } = settings;
  for (const directory of [paths.logs, paths.spool]) makePrivateDirectory(directory);
  const { log, close: closeLog } = createLog(paths.logFile, settings.get("MEM_LOG_LEVEL"));
  const identity = { instance: newId(), secret: newSecret(), startedAt: systemClock.now() };
  const db = openDatabase(paths.database, { product: version(), now: systemClock.now() });
  const host = settings.get("MEM_WORKER_HOST");
  let port = settings.get("MEM_WORKER_PORT");
  const deps = { settings, env: home.env, log, clock: systemClock, identity, port: () => port };
  const worker = buildWorker({ db: withLateStatements(db), ...deps });
  await worker.ready();
  const listening = await listen({ ...worker, host, port, dataDir, socket: paths.socket });
  port = listening.port;
  worker.start();
  writeWorkerFile(paths, {
    pid: process.pid,
    process_start: null,
    host,
    port,
    version: version(),
    instance: identity.instance,
    secret: identity.secret,
    socket: paths.socket,
    started_at_epoch: identity.startedAt,
  });
  const ends: (() => Promise<void>)[] = [];
  const asks = asksPort(port, (end) => ends.push(end));
  async function end(): Promise<void> {
    await Promise.all([listening.closeSocket(), worker.close(), ...ends.map((each) => each())]);
    closeDatabase(db);
    await closeLog();
  }
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= end());
  atEnd(stop);
  return { port, stop, ...asks };
}
