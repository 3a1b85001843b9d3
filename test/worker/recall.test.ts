// What the settings make of the context that a worker gives.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { terminalText } from "../../src/text/terminal-text.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { startWorker, workerHome } from "../helpers/worker-process.ts";

test.each([
  ["types that no mode has", { MEM_CONTEXT_OBSERVATION_TYPES: "bug" }, ["a bug", "a find"]],
  ["concepts that no mode has", { MEM_CONTEXT_OBSERVATION_CONCEPTS: "nope" }, ["a bug", "a find"]],
  ["a type beside a typo", { MEM_CONTEXT_OBSERVATION_TYPES: "bugfix,nope" }, ["a bug"]],
])("the context is not emptied by %s", async (_, env, titles) => {
  const worker = await startWorker(workerHome(env));
  const records = [
    { title: "a bug", obs_type: "bugfix" },
    { title: "a find", obs_type: "discovery" },
  ];
  for (const record of records)
    await worker.post("/observations", { claudeSessionId: "s", project: "app", ...record });
  const text = String((await worker.get("/api/context/inject?projects=app")).body);
  expect(["a bug", "a find"].filter((title) => text.includes(title))).toEqual(titles);
});

// Labels that are a folder of the path as well, inside of the project or around it.
const labels = ["shop", "src", "work", "home/app"];

// One whose folder is known, and one of which only a client's label is.
const projects = [
  ["app", (folder: string) => ({ cwd: folder })],
  ["billing", () => ({ project: "billing" })],
] as const;

test.each(labels.flatMap((label) => projects.map(([name, origin]) => ({ label, name, origin }))))(
  "renaming $name to $label changes the label in the context and no path",
  async ({ label, name, origin }) => {
    const worker = await startWorker(workerHome());
    const folder = join(tempDir(), "work", name);
    mkdirSync(join(folder, ".git"), { recursive: true });
    const files = ["src/a.ts", "shop/src/b.ts", "src/src/work/c.ts"];
    for (const file of files) {
      const observation = { title: `change of ${file}`, type: "discovery", ...origin(folder) };
      const path = name === "app" ? `${folder}/${file}` : `/w/${name}/${file}`;
      await worker.post("/observations", { claudeSessionId: "s", ...observation, filesModified: [path] });
    }
    const context = async (project: string) =>
      String((await worker.get(`/api/context/inject?project=${encodeURIComponent(project)}`)).body);
    const rows = (text: string) => text.split("\n").slice(2, -1);
    const rename = (from: string, to: string) => worker.post("/api/projects/rename", { from, to });
    const before = await context(name);
    for (const file of files) expect(before).toContain(` ${file}`);
    expect((await rename(name, label)).status).toBe(200);
    expect(rows(await context(label))).toEqual(rows(before));
    expect(await context(label)).toContain(`# Memory of ${label}\n`);
    expect((await rename(label, name)).status).toBe(200);
    expect(await context(name)).toBe(before);
  },
);

test("a preview has colours, and none with colors=false, for a pipe", async () => {
  const worker = await startWorker(workerHome());
  await worker.post("/observations", {
    claudeSessionId: "s",
    project: "app",
    title: "a find",
    type: "discovery",
  });
  const preview = async (query: string) =>
    String((await worker.get(`/api/context/preview?project=app${query}`)).body);
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
  const worker = await startWorker(workerHome({ MEM_CONTEXT_OBSERVATIONS: "200", ...env }));
  for (let n = 0; n < 210; n++) {
    const title = `Record ${n} of the queue`;
    await worker.post("/observations", { claudeSessionId: "s", project: "app", obs_type: "change", title });
  }
  const text = String((await worker.get("/api/context/inject?projects=app")).body);
  const shown = text.match(/Record \d+ of the queue/g)?.length ?? 0;
  if (least === 200) expect(shown).toBe(200);
  else expect([shown >= least, shown < 200]).toEqual([true, true]);
});
