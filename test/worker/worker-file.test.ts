// worker.json announces a worker that hosts can already replace.
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { expect, test } from "vitest";
import { dataPaths } from "../../src/core/paths.ts";
import { readWorkerFile, writeWorkerFile } from "../../src/worker/worker-file.ts";
import { tempDir } from "../helpers/temp-dir.ts";

test("worker.json is written after the file that starts the next worker", () => {
  const paths = dataPaths(tempDir());
  const file = {
    pid: process.pid,
    process_start: null,
    host: "127.0.0.1",
    port: 40_000,
    version: "0.1.0",
    instance: "one",
    secret: "s",
    socket: "worker.sock",
    started_at_epoch: 1,
  };
  // A folder in its place: the write of hook-runtime fails.
  mkdirSync(paths.hookRuntime);
  expect(() => writeWorkerFile(paths, file)).toThrow("EISDIR");
  expect(existsSync(paths.workerFile)).toBe(false);
  rmSync(paths.hookRuntime, { recursive: true });
  writeWorkerFile(paths, file);
  expect(existsSync(paths.hookRuntime)).toBe(true);
  expect(readWorkerFile(paths)).toEqual(file);
});
