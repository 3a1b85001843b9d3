// Starts the built worker as users get it, with a private data directory and HOME, and makes sure that it ends.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Agent, request } from "undici";
import { onTestFinished } from "vitest";
import { patienceMs } from "./eventually.ts";
import { tempDir } from "./temp-dir.ts";

/** The bundle that `mem worker start` runs. */
export const workerBundle = fileURLToPath(new URL("../../dist/worker.cjs", import.meta.url));

/** Where a worker of a test lives. */
export interface WorkerHome {
  dataDir: string;
  database: string;
  env: NodeJS.ProcessEnv;
}

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** The parsed body, or its text when it is no JSON. */
  body: unknown;
}

export interface WorkerProcess {
  pid: number;
  port: number;
  exited: Promise<Exit>;
  /** What it wrote to stdout and stderr. */
  output(): string;
  get(path: string): Promise<Answer>;
  post(path: string, body: unknown): Promise<Answer>;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<Exit>;
  /** SIGTERM; resolves when it is gone. */
  stop(): Promise<Exit>;
}

/** A data directory and a HOME below `root`, which ends with the running test by default, and the environment for them. */
export function workerHome(env: NodeJS.ProcessEnv = {}, root: string = tempDir()): WorkerHome {
  const dataDir = join(root, "data");
  mkdirSync(join(root, "home"));
  return {
    dataDir,
    database: join(dataDir, "mem.db"),
    env: {
      PATH: process.env.PATH,
      HOME: join(root, "home"),
      USERPROFILE: join(root, "home"),
      TMPDIR: root,
      MEM_DATA_DIR: dataDir,
      MEM_WORKER_PORT: "0",
      MEM_PROVIDER: "local",
      // Many tests together are slow; what a hook does at its deadline is tested without this.
      MEM_HOOK_TIMEOUT_MS: "20000",
      ...env,
    },
  };
}

interface Spawned {
  child: ChildProcess;
  exited: Promise<Exit>;
  output: () => string;
}

/** Registers what ends a worker: after the test, or after all tests of the file. */
export type AtEnd = (end: () => Promise<void>) => void;

/** Spawns the worker without waiting for it; it is killed when the test ends. `command` may wrap it (a tracer, a limit). */
export function spawnWorker(
  home: WorkerHome,
  command: readonly string[] = [process.execPath, workerBundle],
  atEnd: AtEnd = onTestFinished,
): Spawned {
  const [program = process.execPath, ...args] = command;
  const child = spawn(program, args, { env: home.env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (output += String(chunk)));
  const exited = new Promise<Exit>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
  atEnd(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  return { child, exited, output: () => output };
}

/** Starts a worker and resolves when it answers; rejects with its output when it ends before that. */
export async function startWorker(
  home: WorkerHome,
  command?: readonly string[],
  atEnd: AtEnd = onTestFinished,
): Promise<WorkerProcess> {
  const { child, exited, output } = spawnWorker(home, command, atEnd);
  const gone = exited.then(({ code, signal }) => {
    throw new Error(`the worker ended (${code ?? signal}) before it answered:\n${output()}`);
  });
  const file = await Promise.race([
    gone,
    until(() => readWorkerFile(home, child.pid), 45_000, "worker.json"),
  ]);
  gone.catch(() => undefined);

  async function end(signal: NodeJS.Signals): Promise<Exit> {
    // A wrapped worker is not our child: worker.json names the process to signal.
    process.kill(file.pid, signal);
    return exited;
  }
  return {
    pid: file.pid,
    port: file.port,
    exited,
    output,
    ...asksPort(file.port, atEnd),
    kill: () => end("SIGKILL"),
    stop: () => end("SIGTERM"),
  };
}

/** Asks the worker on the port. */
export function asksPort(port: number, atEnd: AtEnd): Pick<WorkerProcess, "get" | "post"> {
  const agent = new Agent({ connections: 64, keepAliveTimeout: 1_000 });
  atEnd(() => agent.destroy());
  async function ask(method: "GET" | "POST", path: string, body?: unknown): Promise<Answer> {
    const json = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = body === undefined ? {} : { "content-type": "application/json" };
    const url = `http://127.0.0.1:${port}${path}`;
    const answer = await request(url, { method, dispatcher: agent, headers, ...json });
    const text = await answer.body.text();
    return { status: answer.statusCode, headers: answer.headers, body: parseBody(text) };
  }
  return { get: (path) => ask("GET", path), post: (path, body) => ask("POST", path, body) };
}

/** Resolves when nothing waits for the generator any more. */
export async function drained(worker: Pick<WorkerProcess, "get">): Promise<void> {
  const isEmpty = async () =>
    JSON.stringify((await worker.get("/api/processing-status")).body).includes('"queueDepth":0');
  await until(async () => (await isEmpty()) || undefined, 60_000, "an empty queue");
}

/**
 * Polls `read` until it gives something, at first often and a long wait less often, so that others can work; rejects with
 * the name of what never came after `deadlineMs`, or after `patienceMs` where that is longer.
 */
export async function until<T>(
  read: () => T | undefined | Promise<T | undefined>,
  deadlineMs: number,
  what: string,
): Promise<T> {
  const since = performance.now();
  for (;;) {
    const value = await read();
    if (value !== undefined) return value;
    const waitedMs = performance.now() - since;
    if (waitedMs > Math.max(deadlineMs, patienceMs)) throw new Error(`${what}: not within ${waitedMs} ms`);
    await sleep(Math.min(100, 10 + waitedMs / 10));
  }
}

/** Pids of processes that carry this home in their environment; empty where there is no /proc to ask. */
export function processesOf(home: WorkerHome): number[] {
  if (!existsSync("/proc/self/environ")) return [];
  const mark = `MEM_DATA_DIR=${home.dataDir}`;
  const pids = readdirSync("/proc").filter(
    (name) => /^\d+$/.test(name) && ofProcess(name, "environ").split("\0").includes(mark),
  );
  // A process that is about to start another program is still a copy of its parent, environment included.
  const isCopy = (pid: string) => {
    const parent = /^PPid:\s*(\d+)/m.exec(ofProcess(pid, "status"))?.[1] ?? "";
    return pids.includes(parent) && ofProcess(pid, "cmdline") === ofProcess(parent, "cmdline");
  };
  return pids.filter((pid) => !isCopy(pid)).map(Number);
}

/** Empty when the process is gone. */
function ofProcess(pid: string, file: "environ" | "status" | "cmdline"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}

// worker.json is written after the worker listens. One left by a killed worker has another pid (or the same process is
// its tracer's child, then the pid only has to be alive and new).
function readWorkerFile(
  home: WorkerHome,
  childPid: number | undefined,
): { pid: number; port: number } | undefined {
  try {
    const file: unknown = JSON.parse(readFileSync(join(home.dataDir, "worker.json"), "utf8"));
    if (typeof file !== "object" || file === null || !("pid" in file) || !("port" in file)) return undefined;
    const { pid, port } = file;
    if (typeof pid !== "number" || typeof port !== "number") return undefined;
    return pid === childPid || isChildOf(pid, childPid) ? { pid, port } : undefined;
  } catch {
    return undefined;
  }
}

function isChildOf(pid: number, parent: number | undefined): boolean {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8").includes(`PPid:\t${parent}\n`);
  } catch {
    return false;
  }
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
