// Waits for what happens soon, with patience for a loaded machine.
import { setTimeout as sleep } from "node:timers/promises";

/**
 * How long a test waits for what takes a second on an idle machine. With 20 processes for each processor that is half a minute,
 * and only a test that fails waits to the end.
 */
export const patienceMs = 120_000;

/** Repeats the check until it passes; fails with its last error. Waits three times as long as a check takes: others can work. */
export async function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  const end = performance.now() + patienceMs;
  for (;;) {
    const since = performance.now();
    try {
      return await check();
    } catch (cause) {
      if (performance.now() > end) throw cause;
    }
    await sleep(Math.max(20, 3 * (performance.now() - since)));
  }
}
