// What the worker says about itself: health with proof of who answers, readiness, version, the queue.
import type { App } from "../plugins/zod.ts";
import { readErrors } from "../schemas/error.ts";
import {
  type Health,
  health,
  healthHeaders,
  type ProcessingStatusAnswer,
  processingStatus,
  readiness,
  versionAnswer,
} from "../schemas/status.ts";

/** What the worker knows of itself. */
export interface StatusPorts {
  health(): Health;
  version(): string;
  processingStatus(): ProcessingStatusAnswer;
  /** The keyed answer to a caller's nonce: shows that this worker holds the secret of `worker.json`. */
  prove(nonce: string): string;
}

/** `/api/health`, `/api/readiness`, `/api/version`, `/api/processing-status`. */
export function statusRoutes(app: App, ports: StatusPorts): void {
  app.get(
    "/api/health",
    {
      schema: {
        summary: "Whether the worker is well, and what the user must be told.",
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
        summary: "Messages are taken: the worker listens only once it is whole.",
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
        summary: "The queue, and what became of every accepted message.",
        response: { 200: processingStatus, ...readErrors },
      },
    },
    () => ports.processingStatus(),
  );
}
