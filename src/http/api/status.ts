// State of the worker: health with proof of identity, readiness, version, queue, cost, rebuild of derived data.
import { route } from "../plugins/route.ts";
import type { App } from "../plugins/zod.ts";
import { type CostAnswer, type CostQuery, costAnswer, costQuery } from "../schemas/cost.ts";
import { readErrors, writeErrors } from "../schemas/error.ts";
import {
  type Health,
  health,
  healthHeaders,
  type ProcessingStatusAnswer,
  processingStatus,
  type RepairState,
  readiness,
  repairBody,
  repairState,
  versionAnswer,
} from "../schemas/status.ts";

export interface StatusPorts {
  health(): Health;
  version(): string;
  processingStatus(): ProcessingStatusAnswer;
  /** HMAC of the caller's nonce: proves that this worker has the secret of `worker.json`. */
  prove(nonce: string): string;
}

/** `/api/health`, `/api/readiness`, `/api/version`, `/api/processing-status`. */
export function statusRoutes(app: App, ports: StatusPorts): void {
  route(app, "GET /api/health", {
    summary: "Health of the worker, and notices for the user.",
    headers: healthHeaders,
    response: { 200: health, ...readErrors },
    handler: ({ headers }, reply) => {
      const nonce = headers["x-mem-nonce"];
      if (nonce !== undefined) reply.header("x-mem-proof", ports.prove(nonce));
      return ports.health();
    },
  });
  route(app, "GET /api/readiness", {
    summary: "Ready: the worker listens only once it is fully built.",
    response: { 200: readiness, ...readErrors },
    handler: () => ({ status: "ready" as const }),
  });
  route(app, "GET /api/version", {
    summary: "The worker's version.",
    response: { 200: versionAnswer, ...readErrors },
    handler: () => ({ version: ports.version() }),
  });
  route(app, "GET /api/processing-status", {
    summary: "The queue, and the outcome of every accepted message.",
    response: { 200: processingStatus, ...readErrors },
    handler: () => ports.processingStatus(),
  });
}

export interface CostPorts {
  report(query: CostQuery): CostAnswer;
}

/** `GET /api/cost`. */
export function costRoutes(app: App, cost: CostPorts): void {
  route(app, "GET /api/cost", {
    summary: "Model calls and their cost by day, project or model, with a projection for the month.",
    querystring: costQuery,
    response: { 200: costAnswer, ...readErrors },
    handler: ({ query }) => cost.report(query),
  });
}

export interface MaintenancePorts {
  /** Lists every record for the rebuild; resolves to their number. */
  repair(): Promise<number>;
  waiting(): number;
  /** Time of the last full check, null before the first, and the number of records it repaired. */
  compared(): { at: number | null; found: number };
}

/** `POST /api/maintenance/repair` starts a repair, `GET` returns its progress. */
export function maintenanceRoutes(app: App, maintenance: MaintenancePorts): void {
  route(app, "POST /api/maintenance/repair", {
    summary: "Rebuild full text and files of all records, in the background.",
    body: repairBody,
    response: { 200: repairState, ...writeErrors },
    handler: async () => stateOf(maintenance, await maintenance.repair()),
  });
  route(app, "GET /api/maintenance/repair", {
    summary: "Records that wait for the rebuild.",
    response: { 200: repairState, ...readErrors },
    handler: () => stateOf(maintenance, maintenance.waiting()),
  });
}

function stateOf({ compared }: MaintenancePorts, waiting: number): RepairState {
  const { at, found } = compared();
  return { waiting, compared_at_epoch: at, repaired: found };
}
