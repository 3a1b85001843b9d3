import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { disagreements } from "../../../src/store/sqlite/derived-check.ts";
import { Database } from "../../../src/store/sqlite/library.ts";
import { closeDatabase, openDatabase, type Sqlite } from "../../../src/store/sqlite/open.ts";
import { createStore } from "../../../src/store/sqlite/store.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

const migrations = new URL("../../../src/store/sqlite/migrations/", import.meta.url);
const schemaFile = new URL("../../../src/store/sqlite/schema.sql", import.meta.url);
const migrationNames = readdirSync(migrations)
  .map((file) => file.replace(".sql", ""))
  .sort();
const sqlOf = (name: string) => readFileSync(new URL(`${name}.sql`, migrations), "utf8");

test("migrates a database of schema 2 with active, unpinned records of its project", async () => {
  const path = join(tempDir(), "mem.db");
  const old = new Database(path);
  old.exec(`
    create table schema_versions (
      version integer primary key, name text not null, product text not null, applied_at_epoch integer not null
    ) strict;
    insert into schema_versions values (1, 'init', '0.1.0', 1), (2, 'generation', '0.1.0', 1);`);
  old.exec(sqlOf("0001-init"));
  old.exec(sqlOf("0002-generation"));
  old.exec(`
    insert into projects (label) values ('app');
    insert into observations (sdk_session_id, project, obs_type, title, summary, generator, provenance, created_at_epoch)
    values ('s', 'app', 'change', 'Peppermint', 'It was.', 'local', 'file', 1);
    insert into observations_fts (rowid, scope, title) values (1, 'p1 tchange', 'Peppermint');`);
  old.close();
  const db = openDatabase(path, { product: "0.2.0", now: 2 });
  const store = createStore(db);
  expect(store.observations.byId(1)).toMatchObject({
    title: "Peppermint",
    status: "active",
    pinned: 0,
    superseded_by: null,
    said_by: null,
    standing: 0,
    reach: "project",
    salience: null,
    routine: 0,
    revision: 1,
  });
  expect(store.projectMoves.list()).toMatchObject([{ project: "app", identities: [], observations: 1 }]);
  while ((await store.commit(() => store.derived.renew(50))) > 0);
  expect(disagreements(db)).toEqual({});
  expect(db.pragma("foreign_key_check")).toEqual([]);
  closeDatabase(db);
});

test("rebuilt records of an older version are not found by template words", async () => {
  const path = join(tempDir(), "mem.db");
  const first = new Database(path);
  first.exec(`
    create table schema_versions (
      version integer primary key, name text not null, product text not null, applied_at_epoch integer not null
    ) strict;
    insert into schema_versions values (10, 'comparison', '0.1.0', 1);`);
  for (const name of migrationNames.filter((name) => name < "0011")) first.exec(sqlOf(name));
  first.exec(`
    insert into projects (label) values ('app');
    insert into observations (sdk_session_id, project, obs_type, title, summary, narrative, generator, provenance,
      created_at_epoch)
    values ('s', 'app', 'change', 'Tea', 'Tea.', 'It ended with exit code 1.', 'local', 'file', 1),
      ('s', 'app', 'change', 'Peppermint', 'It was.', 'The exit stays.', 'a-model', 'file', 1);
    insert into observations_fts (rowid, scope, title, narrative) values
      (1, 'xp1 xtchange', 'Tea', 'It ended with exit code 1.'), (2, 'xp1 xtchange', 'Peppermint', 'The exit stays.');`);
  first.close();
  const db = openDatabase(path, { product: "0.2.0", now: 2 });
  const store = createStore(db);
  const found = () =>
    db.prepare("select rowid from observations_fts where observations_fts match 'exit'").pluck().all();
  expect(found()).toEqual([1, 2]);
  while ((await store.commit(() => store.derived.renew(50))) > 0);
  expect(found()).toEqual([2]);
  closeDatabase(db);
});

test("schema.sql makes the database that all migrations make", async () => {
  const steps = migrationNames.map((name) => ({
    version: Number(name.slice(0, 4)),
    name: name.slice(5),
    sql: sqlOf(name),
  }));
  const options = { product: "0.2.0", now: 2 };
  const stepByStep = openDatabase(":memory:", { ...options, migrations: steps });
  await expect(textOf(stepByStep)).toMatchFileSnapshot(fileURLToPath(schemaFile));
  const direct = openDatabase(":memory:", options);
  expect(contentOf(direct)).toEqual(contentOf(stepByStep));
  for (const db of [stepByStep, direct]) db.close();
});

interface Entry {
  type: string;
  name: string;
  sql: string;
}

const entriesOf = (db: Sqlite) =>
  db
    .prepare<[], Entry>("select type, name, sql from sqlite_schema where sql is not null order by rowid")
    .all();

/** The schema as statements, with the rows that migrations put into it. */
function textOf(db: Sqlite): string {
  const entries = entriesOf(db).filter(({ name }) => !/^(schema_versions$|sqlite_)/.test(name));
  const virtual = entries
    .filter(({ sql }) => /^create virtual table/i.test(sql))
    .map(({ name }) => `${name}_`);
  // A virtual table makes its own tables.
  const made = entries.filter(({ name }) => !virtual.some((prefix) => name.startsWith(prefix)));
  const tables = made.filter(({ type, sql }) => type === "table" && !/^create virtual/i.test(sql));
  const rows = tables.flatMap(({ name }) =>
    rowsOf(db, name).map((row) => {
      const values = Object.values(row).map((value) =>
        typeof value === "string" ? `'${value}'` : String(value),
      );
      return `insert into ${name} (${Object.keys(row).join(", ")}) values (${values.join(", ")})`;
    }),
  );
  const statements = [...made.map(({ sql }) => sql), ...rows].map((sql) => `${sql};\n`);
  return `-- Generated by test/store/sqlite/migrate.test.ts: the schema that all migrations make, and their rows.\n${statements.join("")}`;
}

const rowsOf = (db: Sqlite, table: string) =>
  db.prepare<[], Record<string, unknown>>(`select * from "${table}"`).all();

/** Every entry of the schema and every row. */
function contentOf(db: Sqlite) {
  const entries = entriesOf(db).sort((one, other) => (one.name < other.name ? -1 : 1));
  const tables = entries.filter(({ type }) => type === "table");
  return { entries, rows: Object.fromEntries(tables.map(({ name }) => [name, rowsOf(db, name)])) };
}

test("a deleted row finds its rows in other tables by an index", () => {
  const db = openDatabase(":memory:", { product: "0.0.0", now: 1 });
  const keys = db
    .prepare<[], { name: string; column: string }>(
      `select t.name, f."from" as column
       from sqlite_schema t
       cross join pragma_foreign_key_list(t.name) f
       where t.type = 'table'`,
    )
    .all();
  const scanned = keys.filter(({ name, column }) =>
    db
      .prepare<[], { detail: string }>(`explain query plan select 1 from ${name} where ${column} = 1`)
      .all()
      .some(({ detail }) => detail.startsWith("SCAN")),
  );
  // The queue is short.
  expect(scanned).toEqual([{ name: "pending_messages", column: "session_id" }]);
  db.close();
});
