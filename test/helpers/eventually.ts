// Waits for what happens soon, with patience for a loaded machine.
import { setTimeout as sleep } from "node:timers/promises";

/** Repeats the check until it passes; fails with its last error. Waits three times as long as a check takes: others can work. */
export async function eventually<T>(check: () => T | Promise<T>, limitMs = 60_000): Promise<T> {
  const end = performance.now() + limitMs;
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
