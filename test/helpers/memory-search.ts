// Search over a store in memory, wired as the worker wires it.
import { createSearch, type Search } from "../../src/recall/search.ts";
import type { SearchPort } from "../../src/recall/search-port.ts";
import { createCandidates } from "../../src/store/sqlite/candidates.ts";
import { createSearchIndex } from "../../src/store/sqlite/search-index.ts";
import { type MemoryStore, someTime } from "./memory-store.ts";

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
