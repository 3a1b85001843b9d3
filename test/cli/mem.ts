// Runs the built command line as users do: a process with a private HOME and data directory.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { dataPaths } from "../../src/core/paths.ts";
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

/** A `mem` with a private HOME; a worker that it leaves running is stopped when the test ends. */
export function memAtHome(env: NodeJS.ProcessEnv = {}): Mem {
  const home = workerHome(env);
  const mem = (...words: string[]) => runMem(home, words);
  onTestFinished(async () => {
    if (existsSync(dataPaths(home.dataDir).workerFile)) await runMem(home, ["worker", "stop"]);
  });
  const limited = (...words: string[]) =>
    runMem(home, words, ["/bin/sh", "-c", 'ulimit -f 0; exec "$0" "$@"']);
  return Object.assign(mem, { home, limited });
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
