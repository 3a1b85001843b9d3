// worker.json: lets hooks and the command line find the running worker, and tell it from another process on its port.
import { createHmac } from "node:crypto";
import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { processStart } from "../core/clock.ts";
import { failOpenSync } from "../core/errors.ts";
import { type DataPaths, packageFile } from "../core/paths.ts";

/** Names this run of the worker, and proves it to readers of worker.json. */
export interface WorkerIdentity {
  instance: string;
  secret: string;
  startedAt: number;
}

export interface WorkerFile {
  pid: number;
  /** Start time of the process: with the pid it identifies this worker. */
  process_start: string | null;
  host: string;
  port: number;
  version: string;
  /** Names this run of the worker. */
  instance: string;
  /** Proves over TCP that the answering worker is the one that wrote this file. */
  secret: string;
  socket: string;
  started_at_epoch: number;
}

/**
 * Writes worker.json and the two lines that lead the shell launcher to Node, both 0600 and atomic. Removes the mark of a
 * hung worker.
 */
export function writeWorkerFile(paths: DataPaths, file: WorkerFile): void {
  rmSync(paths.hungMark, { force: true });
  writeWhole(paths.hookRuntime, `${process.execPath}\n${packageFile("dist", "hook.cjs")}\n`);
  // Last: a host that saw this worker can start the next one, even if this one is killed now.
  writeWhole(paths.workerFile, `${JSON.stringify(file, null, 2)}\n`);
}

/** The file of the running (or killed) worker; undefined if missing or incomplete. */
export function readWorkerFile(paths: DataPaths): WorkerFile | undefined {
  return failOpenSync("reading worker.json", () => {
    const file = JSON.parse(readFileSync(paths.workerFile, "utf8")) as Partial<WorkerFile>;
    return typeof file.pid === "number" && typeof file.port === "number" ? (file as WorkerFile) : undefined;
  });
}

/** True while another process that wrote worker.json runs. */
export function writerRuns(paths: DataPaths): boolean {
  const { pid, process_start: start } = readWorkerFile(paths) ?? {};
  return pid !== undefined && pid !== process.pid && typeof start === "string" && processStart(pid) === start;
}

/** Removes worker.json and the hung mark, unless a later instance wrote the file. */
export function removeWorkerFile(paths: DataPaths, instance: string): void {
  if (readWorkerFile(paths)?.instance !== instance) return;
  for (const file of [paths.workerFile, paths.hungMark]) rmSync(file, { force: true });
}

/** HMAC of the nonce with the secret, in hex. */
export function proveInstance(secret: string, nonce: string): string {
  return createHmac("sha256", secret).update(nonce).digest("hex");
}

// Written to a new file and renamed: readers see the old or the new text, and a planted link is replaced, not followed.
function writeWhole(path: string, text: string): void {
  const beside = `${path}.${process.pid}`;
  rmSync(beside, { force: true });
  writeFileSync(beside, text, { mode: 0o600, flag: "wx" });
  chmodSync(beside, 0o600);
  renameSync(beside, path);
}
