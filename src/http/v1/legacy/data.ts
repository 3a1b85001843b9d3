// The data routes of the local worker, on the server's store: pages, single records, totals, projects.
import type { FastifyRequest } from "fastify";
import type * as z from "zod";
import { MemError } from "../../../core/errors.ts";
import type { App } from "../../plugins/zod.ts";
import { idParams, pageQuery } from "../../schemas/fields.ts";
import { observation, observationPage } from "../../schemas/observation.ts";
import { prompt, promptPage } from "../../schemas/prompt.ts";
import { sessionWithSummaries } from "../../schemas/session.ts";
import { projectList, stats } from "../../schemas/status.ts";
import { summary, summaryPage } from "../../schemas/summary.ts";
import { keyedErrors, keyedLookupErrors } from "../../schemas/v1-errors.ts";
import { callerOf } from "../authentication.ts";
import type { LegacyPorts, LegacyRecords, Reach } from "./ports.ts";
import { reads, readWithin } from "./reads.ts";

/** `/api/observations|summaries|prompts`, `/api/observation|summary|session|prompt/:id`, `/api/stats`, `/api/projects`. */
export function legacyDataRoutes(app: App, ports: LegacyPorts): void {
  const { observations, summaries, prompts } = ports;
  pageRoute(app, ports, {
    url: "/api/observations",
    of: "observations",
    page: observationPage,
    records: observations,
  });
  pageRoute(app, ports, {
    url: "/api/summaries",
    of: "session summaries",
    page: summaryPage,
    records: summaries,
  });
  pageRoute(app, ports, {
    url: "/api/prompts",
    of: "user prompts that are still kept",
    page: promptPage,
    records: prompts,
  });
  byIdRoute(app, ports, {
    url: "/api/observation/:id",
    noun: "observation",
    record: observation,
    find: observations.byId,
  });
  byIdRoute(app, ports, {
    url: "/api/summary/:id",
    noun: "session summary",
    record: summary,
    find: summaries.byId,
  });
  byIdRoute(app, ports, { url: "/api/prompt/:id", noun: "prompt", record: prompt, find: prompts.byId });
  byIdRoute(app, ports, {
    url: "/api/session/:id",
    noun: "session",
    record: sessionWithSummaries,
    async find(reach, id) {
      const found = await ports.sessions.byId(reach, id);
      return found && { ...found.session, summaries: await ports.sessions.summariesOf(found) };
    },
  });
  totalRoutes(app, ports);
}

interface PageAnswer<R> {
  items: R[];
  hasMore: boolean;
  offset: number;
  limit: number;
}

function pageRoute<R>(
  app: App,
  ports: LegacyPorts,
  {
    url,
    of,
    page,
    records,
  }: { url: string; of: string; page: z.ZodType<PageAnswer<R>>; records: LegacyRecords<R> },
): void {
  app.get(
    url,
    {
      config: reads,
      schema: {
        summary: `Older: a page of ${of}, newest first.`,
        querystring: pageQuery,
        response: { 200: page, ...keyedErrors },
      },
    },
    async (request): Promise<PageAnswer<R>> => {
      const { project, offset, limit } = request.query;
      const found = await readWithin(ports, request, {
        project,
        work: async (reach) =>
          reach === null ? { items: [], hasMore: false } : records.page(reach, { offset, limit }),
        count: ({ items }) => items.length,
      });
      return { ...found, offset, limit };
    },
  );
}

function byIdRoute<R>(
  app: App,
  ports: LegacyPorts,
  options: {
    url: string;
    noun: string;
    record: z.ZodType<R>;
    find(reach: NonNullable<Reach>, id: number): Promise<R | undefined>;
  },
): void {
  const { url, noun, record, find } = options;
  app.get(
    url,
    {
      config: reads,
      schema: {
        summary: `Older: one ${noun}.`,
        params: idParams,
        response: { 200: record, ...keyedLookupErrors },
      },
    },
    (request): Promise<R> => {
      const { id } = request.params;
      return readWithin(ports, request, {
        async work(reach) {
          const found = reach === null ? undefined : await find(reach, id);
          if (found !== undefined) return found;
          throw new MemError("not_found", {
            message: `There is no ${noun} ${id}.`,
            hint: "Ids come from the lists and from GET /api/search.",
          });
        },
        count: () => 1,
      });
    },
  );
}

function totalRoutes(app: App, ports: LegacyPorts): void {
  app.get(
    "/api/stats",
    {
      config: reads,
      schema: { summary: "Older: counts of what the key reaches.", response: { 200: stats, ...keyedErrors } },
    },
    async (request) => ports.stats(await ownReach(ports, request)),
  );
  app.get(
    "/api/projects",
    {
      config: reads,
      schema: {
        summary: "Older: the projects that the key reaches.",
        response: { 200: projectList, ...keyedErrors },
      },
    },
    async (request) => ({ projects: await ports.projects(await ownReach(ports, request)) }),
  );
}

async function ownReach(ports: LegacyPorts, request: FastifyRequest): Promise<NonNullable<Reach>> {
  const { team_id, project_id } = callerOf(request);
  return (await ports.reach(callerOf(request), undefined)) ?? { team_id, project_id };
}
