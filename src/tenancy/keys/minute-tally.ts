// Counts per address or account in a sliding minute, such as wrong keys, in a table of bounded size.
import { isIPv6 } from "node:net";
import type { Clock } from "../../core/clock.ts";

interface Options {
  clock: Clock;
  /** Counts per minute and address; 0 is no limit. */
  perMinute: number;
  maxAddresses?: number;
}

interface Tally {
  windowStart: number;
  current: number;
  previous: number;
  lookupSecond: number;
  lookups: number;
}

const windowMs = 60_000;
const lookupsPerSecond = 5;

/** When the table is full, the address without a count for the longest time is removed. */
export function createMinuteTally({ clock, perMinute, maxAddresses = 10_000 }: Options) {
  const tallies = new Map<string, Tally>();

  // Two windows of a minute; the older one is weighted by its part of the last 60 s.
  function tallyOf(address: string): Tally | undefined {
    const tally = tallies.get(bucketOf(address));
    if (tally === undefined) return undefined;
    const passed = Math.floor((clock.monotonicMs() - tally.windowStart) / windowMs);
    if (passed > 0) {
      tally.previous = passed === 1 ? tally.current : 0;
      tally.current = 0;
      tally.windowStart += passed * windowMs;
    }
    return tally;
  }

  return {
    /** Seconds until the address is below its limit again; 0 while it is. */
    waitSeconds(address: string): number {
      const tally = perMinute === 0 ? undefined : tallyOf(address);
      if (tally === undefined) return 0;
      return Math.ceil(waitMs(tally, clock.monotonicMs() - tally.windowStart, perMinute) / 1_000);
    },
    add(address: string) {
      if (perMinute === 0) return;
      const bucket = bucketOf(address);
      const tally = tallyOf(address) ?? newTally(clock.monotonicMs());
      tally.current += 1;
      tallies.delete(bucket);
      tallies.set(bucket, tally);
      const [oldest] = tallies.keys();
      if (tallies.size > maxAddresses && oldest !== undefined) tallies.delete(oldest);
    },
    /** Takes one of the few lookups a second that an address over its limit has; false when none is left. */
    takeLookup(address: string): boolean {
      const tally = tallyOf(address);
      if (tally === undefined) return true;
      const second = Math.floor(clock.monotonicMs() / 1_000);
      if (tally.lookupSecond !== second) Object.assign(tally, { lookupSecond: second, lookups: 0 });
      tally.lookups += 1;
      return tally.lookups <= lookupsPerSecond;
    },
  };
}

function newTally(now: number): Tally {
  return { windowStart: now, current: 0, previous: 0, lookupSecond: 0, lookups: 0 };
}

// When `current + previous * (part of the old window that still counts)` falls below the limit.
function waitMs({ current, previous }: Tally, elapsedMs: number, limit: number): number {
  if (current >= limit) return windowMs - elapsedMs + windowMs * (1 - limit / current) + 1;
  if (previous === 0) return 0;
  const free = windowMs * (1 - (limit - current) / previous);
  return Math.max(0, free - elapsedMs);
}

// A household or host owns a whole /64 of IPv6, which counts as one address.
function bucketOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped?.[1] !== undefined) return mapped[1];
  if (!isIPv6(address)) return address;
  const [head = "", tail] = address.toLowerCase().split("%")[0]?.split("::") ?? [];
  const groups = head === "" ? [] : head.split(":");
  const behind = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - behind.length);
  return [...groups, ...Array<string>(zeros).fill("0"), ...behind].slice(0, 4).join(":");
}
