// Starting and stopping the worker as a process of its own.
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, constants, lstatSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { readWorkerAddress } from "../client/worker-address.ts";
import { createWorkerClient, type Health } from "../client/worker-client.ts";
import type { Clock } from "../core/clock.ts";
import { failOpenSync, MemError } from "../core/errors.ts";
import { type DataPaths, dataPaths, packageFile } from "../core/paths.ts";
import { prepareDataDirectory } from "../settings/data-dir.ts";
import { childEnvironment, type Environment } from "../settings/environment.ts";
import { terminalText } from "../text/terminal-text.ts";
import { freeBytes, minFreeBytes } from "./disk-space.ts";
import { healthOrNull, isAlive, lookAtWorker } from "./worker-state.ts";

/** The bundle that is the worker. */
export function workerBundle(): string {
  return packageFile("dist", "worker.cjs");
}

interface StartRequest {
  dataDir: string;
  environment: Environment;
  clock: Clock;
}

// A worker answers in well under a second; a damaged database takes longer.
const readyMs = 5_000;
// SIGTERM promises an end within 10 s.
const stopMs = 12_000;
const killMs = 3_000;
const lookEveryMs = 25;

/** Starts a detached worker and waits for its first answer. Throws `worker_not_ready` with what it said. */
export async function startWorker({ dataDir, environment, clock }: StartRequest): Promise<Health> {
  const paths = dataPaths(dataDir);
  prepareLogs(paths);
  const client = createWorkerClient({ dataDir });
  const child = spawnDetached(paths, environment);
  let exitCode: number | null | undefined;
  child.once("exit", (code) => {
    exitCode = code;
  });
  child.once("error", () => {
    exitCode = null;
  });
  try {
    const deadline = clock.monotonicMs() + readyMs;
    for (;;) {
      const health = await healthOrNull(client);
      if (health !== null) return health;
      // Code 0 before an answer: another worker owns the directory, and is about to answer.
      if (exitCode !== undefined && exitCode !== 0) throw notReady(paths, "The worker ended at once.");
      if (clock.monotonicMs() > deadline) throw notReady(paths, "The worker did not answer within 5 s.");
      await delay(lookEveryMs);
    }
  } finally {
    child.removeAllListeners();
    await client.close();
  }
}

// What is written there must stay in the data directory, and be read by nobody else.
function prepareLogs({ root, logs }: DataPaths): void {
  prepareDataDirectory(root);
  if (lstatSync(logs, { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw new MemError("data_dir_unusable", {
      message: `${logs} is a symbolic link, so nothing is written there.`,
      hint: "Put a directory in its place, or remove it.",
    });
  }
  prepareDataDirectory(logs);
}

/** What to say when the worker's code, or a package that it loads, is not there. */
export function missingPackage(cause?: unknown): MemError {
  return new MemError("worker_not_ready", {
    message: "A package that the worker needs is missing.",
    hint: `Run \`npm install\` in ${packageFile()}.`,
    cause,
  });
}

interface StopRequest {
  dataDir: string;
  clock: Clock;
  /** Ends a worker that does not end by itself: it loses nothing that was acknowledged. */
  force: boolean;
}

/**
 * Stops the worker of a data directory and waits for its end; the pid, or null when none ran. Only a process that is
 * known as the worker that wrote worker.json is signalled: pids are used again.
 */
export async function stopWorker({ dataDir, clock, force }: StopRequest): Promise<number | null> {
  const address = readWorkerAddress(dataDir);
  const state = await lookAtWorker(dataDir);
  if (address === null || state.is === "stopped") return null;
  if (state.is === "doubtful") throw doubtful(state.pid);
  if (state.is === "answering" && state.health.instance !== address.instance) {
    throw new MemError("conflict", { message: "The worker was replaced meanwhile.", hint: "Run it again." });
  }
  const pid = state.is === "answering" ? state.health.pid : state.pid;
  process.kill(pid, "SIGTERM");
  if (await ends(pid, stopMs, clock)) return pid;
  if (force) {
    process.kill(pid, "SIGKILL");
    if (await ends(pid, killMs, clock)) return pid;
  }
  throw new MemError("worker_unreachable", {
    message: `The worker (process ${pid}) has not ended within 12 s.`,
    hint: `See \`mem worker logs\`; \`kill -9 ${pid}\` ends it, and loses nothing that was acknowledged.`,
  });
}

async function ends(pid: number, withinMs: number, clock: Clock): Promise<boolean> {
  const deadline = clock.monotonicMs() + withinMs;
  while (isAlive(pid)) {
    if (clock.monotonicMs() > deadline) return false;
    await delay(lookEveryMs);
  }
  return true;
}

// Its log is worker.log; what it says before it has one, or when it dies, is kept beside that.
function spawnDetached(paths: DataPaths, environment: Environment): ChildProcess {
  const startLog = openStartLog(startLogFile(paths));
  try {
    const child = spawn(process.execPath, [workerBundle()], {
      cwd: paths.root,
      env: childEnvironment(environment, { MEM_DATA_DIR: paths.root }),
      detached: true,
      stdio: ["ignore", "ignore", startLog],
      windowsHide: true,
    });
    child.unref();
    return child;
  } finally {
    closeSync(startLog);
  }
}

function openStartLog(path: string): number {
  const { O_CREAT, O_NOFOLLOW = 0, O_TRUNC, O_WRONLY } = constants;
  try {
    return openSync(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600);
  } catch (cause) {
    throw new MemError("data_dir_unusable", {
      message: `${path} cannot be written.`,
      hint: "Remove it.",
      cause,
    });
  }
}

function startLogFile(paths: DataPaths): string {
  return join(paths.logs, "worker-start.log");
}

function notReady(paths: DataPaths, message: string): MemError {
  const said = failOpenSync("read what the worker said", () => readFileSync(startLogFile(paths), "utf8"));
  const lines = terminalText(said ?? "").trim();
  if (/\bMODULE_NOT_FOUND\b/.test(lines)) return missingPackage();
  if (lines !== "") return new MemError("worker_not_ready", { message: `${message}\n${lines}` });
  // On a full disk it could not leave a word either.
  const free = freeBytes(paths.root);
  if (free === null || free >= minFreeBytes) return new MemError("worker_not_ready", { message });
  return new MemError("storage_full", { message: `${message} The disk of ${paths.root} is full.` });
}

function doubtful(pid: number): MemError {
  return new MemError("worker_unreachable", {
    message: `Process ${pid} may be the worker, but it does not answer, so it was left alone.`,
    hint: `Look at it with \`ps -p ${pid}\`; if it is \`mem\`, end it with \`kill ${pid}\`.`,
  });
}
