import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { olderSqlite } from "../../../src/core/node-api.ts";
import { takeOwnership } from "../../../src/store/sqlite/owner-lock.ts";

let directory: string;
let lock: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "mem-owner-"));
  lock = join(directory, "owner.lock");
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

test("a data directory has one owner, and the next one follows when it lets go", () => {
  const first = takeOwnership(lock);
  expect(first).toBeDefined();
  expect(takeOwnership(lock)).toBeUndefined();
  first?.release();
  const next = takeOwnership(lock);
  expect(next).toBeDefined();
  next?.release();
});

test("a killed owner frees the directory immediately", async () => {
  const owner = await ownerInAnotherProcess();
  expect(takeOwnership(lock)).toBeUndefined();
  await owner.kill();
  const next = takeOwnership(lock);
  expect(next).toBeDefined();
  next?.release();
});

test.each([
  ["text", "this is no lock ".repeat(300)],
  ["a damaged header", `SQLite format 3\0${"\xff".repeat(4_096)}`],
])("a lock file that holds %s keeps no worker from starting, and still has one owner", (_what, content) => {
  writeFileSync(lock, content);
  const owner = takeOwnership(lock);
  expect(owner).toBeDefined();
  expect(takeOwnership(lock)).toBeUndefined();
  owner?.release();
});

test("a lock file that is damaged while it is held still keeps others out", async () => {
  const owner = await ownerInAnotherProcess();
  const { ino } = statSync(lock);
  writeFileSync(lock, "this is no lock ".repeat(300));
  expect(takeOwnership(lock)).toBeUndefined();
  await owner.kill();
  takeOwnership(lock)?.release();
  expect(statSync(lock)).toMatchObject({ ino, size: 0 });
});

async function ownerInAnotherProcess(): Promise<{ kill(): Promise<unknown> }> {
  const script = `
    const db = new (require(${JSON.stringify(olderSqlite() ?? "better-sqlite3")}))(process.argv[1], { timeout: 0 });
    db.pragma("locking_mode = exclusive");
    db.exec("begin exclusive");
    console.log("owner");
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["-e", script, lock], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  await new Promise((resolve) => child.stdout.once("data", resolve));
  return {
    kill() {
      child.kill("SIGKILL");
      return exited;
    },
  };
}
