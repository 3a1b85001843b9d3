// Records that match a prompt, for context: one search with a deadline.

import { failOpen } from "../core/errors.ts";
import type { Observation } from "../core/records/records.ts";
import { isProposal } from "../core/records/statement.ts";
import type { Search, SearchResults } from "../recall/search.ts";

interface RelevantDeps {
  search: Search;
  byId(id: number): Observation | undefined;
  deadlineMs?: number;
}

export type Relevant = (request: {
  project: string;
  words: string;
  limit: number;
  cwd?: string | null;
}) => Promise<Observation[]>;

// A third of the hook's deadline; the rest is for storing the prompt.
const deadlineMs = 500;

/** Best first; empty when the search fails or exceeds its deadline. */
export function createRelevant({ search, byId, ...deps }: RelevantDeps): Relevant {
  return async ({ project, words, limit, cwd }) => {
    const at = cwd == null ? {} : { cwd };
    const asked = failOpen("searching for a prompt", () =>
      search.search({
        query: words,
        type: "observations",
        format: "index",
        limit,
        project,
        isPrompt: true,
        ...at,
      }),
    );
    const results = await within(deps.deadlineMs ?? deadlineMs, asked);
    return (results?.observations ?? [])
      .filter(isMeant)
      .flatMap(({ id }) => byId(id) ?? [])
      .filter((found) => !isProposal(found));
  };
}

// Partial-word matches say too little about a prompt.
function isMeant({ matched_by }: SearchResults["observations"][number]): boolean {
  return matched_by.some((by) => by !== "parts" && by !== "filters");
}

async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
