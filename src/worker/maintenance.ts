// What the worker does by the clock: completes idle sessions, removes raw events past their age, drains the spool.
import type { Clock } from "../core/clock.ts";
import { failOpen } from "../core/errors.ts";

interface MaintenanceDeps {
  clock: Clock;
  rawRetentionDays: number;
  completeIdle(idleMs: number): Promise<void>;
  purgeRawEvents(before: number, limit: number): Promise<number>;
  /** Writes the context files of the folders in which something was done since. */
  refreshFolders(): Promise<void>;
  purgeContextLedger(before: number, limit: number): Promise<number>;
  /** Ends early when `isStopping` says so. */
  drainSpool(isStopping: () => boolean): Promise<void>;
}

export interface Maintenance {
  start(): void;
  /** Resolves when the round that runs, if any, has ended. */
  stop(): Promise<void>;
}

/** A session without any event for this long has ended, whatever the host said or did not say. */
const idleSessionMs = 30 * 60_000;

const spoolEveryMs = 2_000;
const minuteMs = 60_000;
const dayMs = 24 * 3_600_000;
// A session that is taken up again after so long may be told once more what it was told.
const ledgerDays = 90;
// Small enough that a purge never holds up intake for more than a few milliseconds.
const purgedAtOnce = 200;

export function createMaintenance(deps: MaintenanceDeps): Maintenance {
  const timers: NodeJS.Timeout[] = [];
  let running: Promise<void> = Promise.resolve();
  let stopped = false;

  function every(intervalMs: number, what: string, work: () => Promise<void>): void {
    const timer = setInterval(() => {
      running = running.then(async () => {
        if (!stopped) await failOpen(what, work);
      });
    }, intervalMs);
    timer.unref();
    timers.push(timer);
  }

  const drain = () => deps.drainSpool(() => stopped);

  async function purge(): Promise<void> {
    const before = deps.clock.now() - deps.rawRetentionDays * dayMs;
    while (!stopped && (await deps.purgeRawEvents(before, purgedAtOnce)) === purgedAtOnce);
  }

  async function purgeLedger(): Promise<void> {
    const before = deps.clock.now() - ledgerDays * dayMs;
    while (!stopped && (await deps.purgeContextLedger(before, purgedAtOnce)) === purgedAtOnce);
  }

  return {
    start() {
      running = running.then(async () => void (await failOpen("draining the spool", drain)));
      every(spoolEveryMs, "draining the spool", drain);
      every(minuteMs, "completing idle sessions", () => deps.completeIdle(idleSessionMs));
      // Every minute, not every hour: many workers live no hour, and a round without work costs a look at 2,000 rows.
      every(minuteMs, "removing old raw events", purge);
      every(minuteMs, "refreshing context files", deps.refreshFolders);
      every(minuteMs, "removing what old sessions were told", purgeLedger);
    },
    async stop() {
      stopped = true;
      for (const timer of timers) clearInterval(timer);
      await running;
    },
  };
}
