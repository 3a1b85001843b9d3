// The log file when all is well, when it cannot be written, and what is written down of a crash.
import { mkdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createLog, recordCrash } from "../../src/core/log.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { until } from "../helpers/worker-process.ts";

test("what was logged is in the file when the log is closed, with tokens left out", async () => {
  const file = join(tempDir(), "worker.log");
  const { log, close } = createLog(file, "INFO");
  log.info({ token: "t0ps3cret" }, "hello");
  await close();
  const text = readFileSync(file, "utf8");
  expect(JSON.parse(text)).toMatchObject({ msg: "hello", token: "[redacted]" });
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("a file that cannot be written costs lines, and is tried again five seconds later", async () => {
  let now = 0;
  let asked = 0;
  const file = join(tempDir(), "worker.log");
  mkdirSync(file);
  const { log, close } = createLog(file, "INFO", {
    now: () => now,
    monotonicMs: () => {
      asked += 1;
      return now;
    },
  });
  log.info("lost");
  await until(() => asked > 0 || undefined, 5_000, "the failure");
  rmdirSync(file);
  now = 4_999;
  log.info("lost too");
  now = 5_001;
  log.info("kept");
  await close();
  expect(readFileSync(file, "utf8").trim().split("\n")).toEqual([expect.stringContaining('"kept"')]);
});

test("a log that cannot be written is closed all the same", async () => {
  const file = join(tempDir(), "worker.log");
  mkdirSync(file);
  const { log, close } = createLog(file, "INFO");
  log.info("lost");
  await expect(close()).resolves.toBeUndefined();
});

test("a crash is written down without its secrets, and the file does not grow for ever", () => {
  const file = join(tempDir(), "crash.log");
  const key = ["sk-ant-api03-", "Q7".repeat(46), "AA"].join("");
  recordCrash(file, new Error(`refused: ${key}`), 1_760_000_000_000);
  const text = readFileSync(file, "utf8");
  expect(text).toMatch(/^2025-10-09T08:53:20\.000Z Error: refused: /);
  expect(text).not.toContain(key);
  writeFileSync(file, "x".repeat(1_048_577));
  recordCrash(file, new Error("again"), 1_760_000_000_000);
  expect(readFileSync(file, "utf8")).toContain("again");
  expect(statSync(file).size).toBeLessThan(10_000);
  expect(statSync(`${file}.1`).size).toBe(1_048_577);
});
