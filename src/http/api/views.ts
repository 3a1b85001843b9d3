// What the viewer's pages show beside the records: what a session was injected.
import { MemError } from "../../core/errors.ts";
import type { App } from "../plugins/zod.ts";
import { lookupErrors, readErrors } from "../schemas/error.ts";
import { idParams } from "../schemas/fields.ts";
import {
  type Activity,
  activity,
  activityQuery,
  type SessionInjections,
  type SessionRecords,
  sessionInjections,
  sessionRecords,
  sessionRecordsQuery,
} from "../schemas/views.ts";

export interface ViewPorts {
  /** Undefined without such a session; likewise below. */
  injections(sessionId: number): SessionInjections | undefined;
  /** Oldest first. */
  records(sessionId: number, page: { offset: number; limit: number }): SessionRecords | undefined;
  activity(request: { days: number; project?: string | undefined }): Activity;
}

/** `GET /api/sessions/:id/injections`, `/api/sessions/:id/records` and `/api/activity`. */
export function viewRoutes(app: App, views: ViewPorts): void {
  app.get(
    "/api/sessions/:id/injections",
    {
      schema: {
        summary: "Everything that was injected into the context of a session's agents.",
        params: idParams,
        response: { 200: sessionInjections, ...lookupErrors },
      },
    },
    ({ params: { id } }) => views.injections(id) ?? noSession(id),
  );
  app.get(
    "/api/sessions/:id/records",
    {
      schema: {
        summary: "Prompts, observations and summaries of a session, oldest first.",
        params: idParams,
        querystring: sessionRecordsQuery,
        response: { 200: sessionRecords, ...lookupErrors },
      },
    },
    ({ params: { id }, query }) => views.records(id, query) ?? noSession(id),
  );
  app.get(
    "/api/activity",
    {
      schema: {
        summary: "Records, injections and tokens of each of the last days.",
        querystring: activityQuery,
        response: { 200: activity, ...readErrors },
      },
    },
    ({ query }) => views.activity(query),
  );
}

function noSession(id: number): never {
  throw new MemError("not_found", {
    message: `There is no session ${id}.`,
    hint: "GET /sessions lists them.",
  });
}
