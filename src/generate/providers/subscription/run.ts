// One run of the host CLI as a child process; none of its processes survives the run.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { ModelFailure } from "../../model-failure.ts";
import { recordCall } from "./call-record.ts";
import { endProcessGroup, killLeftovers } from "./process-group.ts";

interface HostCliRun {
  command: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  /** Working folder. */
  folder: string;
  /** Folder of the records of running calls. */
  records: string;
  input: string;
  graceMs: number;
}

export interface HostCliOutput {
  stdout: string;
  /** The end of it. */
  stderr: string;
  /** Null when a signal ended it. */
  exitCode: number | null;
}

const maxStdoutBytes = 4 * 1_048_576;
const keptStderrBytes = 8_192;
// After the exit, for a pipe that a process outside the group holds open.
const pipeWaitMs = 1_000;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** Rejects with `signal`'s reason after the last process is gone. */
export async function runHostCli(run: HostCliRun, signal: AbortSignal): Promise<HostCliOutput> {
  signal.throwIfAborted();
  const child = start(run);
  const exited = exitOf(child, run.command);
  const { pid } = child;
  // The error event rejects.
  if (pid === undefined) return exited.then(() => ({ stdout: "", stderr: "", exitCode: null }));
  const flooded = new AbortController();
  const read = collect(child, () => flooded.abort(tooLarge()));
  const stop = AbortSignal.any([signal, flooded.signal]);
  let forget: (() => void) | undefined;
  try {
    forget = recordCall(run.records, pid);
    child.stdin.end(run.input);
    await Promise.race([exited, aborted(stop)]);
    stop.throwIfAborted();
    killLeftovers(pid);
    await Promise.race([closed(child), sleep(pipeWaitMs, undefined, { ref: false })]);
    stop.throwIfAborted();
    return { ...read(), exitCode: child.exitCode };
  } catch (cause) {
    await endProcessGroup(pid, run.graceMs);
    throw cause;
  } finally {
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
    forget?.();
  }
}

// In its own group, so that one signal reaches everything the CLI starts. On Windows that would open a console.
function start({ command, args, env, folder }: HostCliRun): Child {
  const isPosix = process.platform !== "win32";
  try {
    const stdio: ["pipe", "pipe", "pipe"] = ["pipe", "pipe", "pipe"];
    const child = spawn(command, args, { cwd: folder, env, detached: isPosix, windowsHide: true, stdio });
    // A CLI that ends before it has read all input explains it in its output.
    child.stdin.on("error", () => undefined);
    return child;
  } catch (cause) {
    throw notStarted(command, cause);
  }
}

function exitOf(child: Child, command: string): Promise<void> {
  const exited = new Promise<void>((resolve, reject) => {
    child.once("error", (cause) => reject(notStarted(command, cause)));
    child.once("exit", () => resolve());
  });
  exited.catch(() => undefined);
  return exited;
}

function closed(child: Child): Promise<void> {
  if (child.stdout.closed && child.stderr.closed) return Promise.resolve();
  return new Promise((resolve) => child.once("close", () => resolve()));
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

function collect(child: Child, onFlood: () => void): () => { stdout: string; stderr: string } {
  const chunks: Buffer[] = [];
  let size = 0;
  let stderr = Buffer.alloc(0);
  child.stdout.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size <= maxStdoutBytes) chunks.push(chunk);
    else onFlood();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderr = Buffer.concat([stderr, chunk]).subarray(-keptStderrBytes);
  });
  return () => ({ stdout: Buffer.concat(chunks).toString("utf8"), stderr: stderr.toString("utf8") });
}

function tooLarge(): ModelFailure {
  return new ModelFailure("bad_answer", "The host CLI wrote more than 4 MB.");
}

// Faults of the file pause the provider: only the user can fix them.
const faultsOfFile = ["ENOENT", "EACCES", "EPERM", "ENOTDIR", "ENOEXEC", "ELOOP", "EINVAL"];

function notStarted(command: string, cause: unknown): ModelFailure {
  const code = String((cause as { code?: unknown } | null)?.code ?? "unknown");
  const sentence = `The host CLI ${command} cannot be started (${code}).`;
  if (!faultsOfFile.includes(code)) return new ModelFailure("unavailable", sentence, { cause });
  return new ModelFailure("auth", `${sentence} Name it with \`mem settings set HOST_CLI_PATH <path>\`.`, {
    cause,
    fix: "command",
  });
}

/** Why the file cannot be started; null when it looks startable. */
export function commandFault(command: string): ModelFailure | null {
  try {
    if (!statSync(command).isFile()) return notStarted(command, { code: "EACCES" });
    accessSync(command, constants.X_OK);
    return null;
  } catch (cause) {
    return notStarted(command, cause);
  }
}
