// Search by words and filters, by topic, concept, file or type.
import type { SearchResults } from "../../recall/search.ts";
import type { App } from "../plugins/zod.ts";
import { byConceptQuery, bySearchedFileQuery, byTypeQuery, topicQuery } from "../schemas/recall.ts";
import { searchAnswer, searchQuery } from "../schemas/search.ts";
import { type ApiService, getRoute, postRoute } from "./service.ts";

/** `/api/search` by `GET` and `POST`, `/api/decisions|changes|how-it-works`, `/api/search/by-concept|file|type`. */
export function searchRoutes(app: App, service: ApiService): void {
  getRoute(
    app,
    { service, url: "/api/search" },
    { summary: "Search by words and filters.", input: searchQuery, answer: searchAnswer },
    async (ports, query) => answerOf(await ports.search(query), query.query),
  );
  postRoute(
    app,
    { service, url: "/api/search", access: "read" },
    {
      summary: "The same with its parameters in the body, for a query that is too long for a URL.",
      input: searchQuery,
      answer: searchAnswer,
    },
    async (ports, query) => answerOf(await ports.search(query), query.query),
  );
  topicRoutes(app, service);
  searchByRoutes(app, service);
}

function topicRoutes(app: App, service: ApiService): void {
  const summaries = {
    decisions: "Decisions, newest first.",
    changes: "Changes, newest first.",
    "how-it-works": "How things work, newest first.",
  } as const;
  for (const topic of ["decisions", "changes", "how-it-works"] as const) {
    getRoute(
      app,
      { service, url: `/api/${topic}` },
      { summary: summaries[topic], input: topicQuery, answer: searchAnswer },
      async (ports, query) => answerOf(await ports.topic({ topic }, query)),
    );
  }
}

function searchByRoutes(app: App, service: ApiService): void {
  getRoute(
    app,
    { service, url: "/api/search/by-concept" },
    { summary: "Records with a concept, newest first.", input: byConceptQuery, answer: searchAnswer },
    async (ports, { concept, ...query }) => answerOf(await ports.topic({ topic: "concept", concept }, query)),
  );
  getRoute(
    app,
    { service, url: "/api/search/by-file" },
    {
      summary: "Records that touched a file, newest first.",
      input: bySearchedFileQuery,
      answer: searchAnswer,
    },
    async (ports, { filePath: path, ...query }) =>
      answerOf(await ports.topic({ topic: "file", path }, query)),
  );
  getRoute(
    app,
    { service, url: "/api/search/by-type" },
    { summary: "Observations of a type, newest first.", input: byTypeQuery, answer: searchAnswer },
    async (ports, { type: obs_type, ...query }) =>
      answerOf(await ports.topic({ topic: "type", obs_type }, query)),
  );
}

function answerOf({ observations, sessions, prompts, notes }: SearchResults, query = "") {
  const totalResults = observations.length + sessions.length + prompts.length;
  return { observations, sessions, prompts, totalResults, query, notes };
}
