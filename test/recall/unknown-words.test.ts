import { afterEach, beforeEach, expect, test } from "vitest";
import type { Search } from "../../src/recall/search.ts";
import { createMemorySearch } from "../helpers/memory-search.ts";
import { createMemoryStore, type MemoryStore } from "../helpers/memory-store.ts";

const index = { format: "index", limit: 20 } as const;

let memory: MemoryStore;
let search: Search["search"];

beforeEach(() => {
  memory = createMemoryStore();
  search = createMemorySearch(memory).search;
});
afterEach(() => memory.close());

async function found(query: string, project?: string) {
  const { observations, notes } = await search({ ...index, query, project });
  return { ids: observations.map(({ id }) => id), notes };
}

test.each([
  ["a word that a record has", "cache"],
  ["the beginning of a word", "postg"],
  ["a part within words", "gres"],
])("leaves %s as it is", async (_what, typed) => {
  memory.addObservation({ title: "Cached grep results of Postgres in the cache" });
  const { ids, notes } = await found(typed);
  expect(ids).toHaveLength(1);
  expect(notes).toEqual([]);
});

test.each([
  [
    "kafka consumer timeout",
    undefined,
    "No record has `kafka`, `consumer`: the results match the other words.",
  ],
  ["why does the kafka rebalance hit the timeout", undefined, "No record has `kafka`, `rebalance`"],
  ["dockerfile timeout", "app", "No record has `dockerfile`: the results match the other words."],
  ["mailer timeout", undefined, null],
])("says which main words of %j no record has (project %s)", async (query, project, note) => {
  memory.addObservation({ title: "The timeout of the mailer is 5 s" });
  memory.addObservation({ title: "Wrote the dockerfile", project: "shop" });
  const { notes } = await found(query, project);
  if (note === null) expect(notes).toEqual([]);
  else expect(notes[0]).toContain(note);
});

test("says that no record has any of the words", async () => {
  memory.addObservation({ title: "Moved the orders to Postgres" });
  expect(await found("zebra crossing")).toEqual({ ids: [], notes: ["No record has `zebra`, `crossing`."] });
});

test("leaves the words of a prompt as they are", async () => {
  memory.addObservation({ title: "Moved the orders to Postgres" });
  const { observations, notes } = await search({ ...index, query: "postgers", isPrompt: true });
  expect({ observations, notes }).toEqual({ observations: [], notes: [] });
});
