// Capture goes before generation: while messages pour in, the loop waits, but never for long.
import type { Clock } from "../core/clock.ts";

export interface Quiet {
  /** A message was just taken in. */
  disturb(): void;
  /** Resolves when less than 2,000 messages a second come in, or after a quarter of a second in any case. */
  wait(): Promise<void>;
}

// Below this rate intake and generation share one core with room to spare; above it every batch of 50 observations
// (about 10 ms) would be paid by those who wait for an acknowledgement.
const busyMessages = 100;
const windowMs = 50;
const longestWaitMs = 250;

export function createQuiet(clock: Clock): Quiet {
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
    disturb() {
      roll();
      inWindow += 1;
    },
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
