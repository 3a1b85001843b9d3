// Runs the built command line as users do: a process with a private HOME and data directory.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, onTestFinished } from "vitest";
import { readWorkerAddress } from "../../src/client/worker-address.ts";
import { isAlive } from "../../src/core/is-alive.ts";
import { sharedTempDir } from "../helpers/temp-dir.ts";
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
};

/** A `mem` with a separate home; a worker it leaves running ends with the test. */
export function memAtHome(env: NodeJS.ProcessEnv = {}): Mem {
  const home = workerHome(env);
  onTestFinished(() => endWorker(home));
  return memIn(home);
}

/** A `mem` for all tests of the file; its worker ends with the file. */
export function sharedMem(env: NodeJS.ProcessEnv = {}): Mem {
  const home = workerHome(env, sharedTempDir());
  afterAll(() => endWorker(home));
  return memIn(home);
}

function memIn(home: WorkerHome): Mem {
  const mem = (...words: string[]) => runMem(home, words);
  const limited = (...words: string[]) =>
    runMem(home, words, ["/bin/sh", "-c", 'ulimit -f 0; exec "$0" "$@"']);
  return Object.assign(mem, { home, limited });
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
  const child = spawn(program, all, {
    env: home.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const closed = once(child, "close");
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  await closed;
  return { code: child.exitCode, stdout, stderr };
}
