// Delays background work while messages pour in: capture goes before generation.
import type { Clock } from "../core/clock.ts";

// Below this rate intake and generation share one core easily. Above it, every batch of 50 observations (about 10 ms)
// would delay an acknowledgement.
const busyMessages = 100;
const windowMs = 50;
const longestWaitMs = 250;

export function createIdleScheduler(clock: Clock) {
  let lastMs = clock.monotonicMs();
  let windowStart = Number.NEGATIVE_INFINITY;
  let inWindow = 0;
  let inLastWindow = 0;

  function roll(): void {
    const now = clock.monotonicMs();
    if (now - windowStart < windowMs) return;
    inLastWindow = now - windowStart < 2 * windowMs ? inWindow : 0;
    inWindow = 0;
    windowStart = now;
  }

  return {
    /** A message was taken in. */
    disturb() {
      roll();
      inWindow += 1;
      lastMs = clock.monotonicMs();
    },
    /** For how long no message was taken in. */
    restMs: () => clock.monotonicMs() - lastMs,
    /** Resolves below 2,000 messages a second, or after a quarter of a second in any case. */
    async wait() {
      const since = clock.monotonicMs();
      for (;;) {
        roll();
        if (Math.max(inWindow, inLastWindow) < busyMessages) return;
        if (clock.monotonicMs() - since >= longestWaitMs) return;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
  };
}
