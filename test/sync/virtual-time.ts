// A clock and timers that a test moves: nothing waits for real.
import type { Clock, Timers } from "../../src/core/clock.ts";

export interface VirtualTime {
  clock: Clock;
  timers: Timers;
  /** Moves the time and runs what is due, in order; settles what that started. */
  advance(ms: number): Promise<void>;
  /** Delays of the timers that are set, ascending. */
  waiting(): number[];
}

interface Timer {
  at: number;
  run(): void;
}

/** `settle` resolves when what a timer started is done. */
export function createVirtualTime(settle: () => Promise<void> = settled): VirtualTime {
  const timers = new Set<Timer>();
  let now = 1_000_000;

  function nextUntil(end: number): Timer | undefined {
    const [first] = [...timers].filter(({ at }) => at <= end).toSorted((one, other) => one.at - other.at);
    return first;
  }
  return {
    clock: { now: () => now, monotonicMs: () => now },
    timers: {
      after(delayMs, run) {
        const timer = { at: now + delayMs, run };
        timers.add(timer);
        return () => timers.delete(timer);
      },
    },
    async advance(ms) {
      const end = now + ms;
      await settle();
      for (let timer = nextUntil(end); timer !== undefined; timer = nextUntil(end)) {
        timers.delete(timer);
        now = Math.max(now, timer.at);
        timer.run();
        await settle();
      }
      now = end;
    },
    waiting: () => [...timers].map(({ at }) => at - now).toSorted((one, other) => one - other),
  };
}

/** Resolves when all promises that need no I/O are settled. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
