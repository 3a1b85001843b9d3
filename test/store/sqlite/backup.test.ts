import { copyFileSync, existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { copyDatabase, dropReplaced, replaceDatabaseBy } from "../../../src/store/sqlite/backup.ts";
import { Database } from "../../../src/store/sqlite/library.ts";
import { emptyMemory, fill, type Memory } from "./exported-memory.ts";

const never = { onProgress: () => undefined, signal: new AbortController().signal };

async function filled(): Promise<Memory & { copy: string }> {
  const memory = emptyMemory();
  await fill(memory, "one");
  return { ...memory, copy: join(dirname(memory.path), "copy.db") };
}

const titles = (path: string): unknown[] => {
  const db = new Database(path, { readonly: true });
  try {
    return db.prepare("select title from observations order by id").pluck().all();
  } finally {
    db.close();
  }
};

describe("a copy", () => {
  test("is one moment, whatever is written while it is made, and is not started again", async () => {
    const { path, db, copy } = await filled();
    db.exec(`create table filler (text); insert into filler
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 4000)
      select hex(randomblob(3000)) from n`);
    const before = titles(path);
    const steps: number[] = [];
    await copyDatabase(path, copy, {
      ...never,
      onProgress(done) {
        steps.push(done);
        db.exec("update observations set title = title || '!'");
      },
    });
    expect(steps.length).toBeGreaterThan(3);
    expect([...steps].sort((a, b) => a - b)).toEqual(steps);
    expect(titles(copy)).toEqual(before);
    expect(readdirSync(dirname(copy)).filter((name) => name.startsWith("copy"))).toEqual(["copy.db"]);
  });

  test("that is stopped leaves no file", async () => {
    const { path, copy } = await filled();
    const stopped = new AbortController();
    stopped.abort();
    await expect(copyDatabase(path, copy, { ...never, signal: stopped.signal })).rejects.toMatchObject({
      code: "cancelled",
    });
    expect(existsSync(copy)).toBe(false);
  });

  test("left by a killed process is replaced by the next one", async () => {
    const { path, copy } = await filled();
    await copyDatabase(path, copy, never);
    expect(await copyDatabase(path, copy, never)).toMatchObject({ sessions: 2, prompts: 3, observations: 8 });
  });
});

describe("replacing", () => {
  test("keeps what only the log of the replaced database has", async () => {
    const { path, db, copy } = await filled();
    await copyDatabase(path, copy, never);
    const killed = join(dirname(path), "killed.db");
    // As a killed worker leaves it: rows in the log that the file does not have.
    db.exec("insert into projects (label) values ('in the log')");
    copyFileSync(path, killed);
    copyFileSync(`${path}-wal`, `${killed}-wal`);
    const kept = replaceDatabaseBy(copy, killed, 1_760_000_000_000);
    expect(kept).toBe(`${killed}.replaced-20251009T085320Z`);
    const old = new Database(kept ?? "", { readonly: true });
    expect(old.prepare("select count(*) from projects where label = 'in the log'").pluck().get()).toBe(1);
    old.close();
    expect(titles(killed)).toEqual(titles(path));
    expect(existsSync(`${killed}-wal`)).toBe(false);
  });

  test("the replaced database is removed once nothing of that time can be undone", async () => {
    const { path, copy } = await filled();
    await copyDatabase(path, copy, never);
    const target = join(dirname(path), "target.db");
    copyFileSync(copy, target);
    const kept = replaceDatabaseBy(copy, target, 1_760_000_000_000) ?? "";
    dropReplaced(target, 1_759_999_999_000);
    expect(existsSync(kept)).toBe(true);
    dropReplaced(target, 1_760_000_001_000);
    expect([existsSync(kept), existsSync(target)]).toEqual([false, true]);
  });
});
