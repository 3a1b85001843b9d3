// Compatibility routes: the worker's `/api` on the server, within the reach of the key. Routes that change one machine are
// absent.

import type { FastifyRequest } from "fastify";
import * as z from "zod";
import type { QueueCounts } from "../../core/records/queue.ts";
import type { Tenant } from "../../core/records/tenancy.ts";
import { contextRoutes } from "../api/context.ts";
import { recallRoutes } from "../api/recall.ts";
import { recordRoutes } from "../api/records.ts";
import { searchRoutes } from "../api/search.ts";
import type { ApiPorts, ApiService } from "../api/service.ts";
import { numberedSessionRoutes, sessionRoutes } from "../api/sessions.ts";
import { route } from "../plugins/route.ts";
import type { App } from "../plugins/zod.ts";
import { keyedInjectQuery, keyedPreviewQuery } from "../schemas/context.ts";
import { syncStatus } from "../schemas/device-sync.ts";
import { errorBody, keyedErrors, keyedLookupErrors, keyedWriteErrors } from "../schemas/error.ts";
import { pageQuery } from "../schemas/fields.ts";
import { mcpStatus, settingsAnswer } from "../schemas/settings.ts";
import { readiness, versionAnswer } from "../schemas/status.ts";
import { callerOf } from "./authentication.ts";
import type { HealthPorts } from "./health.ts";
import type { Asker } from "./recall.ts";

export interface CompatibilityPorts {
  /** The ports within the caller's reach; each read of records leaves an audit row. */
  portsFor(asker: Asker): ApiPorts;
  /** Unfinished generation jobs; `dead` have failed. */
  queue(reach: Tenant): Promise<QueueCounts>;
}

const reads = { config: { access: "memories:read" } } as const;
const open = { config: { access: "none" } } as const;

/** `/api/*`, and `/sessions/:sessionDbId/*`. */
export function compatibilityRoutes(
  app: App,
  { compatibility, health }: { compatibility: CompatibilityPorts; health: HealthPorts },
): void {
  const service: ApiService = {
    portsFor: (request) => compatibility.portsFor(askerOf(request)),
    access: { read: reads, write: { config: { access: "memories:write" } } },
    errors: {
      read: keyedErrors,
      lookup: keyedLookupErrors,
      write: keyedWriteErrors,
      change: keyedWriteErrors,
    },
    // A number is of one project of the team already.
    recordQuery: z.object({}),
    observationPageQuery: pageQuery,
  };
  sessionRoutes(app, service);
  numberedSessionRoutes(app, service);
  recordRoutes(app, service);
  searchRoutes(app, service);
  recallRoutes(app, service);
  contextRoutes(app, service, {
    injectQuery: keyedInjectQuery,
    previewQuery: keyedPreviewQuery,
    unknownProjects: () => [],
  });
  statusRoutes(app, health);
  workerStateRoutes(app, compatibility);
}

function askerOf(request: FastifyRequest): Asker {
  return { caller: callerOf(request), by: request.routeOptions.url ?? "", request_id: request.id };
}

// Open without a key: the answers contain nothing about a team or the machine.
function statusRoutes(app: App, { version, demandReady }: HealthPorts): void {
  route(app, "GET /api/health", {
    ...open,
    summary: "The process runs.",
    response: { 200: health },
    handler: () => ({ status: "ok" as const, version: version() }),
  });
  route(app, "GET /api/readiness", {
    ...open,
    summary: "Requests can be served.",
    response: { 200: readiness, 503: errorBody },
    handler: async () => {
      await demandReady();
      return { status: "ready" as const };
    },
  });
  route(app, "GET /api/version", {
    ...open,
    summary: "The server's version.",
    response: { 200: versionAnswer },
    handler: () => ({ version: version() }),
  });
}

const health = z.object({ status: z.literal("ok"), version: z.string() });

// Status that integrations of the worker poll: the key's own queue, and constants for what a server lacks.
function workerStateRoutes(app: App, { queue }: Pick<CompatibilityPorts, "queue">): void {
  route(app, "GET /api/processing-status", {
    ...reads,
    summary: "The generation jobs within the key's reach.",
    response: { 200: processingStatus, ...keyedErrors },
    handler: async (request) => {
      const { team_id, project_id } = callerOf(request);
      const counts = await queue({ team_id, project_id });
      const queueDepth = counts.pending + counts.processing;
      return { isProcessing: counts.processing > 0, queueDepth, ...counts };
    },
  });
  for (const { url, summary, schema, answer } of constants) {
    route(app, `GET ${url}`, {
      ...reads,
      summary,
      response: { 200: schema, ...keyedErrors },
      handler: async () => answer,
    });
  }
}

const processingStatus = z.object({
  isProcessing: z.boolean(),
  queueDepth: z.int(),
  pending: z.int(),
  processing: z.int(),
  dead: z.int(),
  oldestPendingAgeMs: z.number().nullable(),
});

const constants: readonly { url: string; summary: string; schema: z.ZodType; answer: object }[] = [
  {
    url: "/api/settings",
    summary: "The viewer's defaults. No key can read the server's settings.",
    schema: settingsAnswer,
    answer: { sidebarOpen: true, selectedProject: null },
  },
  {
    url: "/api/mcp/status",
    summary: "Recall over MCP is always on, at POST /v1/mcp.",
    schema: mcpStatus,
    answer: { enabled: true },
  },
  {
    url: "/api/branch/status",
    summary: "A server has no branch to update.",
    schema: z.object({ current: z.null(), remote: z.null(), ahead: z.literal(0), behind: z.literal(0) }),
    answer: { current: null, remote: null, ahead: 0, behind: 0 },
  },
  {
    url: "/api/sync/status",
    summary: "A server syncs with no hub.",
    schema: syncStatus,
    answer: { configured: false },
  },
];
