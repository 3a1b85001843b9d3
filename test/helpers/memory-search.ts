// Search over a store in memory, wired as the worker wires it.
import { beforeEach } from "vitest";
import type { RecordFilter } from "../../src/core/records/search.ts";
import { createSearch, type Search } from "../../src/recall/search.ts";
import type { SearchPort } from "../../src/recall/search-port.ts";
import { createCandidates } from "../../src/store/sqlite/candidates.ts";
import { createSearchIndex } from "../../src/store/sqlite/search-index.ts";
import { eachMemoryStore, type MemoryStore, someTime } from "./memory-store.ts";

/** The filter that excludes no record. */
export const anything: RecordFilter = {
  ...{ project: null, obs_type: null, concepts: [], files: [] },
  ...{ dateStart: null, dateEnd: null },
};

/** A new store in memory for each test of the file, and its search. */
export function eachMemorySearch(now?: number): Pick<Search, "search"> & { memory: MemoryStore } {
  const memory = eachMemoryStore();
  let made: Search;
  beforeEach(() => {
    made = createMemorySearch(memory, now);
  });
  return { memory, search: (request) => made.search(request) };
}

export function createMemorySearch(memory: MemoryStore, now = someTime): Search {
  return createSearch(memorySearchPort(memory, now));
}

/** The port alone, for a test that adds a leg to it. */
export function memorySearchPort({ db, store }: MemoryStore, now = someTime): SearchPort {
  const index = createSearchIndex(db);
  return {
    projectId: (label) => store.projects.find(label),
    now: () => now,
    observations: {
      ...index.observations,
      ...createCandidates(db),
      byId: (id) => store.observations.byId(id),
    },
    summaries: { ...index.summaries, byId: (id) => store.summaries.byId(id) },
    prompts: { ...index.prompts, byId: (id) => store.prompts.byId(id), underWay: () => [] },
  };
}
