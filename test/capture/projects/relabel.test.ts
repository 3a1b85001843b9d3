import { beforeEach, expect, onTestFinished, test } from "vitest";
import { createRelabel, type Relabel } from "../../../src/capture/projects/relabel.ts";
import { projectToken } from "../../../src/core/records/scope-token.ts";
import { createGenerationQueue } from "../../../src/store/sqlite/generation-queue.ts";
import { createMemoryStore, type MemoryStore } from "../../helpers/memory-store.ts";

let memory: MemoryStore;
let relabel: Relabel;
let changes: number;

beforeEach(() => {
  memory = createMemoryStore();
  onTestFinished(() => memory.close());
  changes = 0;
  relabel = open();
});

function open(): Relabel {
  return createRelabel(memory.store, () => {
    changes += 1;
  });
}

/** Records of every kind in a project that is known by its path. */
function fill(project: string, count: number): void {
  const { projects } = memory.store;
  for (let index = 0; index < count; index += 1) {
    memory.addObservation({
      project,
      title: `Peppermint ${project} ${index}`,
      files_modified: [`${project}.ts`],
    });
    memory.addPrompt(`peppermint prompt ${index}`, { project, private: index % 5 === 4 });
    memory.addSummary({ project, request: `peppermint summary ${index}` });
  }
  projects.identify(`path:/${project}`, projects.ensure(project));
  projects.setFolder(projects.ensure(project), `/${project}`);
  memory.db
    .prepare(
      `insert into model_calls (at_epoch, provider, model, project, messages, input_tokens, output_tokens, cached_tokens, outcome)
       values (1, 'p', 'm', ?, 1, 1, 1, 1, 'ok')`,
    )
    .run(project);
}

/** How many of each kind the full text finds inside the project, and how many rows have its label. */
function held(project: string): { found: number[]; rows: number[] } {
  const token = projectToken(memory.store.projects.find(project) ?? 0);
  const count = (sql: string, parameter: string) => Number(memory.db.prepare(sql).pluck().get(parameter));
  const tables = ["observations", "session_summaries", "user_prompts"];
  return {
    found: tables.map((table) =>
      count(`select count(*) from ${table}_fts where ${table}_fts match ?`, `scope:${token} peppermint`),
    ),
    rows: [...tables, "sessions", "model_calls"].map((table) =>
      count(`select count(*) from ${table} where project = ?`, project),
    ),
  };
}

test("moves all records of a renamed project, and still finds it by its old label", async () => {
  fill("app", 5);
  memory.db.prepare("update observations set synced_at = 1").run();
  expect(await relabel.rename("app", "shop")).toEqual({ project: "shop", left: 0 });
  expect(held("shop")).toEqual({ found: [5, 5, 4], rows: [5, 5, 5, 1, 1] });
  expect(held("app").rows).toEqual([0, 0, 0, 0, 0]);
  expect(memory.store.projects.byAlias("app")?.label).toBe("shop");
  expect(memory.store.projects.byIdentity("path:/app")?.label).toBe("shop");
  expect(memory.store.observations.byId(1)).toMatchObject({ revision: 2, synced_at: null });
  expect(changes).toBe(1);
});

test("a merge moves records, identities, aliases and the search index", async () => {
  fill("app", 60);
  fill("old", 60);
  await relabel.rename("old", "older");
  expect(await relabel.merge("older", "app")).toEqual({ project: "app", left: 0 });
  expect(held("app")).toEqual({ found: [120, 120, 96], rows: [120, 120, 120, 2, 2] });
  const { projects } = memory.store;
  expect([projects.find("older"), projects.find("old")]).toEqual([undefined, undefined]);
  expect([projects.byAlias("older")?.label, projects.byAlias("old")?.label]).toEqual(["app", "app"]);
  expect(projects.byIdentity("path:/old")?.label).toBe("app");
  expect(memory.store.projectMoves.list()).toMatchObject([
    { project: "app", folder: "/app", aliases: ["old", "older"], sessions: 2, observations: 120 },
  ]);
  expect(
    memory.db.prepare("select count(*) from observation_files where path = 'old.ts'").pluck().get(),
  ).toBe(60);
});

test("a name that comes back is the project's own again", async () => {
  fill("app", 3);
  await relabel.rename("app", "shop");
  await relabel.rename("shop", "app");
  expect(held("app")).toEqual({ found: [3, 3, 3], rows: [3, 3, 3, 1, 1] });
  expect(memory.store.projects.byAlias("app")).toBeUndefined();
  expect(memory.store.projects.byAlias("shop")?.label).toBe("app");
});

