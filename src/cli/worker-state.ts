// Whether the worker is stopped, answers, or hangs.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { readWorkerAddress } from "../client/worker-address.ts";
import { createWorkerClient, type Health, type WorkerClient } from "../client/worker-client.ts";
import { processStart } from "../core/clock.ts";
import { codeOf } from "../core/error-code.ts";
import { failOpenSync, MemError } from "../core/errors.ts";
import { isAlive } from "../core/is-alive.ts";

/** `silent`: our process holds its address but does not answer. `doubtful`: a process that may be ours. */
export type WorkerState =
  | { is: "stopped" }
  | { is: "answering"; health: Health }
  | { is: "silent"; pid: number }
  | { is: "doubtful"; pid: number };

// A worker on this machine answers in milliseconds.
const probeDeadlines = { connectMs: 1_000, answerMs: 1_500 };

/** The state of the worker of a data directory. Throws an error that the worker answers. */
export async function lookAtWorker(dataDir: string): Promise<WorkerState> {
  const client = createWorkerClient({ dataDir, deadlines: probeDeadlines });
  try {
    return { is: "answering", health: await client.health() };
  } catch (error) {
    if (!(error instanceof MemError && error.code === "worker_unreachable")) throw error;
    const address = readWorkerAddress(dataDir);
    if (address === null || !isAlive(address.pid)) return { is: "stopped" };
    const { pid, processStart: start } = address;
    // The pid was reused.
    if (start !== null && processStart(pid) !== start) return { is: "stopped" };
    return { is: isHeld(error) && (start !== null || isWorkerProcess(pid)) ? "silent" : "doubtful", pid };
  } finally {
    await client.close();
  }
}

/** The worker's health, null when it cannot be reached. */
export async function healthOrNull(client: Pick<WorkerClient, "health">): Promise<Health | null> {
  try {
    return await client.health();
  } catch (error) {
    if (error instanceof MemError && error.code === "worker_unreachable") return null;
    throw error;
  }
}

/** The error for a worker that hangs. */
export function silentWorker(pid: number): MemError {
  return new MemError("worker_unreachable", {
    message: `The worker hangs: process ${pid} does not answer.`,
    hint: `Restart it: \`mem worker restart\`. By hand: \`kill -9 ${pid}\`, then \`mem worker start\`. No acknowledged event is lost.`,
  });
}

// A refused connection means that nothing listens; an answer of another program has no cause.
function isHeld({ cause }: MemError): boolean {
  return cause instanceof Error && !["ECONNREFUSED", "ENOENT"].includes(codeOf(cause));
}

// For a worker.json without the start time of its process: only a process that looks like a worker is signaled.
function isWorkerProcess(pid: number): boolean {
  return /worker\.cjs|worker\s+start/.test(commandLineOf(pid));
}

function commandLineOf(pid: number): string {
  if (process.platform === "win32") return "";
  const file = `/proc/${pid}/cmdline`;
  if (process.platform === "linux") {
    return (failOpenSync("read a command line", () => readFileSync(file, "utf8")) ?? "").replaceAll(
      "\0",
      " ",
    );
  }
  const options = { encoding: "utf8", timeout: 2_000 } as const;
  return spawnSync("ps", ["-o", "command=", "-p", String(pid)], options).stdout ?? "";
}
