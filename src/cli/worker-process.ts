// Starts and stops the worker as a separate process.
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, constants, lstatSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { readWorkerAddress } from "../client/worker-address.ts";
import { createWorkerClient, type Health } from "../client/worker-client.ts";
import type { Clock } from "../core/clock.ts";
import { unlessMissing } from "../core/error-code.ts";
import { failOpenSync, MemError } from "../core/errors.ts";
import { isAlive } from "../core/is-alive.ts";
import { type DataPaths, dataPaths, packageFile } from "../core/paths.ts";
import { prepareDataDirectory } from "../settings/data-dir.ts";
import { childEnvironment, type Environment } from "../settings/environment.ts";
import { terminalText } from "../text/terminal-text.ts";
import { freeBytes, minFreeBytes } from "./checks/disk.ts";
import { demandSqlite } from "./checks/sqlite.ts";
import type { Io } from "./io.ts";
import { healthOrNull, lookAtWorker } from "./worker-state.ts";

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

/** Starts a detached worker and waits for its first answer. Throws `worker_not_ready` with its output. */
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
      if (exitCode !== undefined && exitCode !== 0) throw notReady(paths, "The worker exited immediately.");
      if (clock.monotonicMs() > deadline) throw notReady(paths, "The worker did not answer within 5 s.");
      await delay(lookEveryMs);
    }
  } finally {
    child.removeAllListeners();
    await client.close();
  }
}

// Logs must stay in the data directory, where only this user can read them.
function prepareLogs({ root, logs }: DataPaths): void {
  prepareDataDirectory(root);
  if (unlessMissing(() => lstatSync(logs))?.isSymbolicLink()) {
    throw new MemError("data_dir_unusable", {
      message: `${logs} is a symbolic link, so nothing is written there.`,
      hint: "Replace it with a directory, or remove it.",
    });
  }
  prepareDataDirectory(logs);
}

/** Throws `worker_not_ready` in a copy that `yarn dlx` removes with the end of the command: worker and hooks would lose it. */
export function demandLasting(): void {
  if (!/[\\/]dlx-\d+[\\/]/.test(packageFile())) return;
  throw new MemError("worker_not_ready", {
    message: "`yarn dlx` removes mem when the command ends, so no worker and no hook can use it.",
    hint: "Install it: `npm install -g agent-mem`.",
  });
}

/** Stops the worker and starts another, once it is known that this Node can load SQLite. */
export async function restartWorker(request: StartRequest): Promise<void> {
  await demandSqlite(request.environment);
  await stopWorker({ ...request, force: false });
  await startWorker(request);
}

/** The error when the worker's code, or a package that it loads, is missing. */
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
  /** Kills a worker that does not stop: it loses no acknowledged event. */
  force: boolean;
}

/**
 * Stops the worker of a data directory and waits for its end; the pid, or null when none ran. Signals only the process
 * that is known to have written worker.json: pids are reused.
 */
export async function stopWorker({ dataDir, clock, force }: StopRequest): Promise<number | null> {
  const address = readWorkerAddress(dataDir);
  const state = await lookAtWorker(dataDir);
  if (address === null || state.is === "stopped") return null;
  if (state.is === "doubtful") throw doubtful(state.pid);
  if (state.is === "answering" && state.health.instance !== address.instance) {
    throw new MemError("conflict", {
      message: "Another worker has started meanwhile.",
      hint: "Run the command again.",
    });
  }
  const pid = state.is === "answering" ? state.health.pid : state.pid;
  process.kill(pid, "SIGTERM");
  if (await ends(pid, stopMs, clock)) return pid;
  if (force) {
    process.kill(pid, "SIGKILL");
    if (await ends(pid, killMs, clock)) return pid;
  }
  throw new MemError("worker_unreachable", {
    message: `The worker (process ${pid}) did not stop within 12 s.`,
    hint: `See \`mem worker logs\`. \`kill -9 ${pid}\` kills it; no acknowledged event is lost.`,
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

// The start log holds what it writes before it opens worker.log, or when it dies.
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
  const output = failOpenSync("read the start log", () => readFileSync(startLogFile(paths), "utf8"));
  const lines = terminalText(output ?? "").trim();
  if (/\bMODULE_NOT_FOUND\b/.test(lines)) return missingPackage();
  // The worker's own error, as worker/main.ts prints it.
  const [, error, hint] = /^mem: ((?:SQLite|mem) .*)\n {2}(.*)$/.exec(lines) ?? [];
  if (error !== undefined && hint !== undefined)
    return new MemError("worker_not_ready", { message: error, hint });
  if (lines !== "") return new MemError("worker_not_ready", { message: `${message}\n${lines}` });
  // On a full disk the start log is empty too.
  const free = freeBytes(paths.root);
  if (free === null || free >= minFreeBytes) return new MemError("worker_not_ready", { message });
  return new MemError("storage_full", { message: `${message} The disk of ${paths.root} is full.` });
}

function doubtful(pid: number): MemError {
  return new MemError("worker_unreachable", {
    message: `Process ${pid} may be the worker, but it does not answer, so it was left alone.`,
    hint: `Check it with \`ps -p ${pid}\`; if it is \`mem\`, stop it with \`kill ${pid}\`.`,
  });
}

const slowAfterMs = 1_000;

/** Runs `work`; writes `note` to a terminal once when it takes longer than a second. */
export async function whileSlow<T>(
  io: Pick<Io, "err" | "talksToTerminal">,
  note: string,
  work: () => Promise<T>,
): Promise<T> {
  const timer = io.talksToTerminal ? setTimeout(() => io.err(note), slowAfterMs) : undefined;
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}
