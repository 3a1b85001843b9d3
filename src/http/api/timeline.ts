// The timeline around a record or a moment.
import type { Timeline } from "../../recall/timeline.ts";
import type { App } from "../plugins/zod.ts";
import { lookupErrors } from "../schemas/error.ts";
import { timelineAnswer, timelineQuery } from "../schemas/timeline.ts";

/** `GET /api/timeline`. */
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
}
