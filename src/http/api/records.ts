// Stored records: pages, one record by its id, counts, projects.
import type * as z from "zod";
import { MemError } from "../../core/errors.ts";
import { route } from "../plugins/route.ts";
import type { App } from "../plugins/zod.ts";
import { idParams, pageQuery } from "../schemas/fields.ts";
import {
  observation,
  observationPage,
  prompt,
  promptPage,
  summary,
  summaryPage,
} from "../schemas/records.ts";
import { sessionPage, sessionWithSummaries } from "../schemas/session.ts";
import { projectList, stats } from "../schemas/status.ts";
import {
  type ApiPorts,
  type ApiService,
  type Awaitable,
  getRoute,
  type PageRequest,
  type Records,
} from "./service.ts";

/**
 * `/api/observations|summaries|prompts`, `/sessions`, `/api/observation|summary|session|prompt/:id`, `/api/stats`,
 * `/api/projects`.
 */
export function recordRoutes(app: App, service: ApiService): void {
  pageRoute(app, service, {
    url: "/api/observations",
    of: "observations",
    page: observationPage,
    input: service.observationPageQuery,
    read: (ports) => ports.observations.page,
  });
  pageRoute(app, service, {
    url: "/api/summaries",
    of: "session summaries",
    page: summaryPage,
    read: (ports) => ports.summaries.page,
  });
  pageRoute(app, service, {
    url: "/api/prompts",
    of: "user prompts",
    page: promptPage,
    read: (ports) => ports.prompts.page,
  });
  pageRoute(app, service, {
    url: "/sessions",
    of: "sessions",
    page: sessionPage,
    read: (ports) => ports.sessions.page,
  });
  byIdRoute(app, service, {
    url: "/api/observation/:id",
    noun: "observation",
    record: observation,
    find: (ports) => ports.observations.byId,
  });
  byIdRoute(app, service, {
    url: "/api/summary/:id",
    noun: "session summary",
    record: summary,
    find: (ports) => ports.summaries.byId,
  });
  byIdRoute(app, service, {
    url: "/api/prompt/:id",
    noun: "prompt",
    record: prompt,
    find: (ports) => ports.prompts.byId,
  });
  byIdRoute(app, service, {
    url: "/api/session/:id",
    noun: "session",
    record: sessionWithSummaries,
    find: (ports) => ports.sessions.byId,
  });
  totalRoutes(app, service);
}

interface PageAnswer<R> {
  items: R[];
  hasMore: boolean;
  offset: number;
  limit: number;
}

/** `GET url?offset&limit&project`: `items`, `hasMore`, `offset`, `limit`. */
export function pageRoute<R>(
  app: App,
  service: ApiService,
  asked: {
    url: string;
    of: string;
    page: z.ZodType<PageAnswer<R>>;
    input?: z.ZodType<PageRequest>;
    read(ports: ApiPorts): Records<R>["page"];
  },
): void {
  const { url, of, page, input = pageQuery, read } = asked;
  getRoute(
    app,
    { service, url },
    { summary: `A page of ${of}, newest first.`, input, answer: page },
    async (ports, query): Promise<PageAnswer<R>> => {
      const { items, hasMore } = await read(ports)(query);
      return { items, hasMore, offset: query.offset, limit: query.limit };
    },
  );
}

/** `GET url` with `:id`: the record, of one project when it is given; 404 without one. */
export function byIdRoute<R>(
  app: App,
  service: ApiService,
  asked: {
    url: string;
    noun: string;
    record: z.ZodType<R>;
    find(ports: ApiPorts): (id: number, project?: string) => Awaitable<R | undefined>;
  },
): void {
  const { url, noun, record, find } = asked;
  route(app, `GET ${url}`, {
    ...service.access.read,
    summary: `One ${noun}.`,
    params: idParams,
    querystring: service.recordQuery,
    response: { 200: record, ...service.errors.lookup },
    handler: async (request): Promise<R> => {
      const { id } = request.params;
      const found = await find(service.portsFor(request))(id, request.query.project);
      if (found !== undefined) return found;
      throw new MemError("not_found", {
        message: `There is no ${noun} ${id}.`,
        hint: "Ids come from the lists and from GET /api/search.",
      });
    },
  });
}

function totalRoutes(app: App, service: ApiService): void {
  const { read } = service.access;
  route(app, "GET /api/stats", {
    ...read,
    summary: "Counts of records and sessions, and the state of the process.",
    response: { 200: stats, ...service.errors.read },
    handler: async (request) => service.portsFor(request).stats(),
  });
  route(app, "GET /api/projects", {
    ...read,
    summary: "Labels of all projects.",
    response: { 200: projectList, ...service.errors.read },
    handler: async (request) => ({ projects: await service.portsFor(request).projects() }),
  });
}
