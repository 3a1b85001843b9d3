// Search over observations, session summaries and prompts.
import type { Search } from "../../recall/search.ts";
import type { App } from "../plugins/zod.ts";
import { readErrors, writeErrors } from "../schemas/error.ts";
import { type SearchQuery, searchAnswer, searchQuery } from "../schemas/search.ts";
import { type KnownNames, readLabels } from "./labelled-words.ts";
import { notesOnFilters } from "./unknown-filters.ts";

/** `GET /api/search`, and `POST` for what is too long for an address. */
export function searchRoutes(app: App, search: Search, known: KnownNames): void {
  app.get(
    "/api/search",
    {
      schema: {
        summary: "Find what was learned, by words and filters.",
        querystring: searchQuery,
        response: { 200: searchAnswer, ...readErrors },
      },
    },
    ({ query }) => answerOf(search, query, known),
  );
  app.post(
    "/api/search",
    {
      schema: {
        summary: "The same with its parameters in the body, for a question that is too long for an address.",
        body: searchQuery,
        response: { 200: searchAnswer, ...writeErrors },
      },
    },
    ({ body }) => answerOf(search, body, known),
  );
}

async function answerOf(search: Search, given: SearchQuery, known: KnownNames) {
  const { asked, notes: labels } = readLabels(given, known);
  const { observations, sessions, prompts, notes } = await search.search(asked);
  const totalResults = observations.length + sessions.length + prompts.length;
  return {
    ...{ observations, sessions, prompts, totalResults, query: given.query ?? "" },
    notes: [...labels, ...notes, ...notesOnFilters(totalResults, asked, known)],
  };
}
