// Makes anew, a few records at a time, what follows from them: after an update of its form, or when the user asks for it.
import { setTimeout as delay } from "node:timers/promises";
import { failOpen } from "../errors.ts";

interface RepairDeps {
  commit<T>(write: () => T): Promise<T>;
  /** Makes some that are listed anew; how many. */
  renew(limit: number): number;
  listAll(): void;
  waiting(): number;
}

export interface DerivedRepair {
  /** Goes on with what is listed. */
  start(): void;
  /** Lists everything and begins; resolves to how much is listed. */
  repair(): Promise<number>;
  waiting(): number;
  stop(): Promise<void>;
}

export function createDerivedRepair({ commit, renew, listAll, waiting }: RepairDeps): DerivedRepair {
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
      await commit(listAll);
      start();
      return waiting();
    },
    waiting,
    async stop() {
      stopping.abort();
      await working;
    },
  };
}

// A batch takes about 10 ms, and as much is left for everything else.
const renewedAtOnce = 50;
const pauseMs = 10;
