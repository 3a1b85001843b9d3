// The older status routes, open without a key: that it runs, that it serves, which version. What a worker says of its
// machine is not said here.
import * as z from "zod";
import type { App } from "../../plugins/zod.ts";
import { errorBody } from "../../schemas/error.ts";
import { readiness, versionAnswer } from "../../schemas/status.ts";
import type { HealthPorts } from "../health.ts";
import { open } from "./reads.ts";

/** `/api/health`, `/api/readiness`, `/api/version`. */
export function legacyStatusRoutes(app: App, { version, demandReady }: HealthPorts): void {
  app.get(
    "/api/health",
    { config: open, schema: { summary: "Older: the process runs.", response: { 200: health } } },
    () => ({ status: "ok" as const, version: version() }),
  );
  app.get(
    "/api/readiness",
    {
      config: open,
      schema: { summary: "Older: requests can be served.", response: { 200: readiness, 503: errorBody } },
    },
    async () => {
      await demandReady();
      return { status: "ready" as const };
    },
  );
  app.get(
    "/api/version",
    { config: open, schema: { summary: "Older: the version.", response: { 200: versionAnswer } } },
    () => ({ version: version() }),
  );
}

const health = z.object({ status: z.literal("ok"), version: z.string() });
