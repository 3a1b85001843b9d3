// The check of the database as a process beside the worker.

import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { MemError } from "../../src/core/errors.ts";
import { isAlive } from "../../src/core/is-alive.ts";
import { packageFile } from "../../src/core/paths.ts";
import { checkDatabase, checkTable, reindex, tablesIn } from "../../src/store/sqlite/damage-check.ts";
import { closeDatabase, openDatabase, type Sqlite } from "../../src/store/sqlite/open.ts";
import { createIntegrityCheck } from "../../src/worker/integrity.ts";
import { createMemoryStore } from "../helpers/memory-store.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { until } from "../helpers/worker-process.ts";

const neverDue = { isCheckDue: () => false, checked: async () => undefined };

function check(
  source: string,
  reindex: () => Promise<void> = async () => undefined,
  { tablesAfterMs = 60_000, isNew = false } = {},
): { found: Promise<string[]>; stop(): void; pid(): number | undefined } {
  const directory = tempDir();
  const script = join(directory, "check.cjs");
  const pidFile = join(directory, "pid");
  writeFileSync(
    script,
    `require("node:fs").writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); ${source}`,
  );
  let found: (findings: string[]) => void = () => undefined;
  const findings = new Promise<string[]>((resolve) => {
    found = resolve;
  });
  const integrity = createIntegrityCheck({
    databasePath: "/data/mem.db",
    isNew,
    onDamage: found,
    reindex,
    records: neverDue,
    script,
    tablesAfterMs,
  });
  integrity.start();
  onTestFinished(() => integrity.stop());
  const pid = () => (existsSync(pidFile) ? Number(readFileSync(pidFile, "utf8")) || undefined : undefined);
  return { found: findings, stop: integrity.stop, pid };
}

test("what the check finds in the file it was given is reported", async () => {
  const { found } = check(`process.send({ damage: ["damage in " + process.argv[2]], indexes: [] });`);
  expect(await found).toEqual(["damage in /data/mem.db"]);
});

test("the file of a new database is not checked at the start", async () => {
  const source = "process.send({ damage: [process.argv[3]], indexes: [] });";
  const { found } = check(source, undefined, { tablesAfterMs: 600, isNew: true });
  expect(await found).toEqual(["tables"]);
});

test("a check that is inside SQLite is ended, not waited for", async () => {
  // Native code that no thread could be called back from: it stands for the check of a file of many GB.
  const { stop, pid } = check(`require("node:crypto").pbkdf2Sync("a", "b", 2_000_000_000, 64, "sha512");`);
  const child = await until(pid, 10_000, "the check");
  stop();
  await until(() => (isAlive(child) ? undefined : true), 10_000, "the end of the check");
});

test("a check whose worker was killed ends without a look at the database", async () => {
  const ask = () =>
    fork(packageFile("dist", "check-process.cjs"), [join(tempDir(), "missing.db"), "tables"], {
      execArgv: [],
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
  const [asked, left] = [ask(), ask()];
  left.disconnect();
  const ends = await Promise.all([asked, left].map((child) => once(child, "exit")));
  // The database is missing, so the one that looked has failed.
  expect(ends).toEqual([
    [1, null],
    [null, "SIGKILL"],
  ]);
});

test("an index that misses rows is found, is rebuilt, and agrees with its table again", async () => {
  const { path, db } = databaseWithWrongIndex();
  expect(checkDatabase(path)).toEqual([]);
  const rebuilt = new Promise<string[]>((resolve) => {
    const integrity = createIntegrityCheck({
      databasePath: path,
      onDamage: (findings) => resolve(findings),
      async reindex(indexes) {
        for (const index of indexes) reindex(db, index);
        resolve(indexes.map((index) => `rebuilt ${index}`));
      },
      records: neverDue,
      tablesAfterMs: 0,
    });
    integrity.start();
    onTestFinished(() => integrity.stop());
  });
  expect(await rebuilt).toEqual(["rebuilt observations_time"]);
  for (const table of tablesIn(path)) expect(checkTable(path, table)).toEqual({ damage: [], indexes: [] });
});

test("an index that cannot be rebuilt is damage of the database", async () => {
  const script = `process.send({ damage: [], indexes: ["observations_time"] });`;
  const reindex = () => Promise.reject(new Error("not unique"));
  const { found } = check(script, reindex);
  expect((await found).join()).toMatch(/observations_time.*not unique/);
});

test("an index that a full disk keeps from being rebuilt is no damage of the database", async () => {
  const script = `process.send({ damage: process.argv[3] === "file" ? [] : ["later"], indexes: ["observations_time"] });`;
  let tries = 0;
  const { found } = check(
    script,
    async () => {
      tries++;
      throw new MemError("storage_full");
    },
    { tablesAfterMs: 1_000 },
  );
  // Of the second check, which the first one did not keep from running.
  expect(await found).toEqual(["later", "observations_time"]);
  expect(tries).toBe(1);
});

test("records are compared with their derived data when a check is due", async () => {
  const path = join(tempDir(), "mem.db");
  const { db, addObservation, close } = createMemoryStore(path);
  for (let n = 1; n <= 3; n++) addObservation({ title: `Edited ${n}` });
  db.prepare("delete from observations_fts where rowid < 3").run();
  close();
  const found = new Promise<number>((resolve) => {
    const integrity = createIntegrityCheck({
      databasePath: path,
      onDamage: (findings) => resolve(findings.length),
      reindex: async () => undefined,
      records: { isCheckDue: () => true, checked: async (count) => resolve(count) },
      tablesAfterMs: 0,
    });
    integrity.start();
    onTestFinished(() => integrity.stop());
  });
  // Missing in the full text, and so not under their project there.
  expect(await found).toBe(2);
});

// Bytes of an entry are changed in the file: the page is whole, the entry is of another row.
function databaseWithWrongIndex(): { path: string; db: Sqlite } {
  const path = join(tempDir(), "mem.db");
  const { db, addObservation, close } = createMemoryStore(path);
  for (let n = 1; n <= 30; n++) addObservation({ title: `Edited ${n}`, at: 1_780_000_000_000 + n });
  const root = Number(
    db.prepare("select rootpage from sqlite_schema where name = 'observations_time'").pluck().get(),
  );
  close();
  const bytes = readFileSync(path);
  const at = bytes.indexOf(
    Buffer.from((1_780_000_000_007).toString(16).padStart(12, "0"), "hex"),
    (root - 1) * 4_096,
  );
  expect(at).toBeLessThan(root * 4_096);
  bytes[at + 4] = (bytes[at + 4] ?? 0) ^ 0x40;
  writeFileSync(path, bytes);
  const damaged = openDatabase(path, { product: "0.0.0-test", now: 1 });
  onTestFinished(() => closeDatabase(damaged));
  return { path, db: damaged };
}
