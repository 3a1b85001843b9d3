// The check of the database as a process beside the worker.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createIntegrityCheck } from "../../src/worker/integrity.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { until } from "../helpers/worker-process.ts";

function check(source: string): { found: Promise<string[]>; stop(): void; pid(): number | undefined } {
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
    onDamage: found,
    reindex: async () => undefined,
    script,
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

test("a check that is inside SQLite is ended, not waited for", async () => {
  // Native code that no thread could be called back from: it stands for the check of a file of many GB.
  const { stop, pid } = check(`require("node:crypto").pbkdf2Sync("a", "b", 2_000_000_000, 64, "sha512");`);
  const child = await until(pid, 10_000, "the check");
  stop();
  await until(() => (isAlive(child) ? undefined : true), 10_000, "the end of the check");
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
