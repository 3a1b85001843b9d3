// The log synced outside of SQLite: the fate of writes when the sync fails or when they are rolled back.
import { copyFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { MemError } from "../../../src/core/errors.ts";
import { createGroupCommit } from "../../../src/store/sqlite/group-commit.ts";
import { Database } from "../../../src/store/sqlite/library.ts";
import { createLogSync, type LogSync } from "../../../src/store/sqlite/log-sync.ts";
import { openDatabase, type Sqlite } from "../../../src/store/sqlite/open.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

let path: string;
let db: Sqlite;

beforeEach(() => {
  path = join(tempDir(), "mem.db");
  db = openDatabase(path, { product: "0.0.0-test", now: 1 });
  db.exec("create table notes (text)");
  onTestFinished(() => void db.close());
});

const add = (text: string) => db.prepare("insert into notes values (?)").run(text);

test("commits the other writes of a failed group in the same turn, before a close", async () => {
  const { commit, flush } = createGroupCommit(db);
  const written = commit(() => add("kept"));
  const refused = commit(() => JSON.parse("{"));
  const settled = Promise.allSettled([written, refused]);
  await new Promise((resolve) => setImmediate(resolve));
  flush();
  db.close();
  expect((await settled).map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
});

// Elsewhere SQLite syncs every commit itself.
describe.runIf(process.platform === "linux")("a sync that fails", () => {
  let log: LogSync;

  beforeEach(() => {
    log = createLogSync(db, (_file, onSynced) => onSynced(new Error("EIO: i/o error, fdatasync")));
  });

  const writeUnsynced = () =>
    new Promise<MemError | undefined>((resolve) => log.relaxed(() => add("unsynced"))?.finish(resolve));

  test("moves the writes from the log into the database, and they count as stored", async () => {
    expect(await writeUnsynced()).toBeUndefined();
    expect(statSync(`${path}-wal`).size).toBe(0);
    const copy = join(tempDir(), "copy.db");
    copyFileSync(path, copy);
    const alone = new Database(copy, { readonly: true });
    expect(alone.prepare("select text from notes").pluck().all()).toEqual(["unsynced"]);
    alone.close();
    expect(() => log.strict()).not.toThrow();
  });

  test("lets nothing be written behind it until the log could be written back", async () => {
    const reader = new Database(path);
    reader.exec("begin");
    reader.prepare("select count(*) from notes").get();
    expect(await writeUnsynced()).toMatchObject({ code: "storage_failed" });
    expect(() => log.strict()).toThrow(expect.objectContaining({ code: "storage_failed" }));
    expect(log.relaxed(() => add("behind it"))).toBeUndefined();
    reader.close();
    expect(() => log.strict()).not.toThrow();
    expect(db.prepare("select text from notes").pluck().all()).toEqual(["unsynced"]);
  });
});
