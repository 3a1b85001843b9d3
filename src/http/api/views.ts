// Views of the viewer's pages: feed, injections, details, activity, open work.
import { MemError } from "../../core/errors.ts";
import type { RecordName } from "../../core/records/record-name.ts";
import { route } from "../plugins/route.ts";
import type { App } from "../plugins/zod.ts";
import { lookupErrors, readErrors } from "../schemas/error.ts";
import { idParams, ofProjectQuery } from "../schemas/fields.ts";
import {
  type Activity,
  activity,
  activityQuery,
  type FeedAnswer,
  feed,
  feedQuery,
  type ObservationDetails,
  type OpenWorkAnswer,
  observationDetails,
  ofSessionQuery,
  openWork,
  type SessionInjections,
  type SessionRecords,
  sessionInjections,
  sessionRecords,
} from "../schemas/views.ts";

interface FeedPage {
  /** The last record of the page before. */
  before: (RecordName & { at: number }) | null;
  limit: number;
  project?: string | undefined;
  /** Directory of the reader, for `merged`. */
  cwd?: string | undefined;
}

interface SessionPage {
  offset: number;
  limit: number;
}

export interface ViewPorts {
  /** All kinds, newest first. */
  feed(page: FeedPage): FeedAnswer;
  /** Oldest first; undefined without such a session. Likewise below. */
  injections(sessionId: number, page: SessionPage): SessionInjections | undefined;
  records(sessionId: number, page: SessionPage): SessionRecords | undefined;
  activity(request: { days: number; project?: string | undefined }): Activity;
  details(observationId: number): Promise<ObservationDetails | undefined>;
  /** Open work in the context of a session start; without a project, of the latest projects. */
  openWork(project: string | undefined): Promise<OpenWorkAnswer>;
}

/**
 * `GET /api/feed`, `/api/sessions/:id/injections`, `/api/sessions/:id/records`, `/api/observations/:id/details`,
 * `/api/activity`, `/api/open-work`.
 */
export function viewRoutes(app: App, views: ViewPorts): void {
  feedRoute(app, views);
  sessionViewRoutes(app, views);
  route(app, "GET /api/observations/:id/details", {
    summary: "An observation with its sources, prompt, freshness, injections and tokens.",
    params: idParams,
    response: { 200: observationDetails, ...lookupErrors },
    handler: async ({ params: { id } }) => (await views.details(id)) ?? unknown("observation", id),
  });
  route(app, "GET /api/activity", {
    summary: "Records, injections and tokens of each of the last days.",
    querystring: activityQuery,
    response: { 200: activity, ...readErrors },
    handler: ({ query }) => views.activity(query),
  });
  route(app, "GET /api/open-work", {
    summary: "Open work that the context of a session start names.",
    querystring: ofProjectQuery,
    response: { 200: openWork, ...readErrors },
    handler: ({ query }) => views.openWork(query.project),
  });
}

function feedRoute(app: App, views: ViewPorts): void {
  route(app, "GET /api/feed", {
    summary: "Observations, session summaries and prompts, newest first, page by page.",
    querystring: feedQuery,
    response: { 200: feed, ...readErrors },
    handler: ({ query: { before, before_epoch: at, ...page } }) =>
      views.feed({ before: before && at !== undefined ? { ...before, at } : null, ...page }),
  });
}

function sessionViewRoutes(app: App, views: ViewPorts): void {
  route(app, "GET /api/sessions/:id/injections", {
    summary: "What was injected into the context of a session's agents, oldest first.",
    params: idParams,
    querystring: ofSessionQuery,
    response: { 200: sessionInjections, ...lookupErrors },
    handler: ({ params: { id }, query }) => views.injections(id, query) ?? unknown("session", id),
  });
  route(app, "GET /api/sessions/:id/records", {
    summary: "Prompts, observations and summaries of a session, oldest first.",
    params: idParams,
    querystring: ofSessionQuery,
    response: { 200: sessionRecords, ...lookupErrors },
    handler: ({ params: { id }, query }) => views.records(id, query) ?? unknown("session", id),
  });
}

function unknown(noun: string, id: number): never {
  throw new MemError("not_found", {
    message: `There is no ${noun} ${id}.`,
    hint: "Ids come from the lists and from GET /api/search. Deleted records: GET /api/trash.",
  });
}
