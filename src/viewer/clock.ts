// The browser's clock, and times as people read them.
import { createObservable, useValue } from "./observable.ts";

export function now(): number {
  return Date.now();
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** The age of a moment: `now`, `4 min`, `3 h`, `2 d`, then its date. */
export function ageOf(epochMs: number, at: number): string {
  const ms = at - epochMs;
  if (ms < minute) return "now";
  if (ms < hour) return `${Math.floor(ms / minute)} min`;
  if (ms < day) return `${Math.floor(ms / hour)} h`;
  if (ms < 7 * day) return `${Math.floor(ms / day)} d`;
  const isThisYear = new Date(epochMs).getFullYear() === new Date(at).getFullYear();
  const dayAndMonth = { day: "numeric", month: "short" } as const;
  const options = isThisYear ? dayAndMonth : ({ ...dayAndMonth, year: "numeric" } as const);
  return new Date(epochMs).toLocaleDateString("en", options);
}

/** Date and time in the reader's time zone. */
export function fullTime(epochMs: number): string {
  return new Date(epochMs).toLocaleString("en", { dateStyle: "medium", timeStyle: "short" });
}

/** `14:05` in the reader's time zone. */
export function clockTime(epochMs: number): string {
  return new Date(epochMs).toLocaleTimeString("en", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
}

/** `Sat, 31 Jan 2026`. */
export function dayOf(epochMs: number): string {
  const options = { weekday: "short", day: "numeric", month: "short", year: "numeric" } as const;
  return new Date(epochMs).toLocaleDateString("en-GB", options);
}

const ticking = createObservable(now());
setInterval(() => ticking.set(now()), minute / 2);

/** The time, twice a minute: the component renders again. */
export function useNow(): number {
  return useValue(ticking);
}
