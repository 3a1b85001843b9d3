// Rebuild of derived data over HTTP.
import type { App } from "../plugins/zod.ts";
import { readErrors, writeErrors } from "../schemas/error.ts";
import { type RepairState, repairBody, repairState } from "../schemas/status.ts";

export interface MaintenancePorts {
  /** Lists every record for the rebuild; resolves to their number. */
  repair(): Promise<number>;
  waiting(): number;
  /** Time of the last full check, null before the first, and the number of records it repaired. */
  compared(): { at: number | null; found: number };
}

/** `POST /api/maintenance/repair` begins, `GET` says how far it is. */
export function maintenanceRoutes(app: App, maintenance: MaintenancePorts): void {
  app.post(
    "/api/maintenance/repair",
    {
      schema: {
        summary: "Rebuild full text and files of all records, in the background.",
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
        summary: "Records that wait for the rebuild.",
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
