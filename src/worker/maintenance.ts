// Periodic work: completes idle sessions, deletes old raw events, drains the spool, refreshes context files.
import { type Clock, dayMs, minuteMs } from "../core/clock.ts";
import { failOpen } from "../core/errors.ts";
import { undoDays } from "../core/records/trash.ts";
import type { LoadedSettings } from "../settings/load.ts";
import { dropReplaced } from "../store/sqlite/backup.ts";
import type { Store } from "../store/sqlite/store.ts";
import { createErasure } from "./erasure.ts";

interface MaintenanceDeps {
  clock: Clock;
  completeIdle(idleMs: number): Promise<void>;
  purges: readonly Purge[];
  /** Writes the context files of folders with new work. */
  refreshFolders(): Promise<void>;
  /** Writes the database file again when rows left the trash. */
  erase(): Promise<void>;
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
      every(minuteMs, "writing the database without deleted bytes", deps.erase);
    },
    /** Deletes what is old now, after the work that runs; resolves when that is done. */
    purge(): Promise<void> {
      running = running.then(async () => {
        for (const old of deps.purges)
          if (!stopped) await failOpen(`deleting old ${old.what}`, () => purgeOld(old));
      });
      return running;
    },
    /** Takes in what waits in the spool, after the work that runs. */
    drain(): Promise<void> {
      running = running.then(async () => void (await failOpen("draining the spool", drain)));
      return running;
    },
    /** Resolves when the round that runs, if any, has ended. */
    async stop() {
      stopped = true;
      for (const timer of timers) clearInterval(timer);
      await running;
    },
  };
}

interface MaintenanceParts {
  store: Store;
  clock: Clock;
  settings: LoadedSettings;
  intake: Pick<MaintenanceDeps, "completeIdle">;
  refreshTouched(): Promise<void>;
  spool: { drain: MaintenanceDeps["drainSpool"] };
  /** For how long no message came in. */
  restMs(): number;
}

/** The worker's maintenance, and what deletes the trash for good. */
export function buildMaintenance({ store, clock, settings, restMs, ...parts }: MaintenanceParts) {
  const { paths } = settings;
  const erasure = createErasure({ store, clock, paths, restMs });
  const maintenance = createMaintenance({
    clock,
    completeIdle: parts.intake.completeIdle,
    purges: purgesOf(store, {
      rawDays: settings.get("MEM_RAW_RETENTION_DAYS"),
      database: paths.database,
      purgeTrash: erasure.purge,
    }),
    refreshFolders: parts.refreshTouched,
    erase: erasure.whenDue,
    drainSpool: parts.spool.drain,
  });
  return { maintenance, erasure };
}

// A session resumed after so long may be injected the same items again.
const ledgerDays = 90;

/** What is deleted by its age. */
function purgesOf(
  { commit, rawEvents, contextLedger, injections }: Store,
  { rawDays, database, purgeTrash }: { rawDays: number; database: string; purgeTrash: Purge["purge"] },
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
    { what: "deleted records", days: undoDays, purge: purgeTrash },
    // They have what the user deleted since.
    {
      what: "databases that a backup replaced",
      days: undoDays,
      purge: async (before) => dropReplaced(database, before),
    },
  ];
}
