// What the settings make of the context that a worker gives.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { terminalText } from "../../src/text/terminal-text.ts";
import { buildSearch } from "../../src/worker/recall.ts";
import { createMemoryStore } from "../helpers/memory-store.ts";
import { openWorker } from "../helpers/open-worker.ts";
import { tempDir } from "../helpers/temp-dir.ts";

test("a search waits for the check of the work tree that it comes from", async () => {
  const memory = createMemoryStore();
  onTestFinished(memory.close);
  const { id } = memory.addObservation({ title: "The kumquat" });
  memory.db.prepare("update observations set branch = 'feat'").run();
  let isChecked = false;
  const search = buildSearch({ db: memory.db, clock: systemClock }, memory.store, {
    unmerged: (_kind, ids) => new Map(isChecked ? ids.map((one) => [one, "feat"]) : []),
    settle: async (cwd) => {
      await setImmediate();
      isChecked = cwd === "/w/app";
    },
  });
  const request = { query: "kumquat", format: "index", limit: 5, project: "app", cwd: "/w/app" } as const;
  const { observations } = await search.search(request);
  expect(observations).toMatchObject([{ id, branch: "feat", merged: false }]);
});

test.each([
  ["types that no mode has", { MEM_CONTEXT_OBSERVATION_TYPES: "bug" }, ["a bug", "a find"]],
  ["concepts that no mode has", { MEM_CONTEXT_OBSERVATION_CONCEPTS: "nope" }, ["a bug", "a find"]],
  ["a type beside a typo", { MEM_CONTEXT_OBSERVATION_TYPES: "bugfix,nope" }, ["a bug"]],
])("the context is not emptied by %s", async (_, env, titles) => {
  const worker = await openWorker(env);
  const records = [
    { title: "a bug", obs_type: "bugfix" },
    { title: "a find", obs_type: "discovery" },
  ];
  for (const record of records)
    await worker.post("/observations", { claudeSessionId: "s", project: "app", ...record });
  const text = (await worker.get("/api/context/inject?projects=app")).text;
  expect(["a bug", "a find"].filter((title) => text.includes(title))).toEqual(titles);
});

// Labels that are a folder of the path as well, inside of the project or around it.
const labels = ["shop", "src", "work", "home/app"];

// One whose folder is known, and one of which only a client's label is.
const projects = [
  ["app", (folder: string) => ({ cwd: folder })],
  ["billing", () => ({ project: "billing" })],
] as const;

test.each(projects)("renaming %s changes the label in the context and no path", async (name, origin) => {
  const worker = await openWorker();
  const folder = join(tempDir(), "work", name);
  mkdirSync(join(folder, ".git"), { recursive: true });
  const files = ["src/a.ts", "shop/src/b.ts", "src/src/work/c.ts"];
  for (const file of files) {
    const observation = { title: `change of ${file}`, type: "discovery", ...origin(folder) };
    const path = name === "app" ? `${folder}/${file}` : `/w/${name}/${file}`;
    await worker.post("/observations", { claudeSessionId: "s", ...observation, filesModified: [path] });
  }
  const context = async (project: string) =>
    (await worker.get(`/api/context/inject?project=${encodeURIComponent(project)}`)).text;
  const rows = (text: string) => text.split("\n").slice(2, -1);
  const rename = (from: string, to: string) => worker.post("/api/projects/rename", { from, to });
  const before = await context(name);
  for (const file of files) expect(before).toContain(` ${file}`);
  for (const label of labels) {
    expect((await rename(name, label)).status).toBe(200);
    expect(rows(await context(label)), label).toEqual(rows(before));
    expect(await context(label)).toContain(`# Memory of ${label}\n`);
    expect((await rename(label, name)).status).toBe(200);
    expect(await context(name)).toBe(before);
  }
});

test("a preview has colours, and none with colors=false, for a pipe", async () => {
  const worker = await openWorker();
  await worker.post("/observations", {
    claudeSessionId: "s",
    project: "app",
    title: "a find",
    type: "discovery",
  });
  const preview = async (query: string) =>
    (await worker.get(`/api/context/preview?project=app${query}`)).text;
  const coloured = await preview("");
  expect(coloured).toContain("\u001b[1m");
  expect(await preview("&colors=true")).toBe(coloured);
  const plain = await preview("&colors=false");
  expect(plain).toContain("a find");
  expect(plain).not.toContain("\u001b");
  expect(plain).toBe(terminalText(coloured));
  expect((await worker.get("/api/context/preview?project=app&colors=maybe")).status).toBe(400);
});

test.each([
  ["all 200 when the count alone is set", {}, 200],
  ["all 200 when the budget is raised with the count", { MEM_CONTEXT_TOKEN_BUDGET: "50000" }, 200],
  ["those that fit when a lower budget is set", { MEM_CONTEXT_TOKEN_BUDGET: "2500" }, 60],
])("of 200 observations asked for, inject shows %s", async (_, env, least) => {
  const worker = await openWorker({ MEM_CONTEXT_OBSERVATIONS: "200", ...env });
  for (let n = 0; n < 210; n++) worker.addObservation({ title: `Record ${n} of the queue` });
  const text = (await worker.get("/api/context/inject?projects=app")).text;
  const shown = text.match(/Record \d+ of the queue/g)?.length ?? 0;
  if (least === 200) expect(shown).toBe(200);
  else expect([shown >= least, shown < 200]).toEqual([true, true]);
});
