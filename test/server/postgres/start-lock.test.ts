import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { createStderrLog } from "../../../src/core/log.ts";
import { findServerDatabase } from "../../../src/server/postgres/own-database.ts";
import { takeStartLock } from "../../../src/server/postgres/start-lock.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

test("one of many concurrent callers holds the lock", async () => {
  const dataDir = tempDir();
  let holders = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 10 }, async () => {
      const release = await takeStartLock(dataDir);
      holders += 1;
      most = Math.max(most, holders);
      await delay(5);
      holders -= 1;
      release();
    }),
  );
  expect(most).toBe(1);
  expect(readdirSync(dataDir)).toEqual([]);
});

test("takes over the lock of a process that ended, also with our own pid", async () => {
  const dataDir = tempDir();
  const gone = spawnSync(process.execPath, ["--version"]).pid;
  for (const holder of [gone, process.pid]) {
    writeFileSync(join(dataDir, "postgres.lock"), String(holder));
    const release = await takeStartLock(dataDir);
    release();
  }
  expect(readdirSync(dataDir)).toEqual([]);
});

test("concurrent servers and commands share one PostgreSQL", async () => {
  const dataDir = tempDir();
  const { log } = createStderrLog("SILENT");
  const find = (isBrief: boolean) =>
    findServerDatabase({ named: "", dataDir, log, isBrief, onLost: () => undefined });
  const command = await find(true);
  const server = find(false);
  await delay(300);
  await command.stop();
  const started = await server;
  onTestFinished(() => started.stop());
  expect([command.described, started.described]).toEqual(["private", "private"]);
  const beside = await Promise.all([find(true), find(true), find(false)]);
  expect(beside.map(({ described }) => described)).toEqual(["joined", "joined", "joined"]);
  expect(existsSync(join(dataDir, "postgres.lock"))).toBe(false);
});
