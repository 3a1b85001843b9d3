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
