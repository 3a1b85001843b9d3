// Periodic work: completes idle sessions, deletes old raw events, drains the spool, refreshes context files.
import type { Clock } from "../core/clock.ts";
import { failOpen } from "../core/errors.ts";

interface MaintenanceDeps {
  clock: Clock;
  rawRetentionDays: number;
  completeIdle(idleMs: number): Promise<void>;
  purgeRawEvents(before: number, limit: number): Promise<number>;
  /** Writes the context files of folders with new work. */
  refreshFolders(): Promise<void>;
  purgeContextLedger(before: number, limit: number): Promise<number>;
  /** Ends early when `isStopping` says so. */
  drainSpool(isStopping: () => boolean): Promise<void>;
}

/** A session without an event for this long has ended. */
const idleSessionMs = 30 * 60_000;

const spoolEveryMs = 2_000;
const minuteMs = 60_000;
const dayMs = 24 * 3_600_000;
// A session resumed after so long may be injected the same items again.
const ledgerDays = 90;
// Blocks intake for a few milliseconds at most.
const purgedAtOnce = 200;

export function createMaintenance(deps: MaintenanceDeps) {
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
      // Every minute: many workers live for less than an hour, and a round without work reads 2,000 rows.
      every(minuteMs, "removing old raw events", purge);
      every(minuteMs, "refreshing context files", deps.refreshFolders);
      every(minuteMs, "deleting old context ledger rows", purgeLedger);
    },
    /** Resolves when the round that runs, if any, has ended. */
    async stop() {
      stopped = true;
      for (const timer of timers) clearInterval(timer);
      await running;
    },
  };
}
