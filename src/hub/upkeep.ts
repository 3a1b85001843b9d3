// Background work of the hub, in small steps: compacts logs, and removes what resets and deletions left.
import type { Clock } from "../core/clock.ts";
import { failOpen } from "../core/errors.ts";
import type { HubUpkeepStore } from "./store.ts";

interface UpkeepDeps {
  store: HubUpkeepStore;
  clock: Clock;
  /** A body stays this long after a newer revision replaced it. */
  graceMs?: number;
  /** Called when bodies were removed. */
  onCompacted(bodies: number): void;
}

const everyMs = 10 * 60_000;
const dayMs = 86_400_000;
// A step takes tens of milliseconds.
const stepRows = 500;

export interface HubUpkeep {
  /** Does everything that is due. */
  run(): Promise<void>;
  start(): void;
  /** Resolves when a running step is done. */
  stop(): Promise<void>;
}

export function createHubUpkeep({ store, clock, graceMs = dayMs, onCompacted }: UpkeepDeps): HubUpkeep {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<unknown> = Promise.resolve();
  let isStopping = false;

  async function inSteps(step: () => Promise<number>): Promise<number> {
    let all = 0;
    for (let rows = 1; rows > 0 && !isStopping; all += rows) rows = await step();
    return all;
  }

  async function run(): Promise<void> {
    const before_epoch = clock.now() - graceMs;
    const bodies = await inSteps(() => store.compact({ before_epoch, limit: stepRows }));
    await inSteps(() => store.sweep(stepRows));
    if (bodies > 0) onCompacted(bodies);
  }

  return {
    run,
    start() {
      const next = (): void => {
        running = running.then(() => failOpen("upkeep of the hub", run));
      };
      next();
      timer = setInterval(next, everyMs);
    },
    async stop() {
      isStopping = true;
      clearInterval(timer);
      await running;
    },
  };
}
