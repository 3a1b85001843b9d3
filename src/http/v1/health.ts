// Liveness and readiness for load balancers and orchestrators, without a key.
import * as z from "zod";
import { route } from "../plugins/route.ts";
import type { App } from "../plugins/zod.ts";
import { errorBody } from "../schemas/error.ts";

export interface HealthPorts {
  version(): string;
  /** `on`, or `off` with the reason; undefined is left out. */
  vectors: string | undefined;
  /** Resolves when the database answers and has this version's schema. Throws why not. */
  demandReady(): Promise<void>;
}

/** `GET /health` (the process runs) and `GET /ready` (its database answers; 503 until then). */
export function healthRoutes(app: App, { version, vectors, demandReady }: HealthPorts): void {
  route(app, "GET /health", {
    ...askedByHead,
    config: { access: "none" },
    summary: "The process runs.",
    response: { 200: health },
    handler: () => ({ status: "ok" as const, version: version() }),
  });
  route(app, "GET /ready", {
    ...askedByHead,
    config: { access: "none" },
    summary: "Requests can be served.",
    response: { 200: ready, 503: errorBody },
    handler: async () => {
      await demandReady();
      return { status: "ready" as const, ...(vectors === undefined ? {} : { vectors }) };
    },
  });
}

// Some load balancers and health checks (`wget --spider`) send HEAD.
const askedByHead = { exposeHeadRoute: true };

const health = z.object({ status: z.literal("ok"), version: z.string() });
const ready = z.object({
  status: z.literal("ready"),
  vectors: z.string().optional().meta({ description: "Whether there is a search by meaning." }),
});
