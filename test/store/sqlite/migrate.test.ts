import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { disagreements } from "../../../src/store/sqlite/derived-check.ts";
import { closeDatabase, openDatabase } from "../../../src/store/sqlite/open.ts";
import { createStore } from "../../../src/store/sqlite/store.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

const migrations = new URL("../../../src/store/sqlite/migrations/", import.meta.url);
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
