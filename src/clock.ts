// Time: the only place that reads a clock, so that tests can turn it.

/** Wall time as epoch milliseconds (what is stored) and a monotonic clock in milliseconds (what deadlines use). */
export interface Clock {
  now(): number;
  monotonicMs(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
};

/** ISO 8601 in UTC of an epoch in milliseconds. */
export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
