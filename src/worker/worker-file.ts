// worker.json: how hooks and the command line find the running worker, and tell it from a stranger on its port.
import { createHmac } from "node:crypto";
import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { failOpenSync } from "../errors.ts";
import { type DataPaths, packageFile } from "../paths.ts";

export interface WorkerFile {
  pid: number;
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

/** Writes worker.json and the two lines that the shell launcher needs to find Node, both 0600, each in one step. */
export function writeWorkerFile(paths: DataPaths, file: WorkerFile): void {
  writeWhole(paths.workerFile, `${JSON.stringify(file, null, 2)}\n`);
  writeWhole(paths.hookRuntime, `${process.execPath}\n${packageFile("dist", "hook.cjs")}\n`);
}

/** The file of the worker that runs (or was killed); undefined when there is none or it is not whole. */
export function readWorkerFile(paths: DataPaths): WorkerFile | undefined {
  return failOpenSync("reading worker.json", () => {
    const file = JSON.parse(readFileSync(paths.workerFile, "utf8")) as Partial<WorkerFile>;
    return typeof file.pid === "number" && typeof file.port === "number" ? (file as WorkerFile) : undefined;
  });
}

/** Removes worker.json, unless a later instance has written it. */
export function removeWorkerFile(paths: DataPaths, instance: string): void {
  if (readWorkerFile(paths)?.instance === instance) rmSync(paths.workerFile, { force: true });
}

/** The answer to a nonce that only the holder of the secret can give, in hex. */
export function proveInstance(secret: string, nonce: string): string {
  return createHmac("sha256", secret).update(nonce).digest("hex");
}

// Written beside and renamed: a reader sees the old file or the new one, and a planted symlink is replaced, not followed.
function writeWhole(path: string, text: string): void {
  const beside = `${path}.${process.pid}`;
  rmSync(beside, { force: true });
  writeFileSync(beside, text, { mode: 0o600, flag: "wx" });
  chmodSync(beside, 0o600);
  renameSync(beside, path);
}
