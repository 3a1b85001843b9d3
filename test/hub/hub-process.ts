// A hub as a process, and its accounts, for tests of what runs over it.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, expect, onTestFinished } from "vitest";
import { callMem } from "../cli/mem.ts";
import { sharedTempDir } from "../helpers/temp-dir.ts";
import { until, type WorkerHome, workerHome } from "../helpers/worker-process.ts";

const bin = fileURLToPath(new URL("../../bin/mem.js", import.meta.url));

interface HubProcess {
  url: string;
  child: ChildProcess;
  output(): string;
  kill(signal: NodeJS.Signals): Promise<number | null>;
}

/** Starts `mem hub` with the home's data directory; it ends with the test. */
export function startHub(home: WorkerHome, ...options: string[]): Promise<HubProcess> {
  return spawnHub(home, options, onTestFinished);
}

/** A hub for all tests of the file, which make their own accounts. The first call starts it. */
export function sharedHub(): () => Promise<HubProcess & { home: WorkerHome }> {
  const home = workerHome({}, sharedTempDir());
  let started: Promise<HubProcess> | undefined;
  afterAll(async () => {
    await (await started)?.kill("SIGKILL");
  });
  return async () => {
    started ??= spawnHub(home, [], () => undefined);
    return { ...(await started), home };
  };
}

async function spawnHub(
  home: WorkerHome,
  options: readonly string[],
  atEnd: (end: () => void) => void,
): Promise<HubProcess> {
  const child = spawn(process.execPath, [bin, "hub", "start", "--port", "0", ...options], {
    env: home.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)));
  const exited = once(child, "exit");
  async function kill(signal: NodeJS.Signals): Promise<number | null> {
    child.kill(signal);
    await exited;
    return child.exitCode;
  }
  atEnd(() => void kill("SIGKILL"));
  const url = await until(() => /answers at (http:\S+)/.exec(output)?.[1], 20_000, "the hub's address");
  return { url: url.replace("0.0.0.0", "127.0.0.1"), child, output: () => output, kill };
}

export async function newAccount(home: WorkerHome, name: string) {
  const { stdout, code } = await callMem(home, ["hub", "account", "create", name, "--json"]);
  expect(code).toBe(0);
  return JSON.parse(stdout) as { id: string; name: string; token: string; token_id: string };
}
