// Writes that share a transaction.
import { join } from "node:path";
import { expect, test } from "vitest";
import { createGroupCommit } from "../../../src/store/sqlite/group-commit.ts";
import { openDatabase } from "../../../src/store/sqlite/open.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

test("commits the other writes of a failed group in the same turn, before a close", async () => {
  const db = openDatabase(join(tempDir(), "mem.db"), { product: "0.0.0-test", now: 1 });
  db.exec("create table notes (text)");
  const { commit, flush } = createGroupCommit(db);
  const written = commit(() => db.prepare("insert into notes values ('kept')").run());
  const refused = commit(() => JSON.parse("{"));
  const settled = Promise.allSettled([written, refused]);
  await new Promise((resolve) => setImmediate(resolve));
  flush();
  db.close();
  expect((await settled).map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
});

test("syncs a commit unless each of its writes can be repeated", async () => {
  const db = openDatabase(join(tempDir(), "mem.db"), { product: "0.0.0-test", now: 1 });
  const { commit } = createGroupCommit(db);
  const level = () => db.pragma("synchronous", { simple: true });
  const both = [commit(level, { repeatable: true }), commit(level, { repeatable: true })];
  expect(await Promise.all(both)).toEqual([1, 1]);
  expect(await Promise.all([commit(level, { repeatable: true }), commit(level)])).toEqual([2, 2]);
  const failed = commit(() => JSON.parse("{"), { repeatable: true });
  await expect(failed).rejects.toBeInstanceOf(Error);
  expect(level()).toBe(2);
  db.close();
});
