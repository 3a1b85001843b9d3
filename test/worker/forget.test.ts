// Plans of a forget, and one that a full disk interrupts.
import { expect, test } from "vitest";
import { ask, db, eachWithAWorker, store, workIn } from "./trash-world.ts";

eachWithAWorker();

async function ended() {
  await expect
    .poll(async () => (await ask("GET", "/api/forget")).body.running, { timeout: 10_000 })
    .toBe(false);
  return (await ask("GET", "/api/forget")).body;
}

test("a plan counts what is deleted, events too", async () => {
  await workIn("one", "walrus");
  await workIn("two", "heron");
  const choice = { query: "walrus" };
  const { counts, projects } = (await ask("POST", "/api/forget/plan", choice)).body;
  expect(counts.observations).toBeGreaterThan(0);
  expect(projects).toEqual([
    { project: "app", records: counts.observations + counts.summaries + counts.prompts },
  ]);
  await ask("POST", "/api/forget", choice);
  const done = await ended();
  expect(done).toMatchObject({ error: null, goes_on: false });
  expect(done.counts).toEqual({ ...counts });
});

test("a full disk is reported with its code, and that the worker goes on", async () => {
  await workIn("one", "walrus");
  db.pragma("wal_checkpoint(truncate)");
  db.exec("vacuum");
  db.pragma(`max_page_count = ${db.pragma("page_count", { simple: true })}`);
  await ask("POST", "/api/forget", { project: "app" });
  const state = await ended();
  expect(state).toMatchObject({ error_code: "storage_full", goes_on: true });
  expect(store.forgets.unfinished()).toBeDefined();
  db.pragma("max_page_count = 1000000");
});
