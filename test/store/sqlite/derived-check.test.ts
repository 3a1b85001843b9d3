import { beforeEach, expect, onTestFinished, test } from "vitest";
import { createDerivedRepair } from "../../../src/worker/derived-repair.ts";
import { createMemoryStore, type MemoryStore } from "../../helpers/memory-store.ts";

let memory: MemoryStore;

beforeEach(() => {
  memory = createMemoryStore();
  onTestFinished(() => memory.close());
  for (let index = 0; index < 60; index += 1) {
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

const disagreements = () => memory.store.derived.disagreements();
const run = (sql: string) => memory.db.prepare(sql).run();

/** As `mem doctor --repair` has it done. */
async function repair(): Promise<void> {
  const { commit, derived } = memory.store;
  const work = createDerivedRepair({ commit, ...derived, compared: memory.store.comparison.read });
  await work.repair();
  await expect.poll(work.waiting).toBe(0);
  await work.stop();
}

test("records that were written, changed and moved agree with all that follows from them", async () => {
  expect(disagreements()).toEqual({});
  const { projects, projectMoves, commit } = memory.store;
  const named = (label: string) => projects.byLabel(label) ?? { id: 0, label };
  await commit(() => projectMoves.merge(named("one"), named("two")));
  await commit(() => projectMoves.step(20));
  expect(disagreements()).toEqual({});
  while (await commit(() => projectMoves.step(20)));
  expect(disagreements()).toEqual({});
});

test.each(["xp1", "xp999"])(
  "a record that the full text has under %s, not its own project, is seen",
  async (scope) => {
    run("delete from observations_fts where rowid = 2");
    run(`insert into observations_fts (rowid, scope, title) values (2, '${scope}', 'peppermint')`);
    expect(disagreements()).toEqual({ "projects in the full text": 1 });
    await repair();
    expect(disagreements()).toEqual({});
  },
);

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
])("%s is noticed, and mended", async (damage, found) => {
  run(damage);
  expect(disagreements()).toEqual(found);
  await repair();
  expect(disagreements()).toEqual({});
  const count = (sql: string) => memory.db.prepare(sql).pluck().get();
  expect(count("select count(*) from observations_fts where observations_fts match 'peppermint'")).toBe(60);
  expect(count("select count(*) from user_prompts_fts where user_prompts_fts match 'peppermint'")).toBe(40);
  expect(count("select count(*) from observation_files")).toBe(120);
});

test("a vector of the wrong length, or of no record, is noticed and goes", async () => {
  run("insert into vector_sets (id, embedder, model, dimension) values (1, 'e', 'm', 4)");
  const vector = "insert into observation_vectors (set_id, observation_id, scale, vector) values";
  run(`${vector} (1, 1, 1.0, x'01020304'), (1, 2, 1.0, x'0102')`);
  memory.db.pragma("foreign_keys = off");
  run(`${vector} (1, 901, 1.0, x'01020304')`);
  memory.db.pragma("foreign_keys = on");
  expect(disagreements()).toEqual({ vectors: 2 });
  await repair();
  expect(disagreements()).toEqual({});
  expect(memory.db.prepare("select observation_id from observation_vectors").pluck().all()).toEqual([1]);
});

test("a write that fails leaves neither a record nor anything that follows from it", async () => {
  const { commit } = memory.store;
  const failed = commit(() => {
    memory.addObservation({ title: "Never" });
    memory.addPrompt("never");
    throw new TypeError("no");
  });
  await expect(failed).rejects.toMatchObject({ code: "internal" });
  expect(disagreements()).toEqual({});
  expect(memory.db.prepare("select count(*) from observations").pluck().get()).toBe(60);
});

test("a repair that is asked for while the last one is just finished is done too", async () => {
  const writes: (() => void)[] = [];
  let listed = 0;
  const work = createDerivedRepair({
    commit: (write) => new Promise((resolve) => void writes.push(() => resolve(write()))),
    renew(limit) {
      const taken = Math.min(limit, listed);
      listed -= taken;
      return taken;
    },
    listSome() {
      listed = 10;
      return null;
    },
    waiting: () => listed,
    compared: () => ({ endedAt: null, endedFound: 0 }),
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
