import { beforeEach, expect, onTestFinished, test } from "vitest";
import { disagreements } from "../../src/store/sqlite/derived-check.ts";
import { createDerivedRepair } from "../../src/worker/derived-repair.ts";
import { createMemoryStore, type MemoryStore, someTime } from "../helpers/memory-store.ts";

let memory: MemoryStore;
let now: number;
let warned: string[];

beforeEach(() => {
  memory = createMemoryStore();
  now = someTime;
  warned = [];
  onTestFinished(() => memory.close());
  for (let index = 0; index < 24; index += 1) {
    memory.addObservation({
      project: index % 2 ? "one" : "two",
      title: "Peppermint",
      files_read: ["a.ts"],
      files_modified: ["b.ts"],
    });
    memory.addSummary({ request: "peppermint" });
    memory.addPrompt("peppermint", { private: index % 3 === 0 });
  }
});

const wrong = () => disagreements(memory.db);
const run = (sql: string) => memory.db.prepare(sql).run();
const count = (sql: string) => memory.db.prepare(sql).pluck().get();

function createRepair(store: Pick<MemoryStore["store"], "commit" | "derived"> = memory.store) {
  const clock = { now: () => now, monotonicMs: () => now };
  return createDerivedRepair({ clock, store, warn: (sentence) => void warned.push(sentence) });
}

/** As `mem doctor --repair` does. */
async function repair(): Promise<void> {
  const work = createRepair();
  await work.repair();
  await expect.poll(work.waiting).toBe(0);
  await work.stop();
}

test("written, changed and moved records match their derived data", async () => {
  expect(wrong()).toEqual({});
  const { projects, projectMoves, commit } = memory.store;
  const named = (label: string) => projects.byLabel(label) ?? { id: 0, label };
  await commit(() => projectMoves.merge(named("one"), named("two")));
  await commit(() => projectMoves.step(8));
  expect(wrong()).toEqual({});
  while (await commit(() => projectMoves.step(8)));
  expect(wrong()).toEqual({});
});

test.each(["xp1", "xp999"])("finds a record whose full text has the project %s", async (scope) => {
  run("delete from observations_fts where rowid = 2");
  run(`insert into observations_fts (rowid, scope, title) values (2, '${scope}', 'peppermint')`);
  expect(wrong()).toEqual({ "projects in the full text": 1 });
  await repair();
  expect(wrong()).toEqual({});
});

test.each([
  ["delete from observations_fts where rowid <= 3", { "full text of observations": 3 }],
  ["delete from session_summaries_fts where rowid = 5", { "full text of summaries": 1 }],
  ["delete from user_prompts_fts where rowid in (2, 3)", { "full text of prompts": 2 }],
  [
    "insert into observations_fts (rowid, scope, title) values (900, 'p1', 'ghost')",
    { "full text of observations": 1 },
  ],
  [
    "insert into user_prompts_fts (rowid, scope, body) values (1, 'p1', 'private')",
    { "full text of prompts": 1 },
  ],
  [
    "delete from observation_files where observation_id <= 4 and access = 'read'",
    { "files of observations": 4 },
  ],
  [
    "insert into observation_files (path, observation_id, access) values ('c.ts', 7, 'read')",
    { "files of observations": 1 },
  ],
  ["update observations set project = 'two' where id = 2", { "projects in the full text": 1 }],
])("%s: found and repaired", async (damage, found) => {
  run(damage);
  expect(wrong()).toEqual(found);
  await repair();
  expect(wrong()).toEqual({});
  expect(count("select count(*) from observations_fts where observations_fts match 'peppermint'")).toBe(24);
  expect(count("select count(*) from user_prompts_fts where user_prompts_fts match 'peppermint'")).toBe(16);
  expect(count("select count(*) from observation_files")).toBe(48);
});

