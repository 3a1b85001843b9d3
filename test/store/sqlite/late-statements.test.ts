// Statements that are prepared at their first use.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { withLateStatements } from "../../../src/store/sqlite/late-statements.ts";
import { closeDatabase, openDatabase } from "../../../src/store/sqlite/open.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

test("a statement over a table that does not exist yet works once it does", () => {
  const db = openedLate();
  const names = db.prepare<[], { name: string }>("select name from colours order by name");
  expect(() => names.all()).toThrow(/no such table/);
  db.exec("create table colours (name text) strict");
  const add = db.prepare<[string]>("insert into colours (name) values (?)");
  expect(add.run("red").changes).toBe(1);
  expect(names.all()).toEqual([{ name: "red" }]);
});

test("a late statement answers in every form, in a transaction too", () => {
  const db = openedLate();
  db.exec("create table colours (name text) strict");
  const add = db.prepare<[string]>("insert into colours (name) values (?)");
  const addBoth = db.transaction((first: string, second: string) => [add.run(first), add.run(second)].length);
  expect(addBoth.immediate("green", "blue")).toBe(2);
  const query = "select name from colours order by name";
  expect(db.prepare(query).get()).toEqual({ name: "blue" });
  expect([...db.prepare(query).iterate()]).toEqual([{ name: "blue" }, { name: "green" }]);
  const plucked = db.prepare(query).pluck();
  expect([plucked.get(), plucked.all()]).toEqual(["blue", ["blue", "green"]]);
  const raw = db.prepare(query);
  raw.raw();
  expect(raw.all()).toEqual([["blue"], ["green"]]);
  expect([db.open, db.inTransaction]).toEqual([true, false]);
});

test("one that was used is not prepared again", () => {
  const db = openedLate();
  const one = db.prepare<[], number>("select 1").pluck();
  const two = db.prepare("select 2 as two");
  expect([one.get(), two.get(), two.reader]).toEqual([1, { two: 2 }, true]);
  closeDatabase(db);
  expect(() => two.get()).toThrow(/connection is not open/);
  expect(two.reader).toBe(true);
});

test.each(["get", "all", "iterate"] as const)(
  "a damaged page that %s meets is reported, and thrown",
  (form) => {
    const path = join(tempDir(), "damaged.db");
    const whole = openDatabase(path, { product: "0.0.0-test", now: 1 });
    const root = Number(
      whole.prepare("select rootpage from sqlite_schema where name = 'project_moves'").pluck().get(),
    );
    closeDatabase(whole);
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill("damage", (root - 1) * 4_096, root * 4_096));
    const db = openDatabase(path, { product: "0.0.0-test", now: 1 });
    onTestFinished(() => closeDatabase(db));
    const reported: unknown[] = [];
    const moves = withLateStatements(db, (cause) => reported.push(cause)).prepare(
      "select * from project_moves",
    );
    const read = () => Array.from(moves.pluck()[form]() as Iterable<unknown>);
    expect(read).toThrow(/malformed/);
    expect(reported).toEqual([expect.objectContaining({ code: "SQLITE_CORRUPT" })]);
    expect(withLateStatements(db).prepare("select 1 as one").get()).toEqual({ one: 1 });
  },
);

function openedLate() {
  const db = openDatabase(join(tempDir(), "late.db"), { product: "0.0.0-test", now: 1 });
  onTestFinished(() => closeDatabase(db));
  return withLateStatements(db);
}
