// State of the worker: health with proof of identity, readiness, version, queue, cost, sync.
import type { App } from "../plugins/zod.ts";
import { type CostAnswer, type CostQuery, costAnswer, costQuery } from "../schemas/cost.ts";
import { readErrors } from "../schemas/error.ts";
import {
  type Health,
  health,
  healthHeaders,
  type ProcessingStatusAnswer,
  processingStatus,
  readiness,
  syncStatus,
  versionAnswer,
} from "../schemas/status.ts";

export interface StatusPorts {
  health(): Health;
  version(): string;
  processingStatus(): ProcessingStatusAnswer;
  /** The keyed answer to a caller's nonce: proves that this worker holds the secret of `worker.json`. */
  prove(nonce: string): string;
}

/** `/api/health`, `/api/readiness`, `/api/version`, `/api/processing-status`. */
export function statusRoutes(app: App, ports: StatusPorts): void {
  app.get(
    "/api/health",
    {
      schema: {
        summary: "Health of the worker, and notices for the user.",
        headers: healthHeaders,
        response: { 200: health, ...readErrors },
      },
    },
    ({ headers }, reply) => {
      const nonce = headers["x-mem-nonce"];
      if (nonce !== undefined) reply.header("x-mem-proof", ports.prove(nonce));
      return ports.health();
    },
  );
  app.get(
    "/api/readiness",
    {
      schema: {
        summary: "Ready: the worker listens only once it is fully built.",
        response: { 200: readiness, ...readErrors },
      },
    },
    () => ({ status: "ready" as const }),
  );
  app.get(
    "/api/version",
    { schema: { summary: "The worker's version.", response: { 200: versionAnswer, ...readErrors } } },
    () => ({ version: ports.version() }),
  );
  app.get(
    "/api/processing-status",
    {
      schema: {
        summary: "The queue, and the outcome of every accepted message.",
        response: { 200: processingStatus, ...readErrors },
      },
    },
    () => ports.processingStatus(),
  );
}

export interface CostPorts {
  report(query: CostQuery): CostAnswer;
}

/** `GET /api/cost`. */
export function costRoutes(app: App, cost: CostPorts): void {
  app.get(
    "/api/cost",
    {
      schema: {
        summary: "Model calls and their cost by day, project or model, with a projection for the month.",
        querystring: costQuery,
        response: { 200: costAnswer, ...readErrors },
      },
    },
    ({ query }) => cost.report(query),
  );
}

/** `GET /api/sync/status`; always registered. */
export function syncRoutes(app: App): void {
  app.get(
    "/api/sync/status",
    {
      schema: {
        summary: "Whether sync with a hub is configured.",
        response: { 200: syncStatus, ...readErrors },
      },
    },
    () => ({ configured: false as const }),
  );
}
