// Deletes expired rows every ten minutes, in small steps, on any node.
import { failOpen } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { ServerSettings } from "../settings/server.ts";
import { forgetOldCounters } from "../store/postgres/limits.ts";
import type { Database } from "../store/postgres/open.ts";
import { deleteOldEvents, deleteOldIdempotencyKeys } from "../store/postgres/retention.ts";

interface HousekeepingDeps {
  database: Pick<Database, "system">;
  settings: ServerSettings;
  log: Log;
}

const everyMs = 10 * 60_000;
// A step takes tens of milliseconds and lets other statements run in between.
const stepRows = 1_000;

export function createHousekeeping({ database: { system }, settings, log }: HousekeepingDeps) {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<unknown> = Promise.resolve();
  let stopping = false;

  async function tidy(): Promise<void> {
    const defaultDays = settings.get("MEM_EVENT_RETENTION_DAYS");
    const events = await inSteps(() => deleteOldEvents(system, { defaultDays, limit: stepRows }));
    await inSteps(() => deleteOldIdempotencyKeys(system, stepRows));
    await forgetOldCounters(system);
    if (events > 0) log.info({ events }, "expired raw events were deleted");
  }

  async function inSteps(step: () => Promise<number>): Promise<number> {
    let all = 0;
    for (let deleted = stepRows; deleted === stepRows && !stopping; all += deleted) deleted = await step();
    return all;
  }

  return {
    /** Deletes everything that is due. */
    tidy,
    start() {
      const next = (): void => {
        running = running.then(() => failOpen("housekeeping", tidy));
      };
      next();
      timer = setInterval(next, everyMs);
    },
    async stop() {
      stopping = true;
      clearInterval(timer);
      await running;
    },
  };
}
