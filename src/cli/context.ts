// What every command is given: streams, the environment, and lazy ways to the settings and the worker.
import { createWorkerClient, type WorkerClient } from "../client/worker-client.ts";
import { type Clock, systemClock } from "../core/clock.ts";
import { type DataPaths, dataPaths } from "../core/paths.ts";
import { dataDirectory } from "../settings/data-dir.ts";
import type { Environment } from "../settings/environment.ts";
import { type LoadedSettings, loadSettings } from "../settings/load.ts";
import type { Io } from "./io.ts";

export interface CliContext {
  readonly io: Io;
  readonly environment: Environment;
  readonly clock: Clock;
  /** The data directory. Throws `data_dir_unusable`. */
  dataDir(): string;
  paths(): DataPaths;
  /** The settings in effect; with `write`, settings.json is made when it is missing. */
  settings(access: "read" | "write"): LoadedSettings;
  /** The client of the worker; closed when the command ends. */
  worker(): WorkerClient;
  /** The exit code when the command ends without an error. */
  exitWith(code: number): void;
}

export interface OwnedCliContext extends CliContext {
  exitCode(): number;
  close(): Promise<void>;
}

/** The context of one run of the command line. */
export function createCliContext(io: Io, environment: Environment): OwnedCliContext {
  let client: WorkerClient | undefined;
  let code = 0;
  const dataDir = () => dataDirectory(environment);
  return {
    io,
    environment,
    clock: systemClock,
    dataDir,
    paths: () => dataPaths(dataDir()),
    settings: (access) => loadSettings({ dataDir: dataDir(), env: environment, readOnly: access === "read" }),
    worker: () => {
      client ??= createWorkerClient({ dataDir: dataDir() });
      return client;
    },
    exitWith: (wanted) => {
      code = wanted;
    },
    exitCode: () => code,
    close: async () => client?.close(),
  };
}
