// One timer for many times: rings at the earliest of them.
import type { Clock } from "../core/clock.ts";

export interface Alarm {
  /** Rings at the epoch, or earlier. */
  setFor(at: number): void;
  stop(): void;
}

// Sessions become due one after the other; a ring takes up all that are due by then.
const shortestMs = 250;
// A clock that is put forward is noticed within this time.
const longestMs = 60_000;

export function createAlarm(clock: Clock, ring: () => void): Alarm {
  let timer: NodeJS.Timeout | undefined;
  let rings = Number.POSITIVE_INFINITY;

  return {
    setFor(at) {
      if (at >= rings) return;
      rings = at;
      clearTimeout(timer);
      const waitMs = Math.min(Math.max(at - clock.now() + 1, shortestMs), longestMs);
      timer = setTimeout(() => {
        rings = Number.POSITIVE_INFINITY;
        ring();
      }, waitMs);
      timer.unref();
    },
    stop() {
      clearTimeout(timer);
      rings = Number.NEGATIVE_INFINITY;
    },
  };
}
