// Makes anew, a few records at a time, what follows from them: after an update of its form, or when the user asks for it.
import { setTimeout as delay } from "node:timers/promises";
import { failOpen } from "../core/errors.ts";
import type { ComparisonState } from "../store/sqlite/derived-comparison.ts";
import { type DerivedWalk, type WalkAt, walkStart } from "../store/sqlite/derived-walk.ts";

interface RepairDeps {
  commit<T>(write: () => T): Promise<T>;
  /** Makes some that are listed anew; how many. */
  renew(limit: number): number;
  /** Lists some records to be made anew; where to go on, null at the end. */
  listSome: DerivedWalk["listSome"];
  /** What the comparison by the clock found last. */
  compared(): Pick<ComparisonState, "endedAt" | "endedFound">;
  waiting(): number;
}

export interface DerivedRepair {
  /** Goes on with what is listed. */
  start(): void;
  /** Lists everything and begins; resolves to how much is listed. */
  repair(): Promise<number>;
  waiting(): number;
  /** When all was compared last, null when never, and how many records were made anew then. */
  compared(): { at: number | null; found: number };
  stop(): Promise<void>;
}

export function createDerivedRepair({
  commit,
  renew,
  listSome,
  waiting,
  compared,
}: RepairDeps): DerivedRepair {
  const stopping = new AbortController();
  let working: Promise<void> | undefined;

  async function work(): Promise<void> {
    const done = await failOpen("making the full text anew", async () => {
      while (!stopping.signal.aborted && (await commit(() => renew(renewedAtOnce))) > 0)
        await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      return true;
    });
    working = undefined;
    // What was listed in the transaction that found nothing left has seen this one still at work.
    if (done) start();
  }

  function start(): void {
    // Without anything to do there is nothing to lock the database for.
    if (!stopping.signal.aborted && waiting() > 0) working ??= work();
  }

  return {
    start,
    async repair() {
      for (let at: WalkAt | null = walkStart; at !== null && !stopping.signal.aborted; ) {
        const from: WalkAt = at;
        at = await commit(() => listSome(from, listedAtOnce));
      }
      start();
      return waiting();
    },
    waiting,
    compared() {
      const { endedAt, endedFound } = compared();
      return { at: endedAt, found: endedFound };
    },
    async stop() {
      stopping.abort();
      await working;
    },
  };
}

// A batch takes about 10 ms, and as much is left for everything else.
const renewedAtOnce = 50;
// All of 100,000 records at once would take 160 ms.
const listedAtOnce = 2_000;
const pauseMs = 10;
