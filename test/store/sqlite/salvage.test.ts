import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { DraftObservation } from "../../../src/core/records/drafts.ts";
import { Database } from "../../../src/store/sqlite/library.ts";
import { closeDatabase, openDatabase, type Sqlite } from "../../../src/store/sqlite/open.ts";
import { salvage } from "../../../src/store/sqlite/salvage.ts";
import { createStore, type Store } from "../../../src/store/sqlite/store.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

let damaged: string;
let fresh: string;

beforeEach(() => {
  const directory = tempDir();
  damaged = join(directory, "damaged.db");
  fresh = join(directory, "fresh.db");
});

describe("after the rescue", () => {
  test.each([
    ["the sequence that was kept", []],
    ["the keys of what was made from it, when the sequence is lost", ["delete from sqlite_sequence"]],
    [
      "the sources of what was made from it, when sequence and key are lost",
      ["delete from sqlite_sequence", "update observations set generation_key = null"],
    ],
  ])("a message never gets the id of a purged one, by %s", (_by, losses) => {
    const store = openFilled(damaged, 3);
    for (const loss of ["delete from raw_events", ...losses]) store.db.exec(loss);
    closeDatabase(store.db);
    const db = open(fresh);
    salvage(damaged, db);
    const rescued = createStore(db);
    expect(observe(rescued, 1, "new")).toMatchObject({ rawEvent: 4, observation: { id: 4 } });
    closeDatabase(db);
  });

  test("ids of a deleted session are not given again when the sequence is lost", async () => {
    const { db: old, store } = openFilled(damaged, 3);
    await store.commit(() => store.deletions.session(1, 1_000));
    old.exec("delete from sqlite_sequence");
    closeDatabase(old);
    const db = open(fresh);
    salvage(damaged, db);
    const rescued = createStore(db);
    const ids = { claude_session_id: "next", sdk_session_id: "next" };
    const next = rescued.sessions.insert({ ...ids, project: "demo", host: "api", cwd: null, now: 1 });
    expect(observe(rescued, next, "new")).toMatchObject({ rawEvent: 4 });
    expect(await rescued.commit(() => rescued.restore(1, 0))).toMatchObject({ counts: { observations: 3 } });
    expect(db.prepare("select id from raw_events").pluck().all()).toEqual([1, 2, 3, 4]);
    closeDatabase(db);
  });

  test("a sequence that damage made too large does not keep messages out", () => {
    const { db: old } = openFilled(damaged, 3);
    old.exec("update sqlite_sequence set seq = 9223372036854775807");
    closeDatabase(old);
    const db = open(fresh);
    salvage(damaged, db);
    expect(observe(createStore(db), 1, "new")).toMatchObject({ rawEvent: 4, observation: { id: 4 } });
    closeDatabase(db);
  });

  test("keeps sources, the viewer's state and counts, without dangling references", () => {
    const { db: old, store } = openFilled(damaged, 3);
    store.viewerStates.set({ sidebarOpen: false, selectedProject: "demo" });
    store.pending.count("accepted", 7);
    store.pending.count("skipped", 7);
    old.pragma("foreign_keys = off");
    old.exec("delete from observations where id = 2");
    closeDatabase(old);
    const db = open(fresh);
    expect(salvage(damaged, db).rows).toMatchObject({ sessions: 1, observations: 2, viewer_state: 2 });
    expect(db.prepare("select observation_id, raw_event_id from observation_sources").raw().all()).toEqual([
      [1, 1],
      [3, 3],
    ]);
    const rescued = createStore(db);
    expect(rescued.viewerStates.get()).toEqual({ sidebarOpen: false, selectedProject: "demo" });
    expect(rescued.pending.counts()).toMatchObject({ accepted: 10, done: 3, skipped: 7, pending: 0 });
    expect(db.pragma("foreign_key_check")).toEqual([]);
    closeDatabase(db);
  });

  test("the marks of statements and their command families are carried over", () => {
    const { db: old, store } = openFilled(damaged, 2);
    const statement = { said_by: "tool", standing: true, reach: "everywhere", salience: 3 } as const;
    const stored = observe(store, 1, "fix", {
      statement: { ...statement, families: ["npm test"] },
    }).observation;
    old.pragma("foreign_keys = off");
    old.exec("insert into fix_commands values ('npm run', 99)");
    closeDatabase(old);
    const db = open(fresh);
    expect(salvage(damaged, db).rows).toMatchObject({ observations: 3, fix_commands: 2 });
    expect(createStore(db).observations.byId(3)).toEqual(stored);
    expect(db.prepare("select family, observation_id from fix_commands").raw().all()).toEqual([
      ["npm test", 3],
    ]);
    closeDatabase(db);
  });

  test("copies every table of the schema except derived ones", () => {
    const { db: old } = openFilled(damaged, 1);
    const tables = old
      .prepare<[], string>("select name from pragma_table_list where schema = 'main' and type = 'table'")
      .pluck()
      .all();
    closeDatabase(old);
    const db = open(fresh);
    const carried = Object.keys(salvage(damaged, db).rows);
    closeDatabase(db);
    const derived = [
      "derived_comparison",
      "erasure",
      "message_counts",
      "observation_files",
      "observation_terms",
      "schema_versions",
      "sqlite_schema",
      "sqlite_sequence",
      "stale_derived",
      "vector_changes",
    ];
    expect(tables.filter((name) => !carried.includes(name)).sort()).toEqual(derived);
  });

  test("indexes every record in full text and files, over any number of pages", () => {
    closeDatabase(openFilled(damaged, 450).db);
    const db = open(fresh);
    salvage(damaged, db);
    const count = (sql: string) => db.prepare(sql).pluck().get();
    expect(count("select count(*) from observations_fts where observations_fts match 'demo'")).toBe(450);
    expect(count("select count(distinct observation_id) from observation_files")).toBe(450);
    closeDatabase(db);
  });
});

