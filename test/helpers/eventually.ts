// Waits for what happens soon, with patience for a loaded machine.
import { vi } from "vitest";

/** Repeats the check until it passes; fails with its last error. The default of vitest, one second, is too short. */
export function eventually<T>(check: () => T | Promise<T>, limitMs = 10_000): Promise<T> {
  return vi.waitFor(check, { timeout: limitMs, interval: 20 });
}
