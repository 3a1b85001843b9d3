// Runs the command line with a private HOME and data directory: built, as users do, or called in this process.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, onTestFinished } from "vitest";
import { runCommandLine } from "../../src/cli/command-line.ts";
import { readWorkerAddress } from "../../src/client/worker-address.ts";
import { isAlive } from "../../src/core/is-alive.ts";
import { dataPaths } from "../../src/core/paths.ts";
import { serveIn } from "../helpers/called-worker.ts";
import { sharedTempDir, tempDir } from "../helpers/temp-dir.ts";
import { type WorkerHome, workerHome } from "../helpers/worker-process.ts";

const bin = fileURLToPath(new URL("../../bin/mem.js", import.meta.url));

export interface MemRun {
  code: number | null;
  stdout: string;
  stderr: string;
}

export type Mem = ((...words: string[]) => Promise<MemRun>) & {
  home: WorkerHome;
  /** The same where no file may grow, which stands for a disk that is full. */
  limited(...words: string[]): Promise<MemRun>;
  /** The same on a terminal of 80 columns, without color. */
  on80Columns(...words: string[]): Promise<MemRun>;
};

/** A `mem` with a separate home; a worker it leaves running ends with the test. */
export function memAtHome(env: NodeJS.ProcessEnv = {}): Mem {
  return memIn(testHome(env), runMem);
}

/** Like `memAtHome`, but commands run in this process: 150 ms less for each. For commands that do not read stdin. */
export function calledMem(env: NodeJS.ProcessEnv = {}): Mem {
  return memIn(testHome(env), callMem);
}

/** A `calledMem` whose worker is in this process too: 250 ms less. For commands that neither stop nor restart it. */
export function servedMem(env: NodeJS.ProcessEnv = {}): Mem {
  const home = workerHome(env);
  let served: Promise<unknown> | undefined;
  return memIn(home, async (at, words) => {
    served ??= serveIn(home);
    await served;
    return callMem(at, words);
  });
}

/** A `calledMem` for all tests of the file; its worker ends with the file. */
export function sharedMem(env: NodeJS.ProcessEnv = {}): Mem {
  return memIn(fileHome(env), callMem);
}

/**
 * Makes a `calledMem` with a separate HOME per call; one worker and its data directory serve all tests of the file. For
 * tests of what stands in HOME. What `mem install` notes in the data directory is gone after each test.
 */
export function memsOfOneWorker(): (env?: NodeJS.ProcessEnv) => Mem {
  const shared = fileHome({});
  return (env = {}) => {
    const HOME = tempDir();
    onTestFinished(() => forgetInstalls(shared.dataDir));
    return memIn({ ...shared, env: { ...shared.env, HOME, USERPROFILE: HOME, ...env } }, callMem);
  };
}

function forgetInstalls(dataDir: string): void {
  const { hookRuntime, installVersion, installs, launcher } = dataPaths(dataDir);
  for (const path of [hookRuntime, installVersion, installs, launcher])
    rmSync(path, { recursive: true, force: true });
}

function testHome(env: NodeJS.ProcessEnv): WorkerHome {
  const home = workerHome(env);
  onTestFinished(() => endWorker(home));
  return home;
}

function fileHome(env: NodeJS.ProcessEnv): WorkerHome {
  const home = workerHome(env, sharedTempDir());
  afterAll(() => endWorker(home));
  return home;
}

function memIn(home: WorkerHome, run: (home: WorkerHome, words: readonly string[]) => Promise<MemRun>): Mem {
  const mem = (...words: string[]) => run(home, words);
  const limited = (...words: string[]) =>
    runMem(home, words, ["/bin/sh", "-c", 'ulimit -f 0; exec "$0" "$@"']);
  const on80Columns = (...words: string[]) =>
    callMem({ ...home, env: { ...home.env, NO_COLOR: "1" } }, words, { isTTY: true, columns: 80 });
  return Object.assign(mem, { home, limited, on80Columns });
}

// By its pid: `mem worker stop` would start one more process per test.
async function endWorker(home: WorkerHome): Promise<void> {
  const address = readWorkerAddress(home.dataDir);
  if (address === null) return;
  if (!isAlive(address.pid)) return;
  process.kill(address.pid, "SIGTERM");
  while (isAlive(address.pid)) await sleep(5);
}

/** Runs `mem` in the home, to its end. */
export async function runMem(
  home: WorkerHome,
  words: readonly string[],
  wrapper: readonly string[] = [],
): Promise<MemRun> {
  const [program = "", ...all] = [...wrapper, process.execPath, bin, ...words];
  return endOf(spawn(program, all, { env: home.env, stdio: ["ignore", "pipe", "pipe"] }));
}

/** What a process writes to its end. */
export async function endOf(
  child: ChildProcessByStdio<Writable | null, Readable, Readable>,
): Promise<MemRun> {
  const closed = once(child, "close");
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  await closed;
  return { code: child.exitCode, stdout, stderr };
}

/** Runs `mem` in this process, which has the home, the temporary directory and the umask of `mem` meanwhile. */
export async function callMem(
  { env }: WorkerHome,
  words: readonly string[],
  terminal: { isTTY?: true; columns?: number } = {},
): Promise<MemRun> {
  const said = { stdout: "", stderr: "" };
  const stream = (name: "stdout" | "stderr") => ({
    write: (text: string) => (said[name] += text),
    on: () => undefined,
    ...terminal,
  });
  const leave = enter(env);
  try {
    const code = await runCommandLine(words, {
      environment: env,
      streams: { stdout: stream("stdout"), stderr: stream("stderr") },
      onOutputFailure: () => undefined,
    });
    return { code, ...said };
  } finally {
    leave();
  }
}

// What commands read of their process besides the environment that they are given.
const ofProcess = ["HOME", "USERPROFILE", "TMPDIR"] as const;
let entered: { env: NodeJS.ProcessEnv; calls: number; before: NodeJS.ProcessEnv; umask: number } | undefined;

function enter(env: NodeJS.ProcessEnv): () => void {
  // A command of a test that timed out may still run with its directories.
  if (entered === undefined || ofProcess.some((name) => entered?.env[name] !== env[name])) {
    const { before, umask } = entered ?? { before: { ...process.env }, umask: process.umask(0o077) };
    entered = { env, calls: 0, before, umask };
    setInProcess(env);
  }
  const inside = entered;
  inside.calls += 1;
  return () => {
    inside.calls -= 1;
    if (inside.calls > 0 || entered !== inside) return;
    setInProcess(inside.before);
    process.umask(inside.umask);
    entered = undefined;
  };
}

function setInProcess(values: NodeJS.ProcessEnv): void {
  for (const name of ofProcess) {
    const value = values[name];
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}
