// What the settings make of the context that a worker gives.
import { expect, test } from "vitest";
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
