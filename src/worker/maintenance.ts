// Periodic work: completes idle sessions, deletes old raw events, drains the spool, refreshes context files.
import type { Clock } from "../core/clock.ts";
import { failOpen } from "../core/errors.ts";
import { undoDays } from "../core/records/trash.ts";
import type { Store } from "../store/sqlite/store.ts";

interface MaintenanceDeps {
  clock: Clock;
  completeIdle(idleMs: number): Promise<void>;
  purges: readonly Purge[];
  /** Writes the context files of folders with new work. */
  refreshFolders(): Promise<void>;
  /** Ends early when `isStopping` says so. */
  drainSpool(isStopping: () => boolean): Promise<void>;
}

interface Purge {
  what: string;
  days: number;
  /** Deletes at most `limit` rows from before; resolves with how many. */
  purge(before: number, limit: number): Promise<number>;
}

/** A session without an event for this long has ended. */
const idleSessionMs = 30 * 60_000;

const spoolEveryMs = 2_000;
const minuteMs = 60_000;
const dayMs = 24 * 3_600_000;
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

  async function purgeOld({ days, purge }: Purge): Promise<void> {
    const before = deps.clock.now() - days * dayMs;
    while (!stopped && (await purge(before, purgedAtOnce)) === purgedAtOnce);
  }

  return {
    start() {
      running = running.then(async () => void (await failOpen("draining the spool", drain)));
      every(spoolEveryMs, "draining the spool", drain);
      every(minuteMs, "completing idle sessions", () => deps.completeIdle(idleSessionMs));
      // Every minute: many workers live for less than an hour, and a round without work reads 2,000 rows.
      for (const old of deps.purges) every(minuteMs, `deleting old ${old.what}`, () => purgeOld(old));
      every(minuteMs, "refreshing context files", deps.refreshFolders);
    },
    /** Deletes what is old now, after the work that runs. */
    purge() {
      running = running.then(async () => {
        for (const old of deps.purges)
          if (!stopped) await failOpen(`deleting old ${old.what}`, () => purgeOld(old));
      });
    },
    /** Resolves when the round that runs, if any, has ended. */
    async stop() {
      stopped = true;
      for (const timer of timers) clearInterval(timer);
      await running;
    },
  };
}

// A session resumed after so long may be injected the same items again.
const ledgerDays = 90;

/** What is deleted by its age. */
export function purgesOf(
  { commit, rawEvents, contextLedger, injections, trash }: Store,
  rawDays: number,
): Purge[] {
  const old = (what: string, days: number, purge: (before: number, limit: number) => number): Purge => ({
    what,
    days,
    purge: (before, limit) => commit(() => purge(before, limit)),
  });
  return [
    old("raw events", rawDays, rawEvents.purge),
    old("context ledger rows", ledgerDays, contextLedger.purge),
    old("texts of injections", rawDays, injections.purgeTexts),
    old("injections", ledgerDays, injections.purge),
    old("deleted records", undoDays, trash.purge),
  ];
}
