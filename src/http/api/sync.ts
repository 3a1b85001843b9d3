// The status of sync with a hub.
import type { App } from "../plugins/zod.ts";
import { readErrors } from "../schemas/error.ts";
import { syncStatus } from "../schemas/sync.ts";

/** `GET /api/sync/status`; always registered, so that a client can ask before anything is configured. */
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