test("the next worker finishes a move, through renames in between", async () => {
  const { store } = memory;
  fill("one", 40);
  fill("two", 40);
  // As they stand when the worker ends right after its answer: decided, and a few records moved.
  const named = (label: string) => store.projects.byLabel(label) ?? { id: 0, label };
  store.projectMoves.rename(named("one").id, "one", "first");
  store.projectMoves.step(10);
  store.projectMoves.merge(named("first"), named("two"));
  store.projectMoves.step(10);
  store.projectMoves.rename(named("two").id, "two", "both");
  expect(store.projectMoves.left()).toBeGreaterThan(100);
  expect(store.projectMoves.list().map(({ project }) => project)).toEqual(["both"]);
  const next = open();
  next.resume();
  await expect.poll(() => store.projectMoves.left()).toBe(0);
  await next.stop();
  expect(held("both")).toEqual({ found: [80, 80, 64], rows: [80, 80, 80, 2, 2] });
  expect(memory.db.prepare("select count(*) from project_moves").pluck().get()).toBe(0);
  expect(["one", "first", "two"].map((label) => store.projects.byAlias(label)?.label)).toEqual([
    "both",
    "both",
    "both",
  ]);
});

test("a record rebuilt before it has its new label is found in its project", async () => {
  fill("app", 60);
  const { projects, projectMoves, derived } = memory.store;
  for (let at = derived.list(1_000); at !== null; ) at = derived.list(1_000, at);
  projectMoves.rename(projects.find("app") ?? 0, "app", "shop");
  projectMoves.step(30);
  while (derived.renew(50) > 0);
  expect(projects.find("app")).toBeUndefined();
  while (projectMoves.step(50));
  expect(held("shop")).toEqual({ found: [60, 60, 48], rows: [60, 60, 60, 1, 1] });
});

test("a rename during the end of another one moves its records too", async () => {
  fill("app", 1);
  fill("lib", 1);
  const writes: (() => void)[] = [];
  const commit = <T>(write: () => T) => new Promise<T>((resolve) => void writes.push(() => resolve(write())));
  // Writes of one turn are one transaction, and answered together.
  const turn = async () => {
    for (const write of writes.splice(0)) write();
    await new Promise(setImmediate);
  };
  const together = createRelabel({ ...memory.store, commit }, () => undefined);
  const first = together.rename("app", "shop");
  await turn();
  while (memory.store.projectMoves.isMoving()) await turn();
  const second = together.rename("lib", "store");
  for (let turns = 0; turns < 5; turns += 1) await turn();
  expect(await Promise.all([first, second])).toHaveLength(2);
  expect(memory.store.projectMoves.left()).toBe(0);
});

test.each([
  ["rename", ["nothing", "shop"], "not_found", "mem project list"],
  ["rename", ["app", "lib"], "conflict", "mem project merge app lib"],
  ["rename", ["lib", "before"], "conflict", "another name"],
  ["rename", ["app", " app "], "conflict", "plain name"],
  ["rename", ["app", "a, b"], "conflict", "without a comma"],
  ["rename", ["before", "shop"], "not_found", "renamed to `app`"],
  ["merge", ["app", "nothing"], "not_found", "mem project list"],
  ["merge", ["app", "app"], "conflict", "two projects"],
] as const)("%s of %j is refused with a step, and nothing moves", async (what, [from, to], code, step) => {
  fill("before", 1);
  fill("lib", 1);
  await relabel.rename("before", "app");
  const before = memory.store.projectMoves.list();
  await expect(relabel[what](from, to)).rejects.toMatchObject({ code, hint: expect.stringContaining(step) });
  expect(memory.store.projectMoves.list()).toEqual(before);
});

test("stores a model's answer in the merged project of its session", async () => {
  const { store } = memory;
  fill("app", 1);
  fill("old", 1);
  const session = store.sessions.byClaudeId("session of old");
  const raw = store.rawEvents.insert({
    session_id: session?.id ?? 0,
    kind: "observation",
    event_key: "k",
    payload: '{"type":"observation","tool_name":"Bash"}',
    now: 1,
  });
  store.pending.enqueue(raw ?? 0, session?.id ?? 0, 1);
  const queue = createGenerationQueue(store, "me");
  const batch = await queue.claim(session?.id ?? 0, { now: 2, leaseMs: 1000, limit: 10, maxChars: 1e6 });
  await relabel.merge("old", "app");
  if (batch === null) throw new Error("nothing was claimed");
  const { observations } = await queue.complete(batch, {
    observations: [{ ...plainDraft, sources: [raw ?? 0] }],
    summaries: [],
    generator: "local",
  });
  expect(observations.map(({ project }) => project)).toEqual(["app"]);
  expect(store.projects.find("old")).toBeUndefined();
});

const plainDraft = {
  ...{ obs_type: "change", title: "Late", subtitle: null, summary: "Late.", narrative: null },
  ...{ facts: [], concepts: [], files_read: [], files_modified: [], provenance: "file" as const },
};
