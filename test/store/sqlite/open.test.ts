import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { reportFailOpenTo } from "../../../src/core/errors.ts";
import { closeDatabase, openDatabase } from "../../../src/store/sqlite/open.ts";

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "mem-close-"));
});

afterEach(() => {
  reportFailOpenTo(() => undefined);
  rmSync(directory, { recursive: true, force: true });
});

test("closes a database whose log cannot be checkpointed, and reports the failure", () => {
  const reported: string[] = [];
  reportFailOpenTo((what) => void reported.push(what));
  const db = openDatabase(join(directory, "mem.db"), { product: "0.0.0-test", now: 1 });
  db.exec("begin immediate; insert into viewer_state values ('sidebarOpen', 'true')");
  expect(() => db.pragma("wal_checkpoint(truncate)")).toThrowError(/locked/);
  closeDatabase(db);
  expect(db.open).toBe(false);
  expect(reported).toEqual(["writing the log back into the database"]);
});