test("skips a row with a value of the wrong type and copies its neighbors", () => {
  const old = new Database(damaged);
  old.exec(`
    create table projects (id integer primary key, label);
    insert into projects values (1, 'a'), (2, x'ff'), (3, 'c'), (4, x'ff'), (5, 'e')`);
  old.close();
  const db = open(fresh);
  expect(salvage(damaged, db).rows).toMatchObject({ projects: 3, sessions: 0 });
  expect(db.prepare("select id from projects").pluck().all()).toEqual([1, 3, 5]);
  closeDatabase(db);
});

test("a table of an older schema is carried over without the columns it does not have", () => {
  const old = new Database(damaged);
  old.exec(`
    create table sessions (id integer primary key, claude_session_id, sdk_session_id, project, host, was text,
      created_at_epoch, last_active_at_epoch);
    insert into sessions values (5, 'c', 's', 'demo', 'api', 'gone', 1, 1)`);
  old.close();
  const db = open(fresh);
  expect(salvage(damaged, db).rows).toMatchObject({ sessions: 1 });
  expect(createStore(db).sessions.byId(5)).toMatchObject({ claude_session_id: "c", status: "active" });
  closeDatabase(db);
});

test("a full disk is not damage: the recovery fails whole and works with space", () => {
  closeDatabase(openFilled(damaged, 100).db);
  const db = open(fresh);
  const pages = Number(db.pragma("page_count", { simple: true }));
  db.pragma(`max_page_count = ${pages + 5}`);
  expect(() => salvage(damaged, db)).toThrowError(expect.objectContaining({ code: "storage_full" }));
  expect(db.prepare("select count(*) from sessions").pluck().get()).toBe(0);
  db.pragma("max_page_count = 100000");
  expect(salvage(damaged, db).rows).toMatchObject({ observations: 100 });
  closeDatabase(db);
});

function open(path: string): Sqlite {
  return openDatabase(path, { product: "0.0.0-test", now: 1 });
}

function openFilled(path: string, observations: number): { db: Sqlite; store: Store } {
  const db = open(path);
  const store = createStore(db);
  const ids = { claude_session_id: "host", sdk_session_id: "sdk" };
  const session = store.sessions.insert({ ...ids, project: "demo", host: "api", cwd: null, now: 1 });
  db.transaction(() => {
    for (let n = 1; n <= observations; n++) observe(store, session, `event-${n}`);
  })();
  return { db, store };
}

function observe(
  store: Store,
  session: number,
  key: string,
  marks: Pick<DraftObservation, "statement"> = {},
) {
  const kind = "observation" as const;
  const event = { session_id: session, kind, event_key: key, payload: "{}", now: 1 };
  const rawEvent = store.rawEvents.insert(event) ?? 0;
  store.pending.count("accepted", 1);
  store.pending.count("done", 1);
  const observation = store.observations.insert({
    draft: {
      obs_type: "change",
      title: `Edited ${key}`,
      subtitle: null,
      summary: "s",
      narrative: null,
      facts: [],
      concepts: [],
      files_read: [],
      files_modified: [`/demo/${key}.ts`],
      provenance: "file",
      ...marks,
    },
    sources: [rawEvent],
    session_id: session,
    sdk_session_id: "sdk",
    project: "demo",
    prompt_number: null,
    generator: "local",
    agent_id: null,
    agent_type: null,
    discovery_tokens: 0,
    generation_key: `${rawEvent}:0`,
    created_at_epoch: 1,
  });
  return { rawEvent, observation };
}
