// What follows from the records, made anew over HTTP.
import type { App } from "../plugins/zod.ts";
import { readErrors, writeErrors } from "../schemas/error.ts";
import { type RepairState, repairBody, repairState } from "../schemas/status.ts";

export interface MaintenancePorts {
  /** Lists every record to be made anew; resolves to how many are listed. */
  repair(): Promise<number>;
  waiting(): number;
  /** When all was compared last, null when never, and how many records were made anew then. */
  compared(): { at: number | null; found: number };
}

/** `POST /api/maintenance/repair` begins, `GET` says how far it is. */
export function maintenanceRoutes(app: App, maintenance: MaintenancePorts): void {
  app.post(
    "/api/maintenance/repair",
    {
      schema: {
        summary: "Make full text and files of all records anew, behind the answers.",
        body: repairBody,
        response: { 200: repairState, ...writeErrors },
      },
    },
    async () => stateOf(maintenance, await maintenance.repair()),
  );
  app.get(
    "/api/maintenance/repair",
    {
      schema: {
        summary: "How many records still wait to be made anew.",
        response: { 200: repairState, ...readErrors },
      },
    },
    () => stateOf(maintenance, maintenance.waiting()),
  );
}

function stateOf({ compared }: MaintenancePorts, waiting: number): RepairState {
  const { at, found } = compared();
  return { waiting, compared_at_epoch: at, mended: found };
}
