import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import type { SearchRequest } from "../../src/recall/search.ts";
import { buildSearch } from "../../src/worker/recall.ts";
import { createMemoryStore, someTime } from "../helpers/memory-store.ts";

function searched() {
  const memory = createMemoryStore();
  onTestFinished(memory.close);
  const said = { said_by: "agent", standing: false, reach: "project", salience: 0 } as const;
  const add = (summary: string, at: number, project = "app") =>
    memory.addObservation({ title: summary, summary, project, at: someTime + at, statement: said });
  add("The proxy is what keeps the port open.", 1);
  add("Next step: wire the Redis store of the rate limiter.", 2);
  add("The login still has to be moved.", 3);
  add("The docs are not written yet.", 4, "web");
  const search = buildSearch({ db: memory.db, clock: systemClock }, memory.store);
  const titles = async (query: string, more: Partial<SearchRequest> = {}) => {
    const { observations } = await search.search({ format: "index", limit: 10, query, ...more });
    return observations.map(({ title, matched_by }) => `${title} (${matched_by.join()})`);
  };
  return { titles };
}

test("open work comes first, the newest before older, whatever its words", async () => {
  const { titles } = searched();
  const found = await titles("what is still open", { project: "app" });
  expect(found.slice(0, 2)).toEqual([
    "The login still has to be moved. (open)",
    "Next step: wire the Redis store of the rate limiter. (open)",
  ]);
  expect(found.join()).toContain("keeps the port open");
  expect(new Set(found).size).toBe(found.length);
  expect((await titles("open work"))[0]).toContain("The docs");
  expect(await titles("open work", { project: "app", limit: 1 })).toHaveLength(1);
});

test("pages of a question for open work neither repeat nor lose a record", async () => {
  const { titles } = searched();
  const whole = await titles("what is still open", { project: "app" });
  for (const together of [true, false]) {
    const seen: string[] = [];
    for (let offset = 0; offset < 4; offset++)
      seen.push(...(await titles("what is still open", { project: "app", limit: 1, offset, together })));
    expect(seen).toEqual(whole);
  }
});

test("a question that names a subject gets the open work about it", async () => {
  const { titles } = searched();
  const found = await titles("what is left in the rate limiter");
  expect(found[0]).toContain("Redis store of the rate limiter. (open)");
  expect(found.filter((one) => one.endsWith("(open)"))).toHaveLength(1);
});

test("other questions and filters of type are answered by words alone", async () => {
  const { titles } = searched();
  for (const found of [await titles("open port"), await titles("open work", { obs_type: "bugfix" })])
    expect(found.join()).not.toContain("(open)");
});
