// The timeline around a record, the records of a file, and records by their ids.
import { route } from "../plugins/route.ts";
import type { App } from "../plugins/zod.ts";
import { batchAnswer, batchBody, fileTimelineAnswer, fileTimelineQuery } from "../schemas/recall.ts";
import { timelineAnswer, timelineQuery } from "../schemas/timeline.ts";
import { type ApiService, getRoute, postRoute } from "./service.ts";

/** `GET /api/timeline`, `/api/observations/by-file|batch`. */
export function recallRoutes(app: App, service: ApiService): void {
  route(app, "GET /api/timeline", {
    ...service.access.read,
    summary: "Records before and after a record or a moment, oldest first.",
    querystring: timelineQuery,
    response: { 200: timelineAnswer, ...service.errors.lookup },
    handler: async (request) => service.portsFor(request).timeline(request.query),
  });
  getRoute(
    app,
    { service, url: "/api/observations/by-file" },
    { summary: "Records of a file, newest first.", input: fileTimelineQuery, answer: fileTimelineAnswer },
    async (ports, query) => {
      const { observations, total } = await ports.byFile(query);
      return { path: query.path, observations, count: observations.length, total };
    },
  );
  postRoute(
    app,
    { service, url: "/api/observations/batch", access: "read" },
    {
      summary: "Whole observations by their ids; unknown ids are left out.",
      input: batchBody,
      answer: batchAnswer,
    },
    (ports, body) => ports.observationsOf(body),
  );
}

/** `POST /api/timeline`, of the worker alone. */
export function timelinePostRoute(app: App, service: ApiService): void {
  route(app, "POST /api/timeline", {
    ...service.access.read,
    summary: "The same with its parameters in the body, for a query that is too long for a URL.",
    body: timelineQuery,
    response: { 200: timelineAnswer, ...service.errors.change },
    handler: async (request) => service.portsFor(request).timeline(request.body),
  });
}
