// Rebuilds derived data (full text, terms, files, vectors) from the records, a few at a time: after an update of its
// form, when the user asks, or when the daily check finds records that it does not match.
import { setTimeout as delay } from "node:timers/promises";
import { type Clock, dayMs } from "../core/clock.ts";
import { failOpen } from "../core/errors.ts";
import type { ListPosition } from "../store/sqlite/derived-rebuild.ts";
import type { Store } from "../store/sqlite/store.ts";

interface RepairDeps {
  clock: Clock;
  store: Pick<Store, "commit" | "derived">;
  warn(sentence: string): void;
}

export type DerivedRepair = ReturnType<typeof createDerivedRepair>;

// A batch takes about 10 ms, and as much time is left for everything else.
const renewedAtOnce = 50;
const pauseMs = 10;
// A few milliseconds in one transaction.
const listedAtOnce = 2_000;

export function createDerivedRepair({ clock, store, warn }: RepairDeps) {
  const { commit, derived } = store;
  const stopping = new AbortController();
  let working: Promise<void> | undefined;

  async function work(): Promise<void> {
    const done = await failOpen("rebuilding the full text", async () => {
      while (!stopping.signal.aborted && (await commit(() => derived.renew(renewedAtOnce))) > 0)
        await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      return true;
    });
    working = undefined;
    // A record listed in the transaction that found the list empty still saw this run at work.
    if (done) start();
  }

  function start(): void {
    // Without listed records nothing locks the database.
    if (!stopping.signal.aborted && derived.waiting() > 0) working ??= work();
  }

  async function repair(): Promise<number> {
    let at: ListPosition | null | undefined;
    while (at !== null && !stopping.signal.aborted) {
      const from = at;
      at = await commit(() => {
        if (from === undefined) derived.recordLeft(null);
        return derived.list(listedAtOnce, from);
      });
    }
    start();
    return derived.waiting();
  }

  return {
    /** Resumes the rebuild of the listed records. */
    start,
    /** Lists all records and starts; resolves to the number of listed records. */
    repair,
    waiting: derived.waiting,
    /** When all records were compared last, null if never, and how many were wrong. */
    compared: derived.lastCheck,
    /** True once a day, and after a rebuild. */
    isCheckDue(): boolean {
      if (derived.left() === null) return derived.waiting() === 0;
      const { at } = derived.lastCheck();
      // A clock that was put back must not end the checks.
      return at === null || clock.now() < at || clock.now() - at >= dayMs;
    },
    /** Records the result of a check; starts a repair if more records are wrong than the last one left. */
    async checked(found: number) {
      const left = derived.left();
      // The first check after a rebuild: another rebuild would leave the same records.
      if (left === null) {
        await commit(() => derived.recordLeft(found));
        if (found > 0) warn(`Records that the rebuilt index does not match: ${found}. See \`mem doctor\`.`);
        return;
      }
      await commit(() => {
        derived.recordCheck({ at: clock.now(), found });
        derived.recordLeft(Math.min(left, found));
      });
      if (found <= left) return;
      warn(`Records that the index did not match: ${found}. The index is being rebuilt.`);
      await repair();
    },
    async stop() {
      stopping.abort();
      await working;
    },
  };
}
