// What every command is given: streams, the environment, settings and the client of the worker.
import { createWorkerClient, type WorkerClient } from "../client/worker-client.ts";
import { type Clock, systemClock } from "../core/clock.ts";
import { type DataPaths, dataPaths } from "../core/paths.ts";
import { dataDirectory } from "../settings/data-dir.ts";
import type { Environment } from "../settings/environment.ts";
import { type LoadedSettings, loadSettings } from "../settings/load.ts";
import type { Io, OwnedIo } from "./io.ts";
import { demandLasting, startWorker } from "./worker-process.ts";
import { lookAtWorker } from "./worker-state.ts";

export interface CliContext {
  readonly io: Io;
  readonly environment: Environment;
  readonly clock: Clock;
  /** The data directory. Throws `data_dir_unusable`. */
  dataDir(): string;
  paths(): DataPaths;
  /** The settings in effect; `write` creates a missing settings.json. */
  settings(access: "read" | "write"): LoadedSettings;
  /** The client of the worker, which the first request starts when it is stopped. Closed when the command ends. */
  worker(deadlines?: { answerMs: number }): WorkerClient;
  /** From now on a start of the worker is not said: a program has the terminal. */
  quiet(): void;
  /** Runs `work` with its output in the pager of the terminal. */
  paged<T>(work: () => Promise<T>): Promise<T>;
  /** The exit code when the command ends without an error. */
  exitWith(code: number): void;
}

export interface OwnedCliContext extends CliContext {
  exitCode(): number;
  close(): Promise<void>;
}

/** The context of one run of the command line. */
export function createCliContext(io: OwnedIo, environment: Environment): OwnedCliContext {
  let client: WorkerClient | undefined;
  let code = 0;
  let isQuiet = false;
  const dataDir = () => dataDirectory(environment);
  const settings = (access: "read" | "write") =>
    loadSettings({ dataDir: dataDir(), env: environment, readOnly: access === "read" });
  const clock = systemClock;

  async function startWhenStopped(): Promise<boolean> {
    const state = await lookAtWorker(dataDir());
    if (state.is === "silent" || state.is === "doubtful") return false;
    if (state.is === "stopped") {
      demandLasting();
      await startWorker({ dataDir: settings("write").dataDir, environment, clock });
      if (io.talksToTerminal && !isQuiet) io.err(io.errPaint.dim("Started the worker."));
    }
    return true;
  }

  return {
    io,
    environment,
    clock,
    dataDir,
    paths: () => dataPaths(dataDir()),
    settings,
    worker: (deadlines) => {
      client ??= createWorkerClient({
        dataDir: dataDir(),
        start: startWhenStopped,
        ...(deadlines && { deadlines }),
      });
      return client;
    },
    quiet: () => {
      isQuiet = true;
    },
    paged: io.paged,
    exitWith: (wanted) => {
      code = wanted;
    },
    exitCode: () => code,
    close: async () => client?.close(),
  };
}
