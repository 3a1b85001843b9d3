import { beforeEach, expect, onTestFinished, test } from "vitest";
import { type WalkAt, walkStart } from "../../../src/store/sqlite/derived-walk.ts";
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

const run = (sql: string) => memory.db.prepare(sql).run();
const listed = () =>
  memory.db.prepare("select kind || ' ' || id from stale_derived order by kind, id").pluck().all();

function walk<R>(step: (at: WalkAt) => { next: WalkAt | null } & R): ({ next: WalkAt | null } & R)[] {
  const steps: ({ next: WalkAt | null } & R)[] = [];
  for (let at: WalkAt | null = walkStart; at !== null; at = steps.at(-1)?.next ?? null) steps.push(step(at));
  return steps;
}

const compareAll = (limit: number) =>
  walk((at) => memory.store.derived.compareSome(at, limit)).reduce((sum, { found }) => sum + found, 0);

test("a comparison of what agrees lists nothing, also while records move to another project", async () => {
  expect(compareAll(7)).toBe(0);
  const { projects, projectMoves, commit } = memory.store;
  const named = (label: string) => projects.byLabel(label) ?? { id: 0, label };
  await commit(() => projectMoves.merge(named("one"), named("two")));
  await commit(() => projectMoves.step(20));
  expect(compareAll(7)).toBe(0);
  while (await commit(() => projectMoves.step(20)));
  expect(compareAll(7)).toBe(0);
  expect(listed()).toEqual([]);
});

test.each([
  [
    "delete from observations_fts where rowid in (3, 4, 60)",
    ["observations 3", "observations 4", "observations 60"],
  ],
  ["delete from session_summaries_fts where rowid = 5", ["session_summaries 5"]],
  ["delete from user_prompts_fts where rowid in (2, 3)", ["user_prompts 2", "user_prompts 3"]],
  ["insert into observations_fts (rowid, scope, title) values (-5, 'p1', 'ghost')", ["observations -5"]],
  ["insert into observations_fts (rowid, scope, title) values (900, 'p1', 'ghost')", ["observations 900"]],
  ["insert into user_prompts_fts (rowid, scope, body) values (1, 'p1', 'private')", ["user_prompts 1"]],
  ["delete from observation_files where observation_id = 4 and access = 'read'", ["observations 4"]],
  [
    "insert into observation_files (path, observation_id, access) values ('c.ts', 7, 'read')",
    ["observations 7"],
  ],
  ["update observations set project = 'two' where id = 2", ["observations 2"]],
])("after %s a comparison lists what is wrong, and nothing else", (damage, wrong) => {
  run(damage);
  expect(compareAll(7)).toBe(wrong.length);
  expect(listed()).toEqual(wrong);
  expect(compareAll(7)).toBe(0);
});

test("a vector that fits nothing is found and goes", () => {
  run("insert into vector_sets (id, embedder, model, dimension) values (1, 'e', 'm', 4)");
  const vector = "insert into observation_vectors (set_id, observation_id, scale, vector) values";
  run(`${vector} (1, 1, 1.0, x'01020304'), (1, 2, 1.0, x'0102')`);
  expect(compareAll(7)).toBe(1);
  expect(memory.db.prepare("select observation_id from observation_vectors").pluck().all()).toEqual([1]);
});

test("a walk that lists takes every record and every row without one, a bounded number at a time", () => {
  run("insert into observations_fts (rowid, scope, title) values (900, 'p1', 'ghost')");
  run("insert into user_prompts_fts (rowid, scope, body) values (1, 'p1', 'private')");
  let before = 0;
  const sizes = walk((at) => {
    const next = memory.store.derived.listSome(at, 10);
    const now = listed().length;
    const added = now - before;
    before = now;
    return { next, added };
  }).map(({ added }) => added);
  expect(before).toBe(60 + 1 + 60 + 60);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(10);
});
