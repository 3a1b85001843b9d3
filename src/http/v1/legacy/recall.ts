// Search, the fixed questions, the timeline and files of the local worker, on the server's store.
import type { FastifyRequest } from "fastify";
import type { SearchResults } from "../../../recall/search.ts";
import type { Topic, TopicRequest } from "../../../recall/topics.ts";
import type { App } from "../../plugins/zod.ts";
import {
  batchAnswer,
  batchBody,
  byConceptQuery,
  bySearchedFileQuery,
  byTypeQuery,
  fileTimelineAnswer,
  fileTimelineQuery,
  topicQuery,
} from "../../schemas/recall.ts";
import { type SearchQuery, searchAnswer, searchQuery } from "../../schemas/search.ts";
import { timelineAnswer, timelineQuery } from "../../schemas/timeline.ts";
import { keyedErrors, keyedLookupErrors, keyedWriteErrors } from "../../schemas/v1-errors.ts";
import { callerOf } from "../authentication.ts";
import type { LegacyPorts } from "./ports.ts";
import { reads, readWithin } from "./reads.ts";

/** `/api/search` and its kin, `/api/timeline`, `/api/observations/by-file|batch`. */
export function legacyRecallRoutes(app: App, ports: LegacyPorts): void {
  searchRoutes(app, ports);
  topicRoutes(app, ports);
  searchByRoutes(app, ports);
  app.get(
    "/api/timeline",
    {
      config: reads,
      schema: {
        summary: "Older: what came before and after a record or a moment, oldest first.",
        querystring: timelineQuery,
        response: { 200: timelineAnswer, ...keyedLookupErrors },
      },
    },
    (request) =>
      readWithin(ports, request, {
        project: request.query.project,
        work: (reach) => ports.timeline(reach, request.query),
        count: (items) => items.length,
      }),
  );
  fileRoute(app, ports);
  app.post(
    "/api/observations/batch",
    {
      config: reads,
      schema: {
        summary: "Older: whole observations by their ids; those that are not in reach are left out.",
        body: batchBody,
        response: { 200: batchAnswer, ...keyedWriteErrors },
      },
    },
    (request) =>
      readWithin(ports, request, {
        project: request.body.project,
        work: async (reach) => (reach === null ? [] : ports.observationsOf(reach, request.body.ids)),
        count: (found) => found.length,
      }),
  );
}

function searchRoutes(app: App, ports: LegacyPorts): void {
  const answer = async (request: FastifyRequest, asked: SearchQuery) => {
    const found = await readWithin(ports, request, {
      project: asked.project,
      work: (reach) => ports.search(reach, asked),
      count: totalOf,
    });
    const totalResults = totalOf(found);
    const notes = totalResults > 0 ? found.notes : [...found.notes, ...(await nameNote(request, asked))];
    return { ...found, notes, totalResults, query: asked.query ?? "" };
  };
  // The same words for a project that nobody has and for one out of reach.
  const nameNote = async (request: FastifyRequest, { project }: SearchQuery): Promise<string[]> => {
    const isInReach = project === undefined || (await ports.reach(callerOf(request), project)) !== null;
    return isInReach ? [] : ["There is no such project. GET /api/projects lists those that the key reaches."];
  };
  app.get(
    "/api/search",
    {
      config: reads,
      schema: {
        summary: "Older: find what was learned, by words and filters.",
        querystring: searchQuery,
        response: { 200: searchAnswer, ...keyedErrors },
      },
    },
    (request) => answer(request, request.query),
  );
  app.post(
    "/api/search",
    {
      config: reads,
      schema: {
        summary: "Older: the same with its parameters in the body.",
        body: searchQuery,
        response: { 200: searchAnswer, ...keyedWriteErrors },
      },
    },
    (request) => answer(request, request.body),
  );
}

const answers = { response: { 200: searchAnswer, ...keyedErrors } };

function topicRoutes(app: App, ports: LegacyPorts): void {
  const told = {
    decisions: "Older: what was decided, newest first.",
    changes: "Older: what was changed, newest first.",
    "how-it-works": "Older: how things work, newest first.",
  } as const;
  for (const topic of ["decisions", "changes", "how-it-works"] as const) {
    app.get(
      `/api/${topic}`,
      { config: reads, schema: { summary: told[topic], querystring: topicQuery, ...answers } },
      (request) => topicAnswer(ports, request, { topic: { topic }, query: request.query }),
    );
  }
}

function searchByRoutes(app: App, ports: LegacyPorts): void {
  app.get(
    "/api/search/by-concept",
    {
      config: reads,
      schema: {
        summary: "Older: records with a concept, newest first.",
        querystring: byConceptQuery,
        ...answers,
      },
    },
    (request) => {
      const { concept, ...query } = request.query;
      return topicAnswer(ports, request, { topic: { topic: "concept", concept }, query });
    },
  );
  app.get(
    "/api/search/by-file",
    {
      config: reads,
      schema: {
        summary: "Older: records that touched a file, newest first.",
        querystring: bySearchedFileQuery,
        ...answers,
      },
    },
    (request) => {
      const { filePath: path, ...query } = request.query;
      return topicAnswer(ports, request, { topic: { topic: "file", path }, query });
    },
  );
  app.get(
    "/api/search/by-type",
    {
      config: reads,
      schema: {
        summary: "Older: observations of a type, newest first.",
        querystring: byTypeQuery,
        ...answers,
      },
    },
    (request) => {
      const { type: obs_type, ...query } = request.query;
      return topicAnswer(ports, request, { topic: { topic: "type", obs_type }, query });
    },
  );
}

async function topicAnswer(
  ports: LegacyPorts,
  request: FastifyRequest,
  { topic, query }: { topic: Topic; query: TopicRequest },
) {
  const found = await readWithin(ports, request, {
    project: query.project,
    work: (reach) => ports.topic(reach, topic, query),
    count: totalOf,
  });
  return { ...found, totalResults: totalOf(found), query: "" };
}

function totalOf({ observations, sessions, prompts }: SearchResults): number {
  return observations.length + sessions.length + prompts.length;
}

// A directory says nothing here: no work tree of an agent lies on this machine.
function fileRoute(app: App, ports: LegacyPorts): void {
  app.get(
    "/api/observations/by-file",
    {
      config: reads,
      schema: {
        summary: "Older: what is known of a file, newest first.",
        querystring: fileTimelineQuery,
        response: { 200: fileTimelineAnswer, ...keyedErrors },
      },
    },
    async (request) => {
      const { path, projects, limit } = request.query;
      const caller = callerOf(request);
      const labels = projects.length === 0 ? [undefined] : projects;
      const found = await readWithin(ports, request, {
        async work() {
          const reaches = await Promise.all(labels.map((label) => ports.reach(caller, label)));
          return ports.byFile(
            reaches.filter((reach) => reach !== null),
            { path, limit },
          );
        },
        count: ({ observations }) => observations.length,
      });
      return { path, observations: found.observations, count: found.observations.length, total: found.total };
    },
  );
}
