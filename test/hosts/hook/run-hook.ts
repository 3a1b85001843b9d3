// Runs a hook as a host does: a process with the payload on stdin and its own HOME.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { parseSpoolLine, type SpoolLine } from "../../../src/core/records/spool.ts";
import { hookCommand } from "../../../src/hosts/hook-command.ts";
import { eventually } from "../../helpers/eventually.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

const hooks = fileURLToPath(new URL("../../../hooks", import.meta.url));
const bundle = fileURLToPath(new URL("../../../dist/hook.cjs", import.meta.url));
const bin = fileURLToPath(new URL("../../../bin/mem.js", import.meta.url));
const claudeCode = "claude-code";

/** Every way to run the hook, as a command line. */
export const launchers = {
  "as registered": registered,
  "as registered, without perl": (event: string, host?: string) => [
    "env",
    `PATH=${binWith("sh", "cat", "node")}`,
    ...registered(event, host),
  ],
  "mem-hook.sh": (event: string, host = claudeCode) => ["/bin/sh", join(hooks, "mem-hook.sh"), host, event],
  "bash mem-hook.sh": (event: string, host = claudeCode) => ["bash", join(hooks, "mem-hook.sh"), host, event],
  "the Node bundle": (event: string, host = claudeCode) => [process.execPath, bundle, host, event],
  "mem hook": (event: string, host = claudeCode) => [process.execPath, bin, "hook", event, "--host", host],
} satisfies Record<string, (event: string, host?: string) => string[]>;

function registered(event: string, host = claudeCode): string[] {
  const request = { host, event, launcher: { folder: hooks }, dataDir: null };
  return ["/bin/sh", "-c", hookCommand(request)];
}

/** A folder for PATH with links to the programs that the machine has; removed after the running test. */
export function binWith(...programs: string[]): string {
  const bin = tempDir();
  const folders = [dirname(process.execPath), ...(process.env.PATH ?? "").split(":")];
  for (const program of programs) {
    const found = folders.map((folder) => join(folder, program)).find((place) => existsSync(place));
    if (found !== undefined) symlinkSync(found, join(bin, program));
  }
  return bin;
}

export type LauncherName = keyof typeof launchers;

export interface HookHome {
  dataDir: string;
  env: NodeJS.ProcessEnv;
}

/** A data directory that does not exist yet, and an environment that leads hooks there. */
export function hookHome(env: NodeJS.ProcessEnv = {}): HookHome {
  const root = tempDir();
  const home = join(root, "home");
  mkdirSync(home);
  const dataDir = join(root, "data");
  return {
    dataDir,
    env: { PATH: process.env.PATH, HOME: home, TMPDIR: root, MEM_DATA_DIR: dataDir, ...env },
  };
}

/** The same for tests of what a hook prints: it waits for the reply on a busy machine too. */
export function patientHome(env: NodeJS.ProcessEnv = {}): HookHome {
  return hookHome({ MEM_HOOK_TIMEOUT_MS: "20000", ...env });
}

export interface HookRun {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** Runs the command with `input` on stdin, to its end. */
export async function runHook(command: readonly string[], home: HookHome, input: string): Promise<HookRun> {
  const [program = "", ...words] = command;
  const child = spawn(program, words, { env: home.env, stdio: ["pipe", "pipe", "pipe"] });
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  const ended = new Promise<Pick<HookRun, "code" | "signal">>((resolve) => {
    child.on("close", (code, signal) => resolve({ code, signal }));
  });
  const [stdout, stderr, end] = await Promise.all([buffer(child.stdout), buffer(child.stderr), ended]);
  return { ...end, stdout: stdout.toString(), stderr: stderr.toString() };
}

/** The events in the spool, oldest first. */
export function spooled({ dataDir }: HookHome): SpoolLine[] {
  const spool = join(dataDir, "spool");
  if (!existsSync(spool)) return [];
  const files = readdirSync(spool)
    .filter((name) => name.endsWith(".jsonl"))
    .sort();
  const lines = files.flatMap((name) => textOf(join(spool, name)).split("\n"));
  return lines.map(parseSpoolLine).filter((line) => line !== null);
}

/**
 * Waits until a running worker has taken what hooks spooled. The end of a session has no patience, and after a wait without a
 * reply the next hooks would not ask the worker.
 */
export async function settled({ dataDir }: HookHome): Promise<void> {
  const files = () => (existsSync(join(dataDir, "spool")) ? readdirSync(join(dataDir, "spool")) : []);
  await eventually(() => expect(files().filter((name) => name.includes(".jsonl"))).toEqual([]));
  rmSync(join(dataDir, "worker-hung"), { force: true });
}

// The worker removes a file when it has read it.
function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    if (existsSync(path)) throw cause;
    return "";
  }
}
