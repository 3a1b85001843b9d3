// The routes of the local worker that a server can answer, for integrations that were written against it. Each needs a
// key, and shows and changes what that reaches. What changes one machine is not here, and answered like any unknown path.
import type { App } from "../../plugins/zod.ts";
import type { HealthPorts } from "../health.ts";
import { legacyContextRoutes } from "./context.ts";
import { legacyDataRoutes } from "./data.ts";
import { numberedSessionRoutes } from "./numbered-sessions.ts";
import type { LegacyPorts } from "./ports.ts";
import { legacyRecallRoutes } from "./recall.ts";
import { legacySessionRoutes } from "./sessions.ts";
import { legacyStatusRoutes } from "./status.ts";
import { legacyWorkerStateRoutes } from "./worker-state.ts";

/** `/api/*`, and `/sessions/:sessionDbId/*`. */
export function legacyRoutes(
  app: App,
  { legacy, health }: { legacy: LegacyPorts; health: HealthPorts },
): void {
  legacyStatusRoutes(app, health);
  legacySessionRoutes(app, legacy);
  numberedSessionRoutes(app, legacy);
  legacyDataRoutes(app, legacy);
  legacyRecallRoutes(app, legacy);
  legacyContextRoutes(app, legacy);
  legacyWorkerStateRoutes(app, legacy);
}
