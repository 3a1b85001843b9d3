// When a message that failed is tried again, and when it is set aside.
import { jitter } from "../ids.ts";

/** Failed tries after which a message is dead: kept and counted, and not tried again by itself. */
export const maxFailures = 5;

/** Claims after which a message is dead without another try: the worker died each time it worked on it. */
export const maxClaims = 20;

const firstDelayMs = 2_000;
const longestDelayMs = 5 * 60_000;

/** Milliseconds until try number `failures + 1`: doubling from 2 s to 5 min, with jitter. */
export function retryDelayMs(failures: number): number {
  const delay = Math.min(longestDelayMs, firstDelayMs * 2 ** Math.max(0, failures - 1));
  return Math.round(delay * jitter());
}
