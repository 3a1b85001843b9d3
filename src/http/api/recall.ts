// Recall without words to look for: fixed questions, a concept, a file, a type, and records by their ids.
import type { Mode } from "../../core/records/mode.ts";
import type { Observation, Parsed, SessionSummary } from "../../core/records/records.ts";
import type { ByFile } from "../../recall/by-file.ts";
import type { SearchResults } from "../../recall/search.ts";
import type { Topics } from "../../recall/topics.ts";
import type { App } from "../plugins/zod.ts";
import { readErrors, writeErrors } from "../schemas/error.ts";
import {
  batchAnswer,
  batchBody,
  byConceptQuery,
  bySearchedFileQuery,
  byTypeQuery,
  fileTimelineAnswer,
  fileTimelineQuery,
  topicQuery,
} from "../schemas/recall.ts";
import { searchAnswer } from "../schemas/search.ts";
import { summary } from "../schemas/summary.ts";
import { byIdRoute } from "./records.ts";
import { type KnownFilters, notesOnFilters } from "./unknown-filters.ts";

/** What the routes of recall read. */
export interface RecallPorts {
  topics: Topics;
  /** The words of the active mode. */
  mode(): Pick<Mode, "name" | "types" | "concepts">;
  projects: KnownFilters["projects"];
  byFile: ByFile;
  summaries: { byId(id: number): SessionSummary | undefined };
  /** Those of the ids that are there, in their order; of one project when it is given. */
  observationsOf(request: { ids: readonly number[]; project?: string | undefined }): Parsed<Observation>[];
}

/** `/api/decisions|changes|how-it-works`, `/api/search/by-*`, `/api/observations/by-file|batch`, `/api/summary/:id`. */
export function recallRoutes(app: App, ports: RecallPorts): void {
  topicRoutes(app, ports);
  searchByRoutes(app, ports);
  app.get(
    "/api/observations/by-file",
    {
      schema: {
        summary: "What is known of a file, newest first.",
        querystring: fileTimelineQuery,
        response: { 200: fileTimelineAnswer, ...readErrors },
      },
    },
    async ({ query }) => {
      const { observations, total } = await ports.byFile.of(query);
      return { path: query.path, observations, count: observations.length, total };
    },
  );
  app.post(
    "/api/observations/batch",
    {
      schema: {
        summary: "Whole observations by their ids; those that are not there are left out.",
        body: batchBody,
        response: { 200: batchAnswer, ...writeErrors },
      },
    },
    ({ body }) => ports.observationsOf(body),
  );
  byIdRoute(app, "/api/summary/:id", {
    summary: "One session summary.",
    noun: "session summary",
    record: summary,
    records: ports.summaries,
  });
}

const answers = { response: { 200: searchAnswer, ...readErrors } };

function topicRoutes(app: App, { topics, ...known }: RecallPorts): void {
  const told = {
    decisions: "What was decided, newest first.",
    changes: "What was changed, newest first.",
    "how-it-works": "How things work, newest first.",
  } as const;
  for (const topic of ["decisions", "changes", "how-it-works"] as const) {
    app.get(
      `/api/${topic}`,
      { schema: { summary: told[topic], querystring: topicQuery, ...answers } },
      async ({ query }) => answerOf(await topics.of({ topic }, query), query, known),
    );
  }
}

function searchByRoutes(app: App, { topics, ...known }: RecallPorts): void {
  app.get(
    "/api/search/by-concept",
    {
      schema: {
        summary: "Records with a concept, newest first.",
        querystring: byConceptQuery,
        ...answers,
      },
    },
    async ({ query: { concept, ...query } }) =>
      answerOf(
        await topics.of({ topic: "concept", concept }, query),
        { ...query, concepts: [concept] },
        known,
      ),
  );
  app.get(
    "/api/search/by-file",
    {
      schema: {
        summary: "Records that touched a file, newest first.",
        querystring: bySearchedFileQuery,
        ...answers,
      },
    },
    async ({ query: { filePath, ...query } }) =>
      answerOf(await topics.of({ topic: "file", path: filePath }, query), query, known),
  );
  app.get(
    "/api/search/by-type",
    {
      schema: {
        summary: "Observations of a type, newest first.",
        querystring: byTypeQuery,
        ...answers,
      },
    },
    async ({ query: { type, ...query } }) =>
      answerOf(
        await topics.of({ topic: "type", obs_type: type }, query),
        { ...query, obs_type: type },
        known,
      ),
  );
}

function answerOf(
  { observations, sessions, prompts, notes }: SearchResults,
  filters: Parameters<typeof notesOnFilters>[1],
  known: KnownFilters,
) {
  const totalResults = observations.length + sessions.length + prompts.length;
  const said = [...notes, ...notesOnFilters(totalResults, filters, known)];
  return { observations, sessions, prompts, totalResults, query: "", notes: said };
}
