import { spawnSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
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