test("deletes vectors of the wrong length or without a record", async () => {
  run("insert into vector_sets (id, embedder, model, dimension) values (1, 'e', 'm', 4)");
  const vector = "insert into observation_vectors (set_id, observation_id, scale, vector) values";
  run(`${vector} (1, 1, 1.0, x'01020304'), (1, 2, 1.0, x'0102')`);
  memory.db.pragma("foreign_keys = off");
  run(`${vector} (1, 901, 1.0, x'01020304')`);
  memory.db.pragma("foreign_keys = on");
  expect(wrong()).toEqual({ vectors: 2 });
  await repair();
  expect(wrong()).toEqual({});
  expect(memory.db.prepare("select observation_id from observation_vectors").pluck().all()).toEqual([1]);
});

test("a failed write leaves no record and no derived data", async () => {
  const { commit } = memory.store;
  const failed = commit(() => {
    memory.addObservation({ title: "Never" });
    memory.addPrompt("never");
    throw new TypeError("no");
  });
  await expect(failed).rejects.toMatchObject({ code: "internal" });
  expect(wrong()).toEqual({});
  expect(memory.db.prepare("select count(*) from observations").pluck().get()).toBe(24);
});

test("a check that found wrong records says so once and rebuilds the index", async () => {
  run("delete from observations_fts where rowid <= 3");
  const work = createRepair();
  expect(work.isCheckDue()).toBe(true);
  await work.checked(3);
  await expect.poll(work.waiting).toBe(0);
  await work.stop();
  expect(wrong()).toEqual({});
  expect(warned).toEqual(["Records that the index did not match: 3. The index is being rebuilt."]);
  expect(work.compared()).toEqual({ at: now, found: 3 });
});

test("does not repeat a rebuild for records that the last one left", async () => {
  const work = createRepair();
  await work.checked(3);
  expect(work.isCheckDue()).toBe(false);
  await expect.poll(work.waiting).toBe(0);
  expect(work.isCheckDue()).toBe(true);
  await work.checked(1);
  expect(work.isCheckDue()).toBe(false);
  expect(warned[1]).toBe("Records that the rebuilt index does not match: 1. See `mem doctor`.");
  // The next days, also of another worker.
  const later = createRepair();
  await later.checked(1);
  expect(later.waiting()).toBe(0);
  expect(warned).toHaveLength(2);
  await later.checked(2);
  expect(later.waiting()).toBeGreaterThan(0);
  expect(warned).toHaveLength(3);
  await Promise.all([work.stop(), later.stop()]);
});

test.each(['{"k":"v"}', '"a.ts"', "not json", '[{"k":"v"}]'])(
  "a record whose files are %s has none",
  async (files) => {
    memory.db.prepare("update observations set files_read = ? where id = 1").run(files);
    expect(wrong()).toEqual({ "files of observations": 1 });
    await repair();
    expect(wrong()).toEqual({});
  },
);

test("a check is due once a day, also after a restart and a clock that was put back", async () => {
  await createRepair().checked(0);
  expect(memory.store.derived.waiting()).toBe(0);
  const due = (hours: number) => {
    now = someTime + hours * 3_600_000;
    return createRepair().isCheckDue();
  };
  expect([due(0), due(23), due(24), due(-48)]).toEqual([false, false, true, true]);
});

test("a repair requested while the last one finishes runs too", async () => {
  const writes: (() => void)[] = [];
  let listed = 0;
  const list = () => {
    listed = 10;
    return null;
  };
  const work = createRepair({
    commit: (write) => new Promise((resolve) => void writes.push(() => resolve(write()))),
    derived: {
      ...memory.store.derived,
      renew(limit) {
        const taken = Math.min(limit, listed);
        listed -= taken;
        return taken;
      },
      list,
      waiting: () => listed,
    },
  });
  // Writes of one turn are one transaction, and answered together.
  const turn = async () => {
    for (const write of writes.splice(0)) write();
    await new Promise(setImmediate);
  };
  const first = work.repair();
  await turn();
  await turn();
  expect(listed).toBe(0);
  // The round that will find nothing left.
  await expect.poll(() => writes.length).toBe(1);
  const second = work.repair();
  await turn();
  expect(await Promise.all([first, second])).toEqual([10, 10]);
  expect(writes).toHaveLength(1);
  const stopped = work.stop();
  await turn();
  await stopped;
  expect(listed).toBe(0);
});
