import { expect, test } from "vitest";
import type { Observation } from "../../src/core/records/records.ts";
import type { Search, SearchResults } from "../../src/recall/search.ts";
import type { MatchedBy } from "../../src/recall/search-port.ts";
import { createRelevant } from "../../src/worker/prompt-search.ts";

const asked: unknown[] = [];
const byId = (id: number) => (id === 9 ? undefined : ({ id } as Observation));
const request = { project: "app", words: "login redirect", limit: 5 };

function searchFinding(hits: { id: number; matched_by: MatchedBy[] }[]): Search {
  return {
    search: async (given: unknown) => {
      asked.push(given);
      return { observations: hits, sessions: [], prompts: [], notes: [] } as unknown as SearchResults;
    },
  } as Search;
}

test("returns found records of the project, best first, without deleted ones", async () => {
  const search = searchFinding([
    { id: 3, matched_by: ["words"] },
    { id: 9, matched_by: ["words"] },
    { id: 1, matched_by: ["vectors", "neighbours"] },
  ]);
  expect(await createRelevant({ search, byId })(request)).toEqual([{ id: 3 }, { id: 1 }]);
  expect(asked).toEqual([
    {
      query: "login redirect",
      type: "observations",
      format: "index",
      limit: 5,
      project: "app",
      isPrompt: true,
    },
  ]);
});

test("what has only a part of a word does not count", async () => {
  const search = searchFinding([
    { id: 1, matched_by: ["parts"] },
    { id: 2, matched_by: ["filters"] },
  ]);
  expect(await createRelevant({ search, byId })(request)).toEqual([]);
});

test("a search that fails or hangs finds nothing and does not block the caller", async () => {
  const broken = { search: () => Promise.reject(new Error("broken")) } as unknown as Search;
  expect(await createRelevant({ search: broken, byId })(request)).toEqual([]);
  const hung = { search: () => new Promise(() => undefined) } as unknown as Search;
  expect(await createRelevant({ search: hung, byId, deadlineMs: 5 })(request)).toEqual([]);
});
