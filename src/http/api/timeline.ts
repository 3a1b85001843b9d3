// The timeline around a record or a moment.
import type { Timeline } from "../../recall/timeline.ts";
import type { App } from "../plugins/zod.ts";
import { changeErrors, lookupErrors } from "../schemas/error.ts";
import { timelineAnswer, timelineQuery } from "../schemas/timeline.ts";

/** `GET /api/timeline`, and `POST` for what is too long for an address. */
export function timelineRoutes(app: App, timeline: Timeline): void {
  app.get(
    "/api/timeline",
    {
      schema: {
        summary: "What came before and after a record or a moment, oldest first.",
        querystring: timelineQuery,
        response: { 200: timelineAnswer, ...lookupErrors },
      },
    },
    ({ query }) => timeline.around(query),
  );
  app.post(
    "/api/timeline",
    {
      schema: {
        summary: "The same with its parameters in the body, for a question that is too long for an address.",
        body: timelineQuery,
        response: { 200: timelineAnswer, ...changeErrors },
      },
    },
    ({ body }) => timeline.around(body),
  );
}
