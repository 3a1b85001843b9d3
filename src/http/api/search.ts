// Search over observations, session summaries and prompts.
import type { Search } from "../../recall/search.ts";
import type { App } from "../plugins/zod.ts";
import { readErrors } from "../schemas/error.ts";
import { searchAnswer, searchQuery } from "../schemas/search.ts";

/** `GET /api/search`. */
export function searchRoutes(app: App, search: Search): void {
  app.get(
    "/api/search",
    {
      schema: {
        summary: "Find what was learned, by words and filters.",
        querystring: searchQuery,
        response: { 200: searchAnswer, ...readErrors },
      },
    },
    async ({ query }) => {
      const { observations, sessions, prompts, notes } = await search.search(query);
      const totalResults = observations.length + sessions.length + prompts.length;
      return { observations, sessions, prompts, totalResults, query: query.query ?? "", notes };
    },
  );
}
