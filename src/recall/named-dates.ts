// The days and months that a question names: who asks what was done on 3 March means what was written down about then.
import type { Span } from "./named-times.ts";

/** A day, or a month where `day` is null; without a year the latest one that is not in the future of the records. */
export interface NamedDate {
  year: number | null;
  /** From 0, as in a Date. */
  month: number;
  day: number | null;
}

/** At most three; `2026-03-03`, `3 March 2026`, `March 3rd`, `March 2026`, `in March`. */
export function namedDates(words: string): NamedDate[] {
  const found: NamedDate[] = [];
  // One space for many: the look back behind a month would walk over all of them at each, 170 ms of 4,000.
  const text = words.slice(0, maxCharacters).replaceAll(/\s+/g, " ");
  if (!mayName.test(text)) return found;
  for (const { groups = {} } of text.matchAll(datePattern)) {
    const one = toDate(groups);
    if (one !== null) found.push(one);
    if (found.length === maxDates) break;
  }
  return found;
}

/** What is left of a question when its dates are taken out. */
export function withoutDates(words: string): string {
  return words.replaceAll(/\s+/g, " ").replace(datePattern, " ");
}

/**
 * How near a time is to the nearest of the dates: 1 within it, a half three days off; 0 where none is named. A time that
 * was told by the clock ("yesterday") is meant as it is: beside it nearness halves within a quarter of its length.
 */
export function createNearness(
  dates: readonly NamedDate[],
  newest: number,
  exact: Span | null = null,
): (epochMs: number) => number {
  const spans = dates.map((date) => ({ ...spanOf(date, newest), halvedMs }));
  if (exact !== null)
    spans.push({ ...exact, halvedMs: Math.max((exact.end - exact.start) / 4, shortestHalvedMs) });
  return (epochMs) => {
    let nearest = 0;
    for (const { start, end, halvedMs: halved } of spans) {
      const off = Math.max(start - epochMs, epochMs - end, 0);
      nearest = Math.max(nearest, 1 / (1 + off / halved));
    }
    return nearest;
  };
}

/** The day or month as the person's calendar has it; without a year the latest that has begun. */
export function localSpanOf({ year, month, day: dayOfMonth }: NamedDate, now: number): Span {
  const startIn = (inYear: number) => new Date(inYear, month, dayOfMonth ?? 1).getTime();
  const latest = new Date(now).getFullYear();
  const inYear = year ?? (startIn(latest) <= now ? latest : latest - 1);
  const next = dayOfMonth === null ? new Date(inYear, month + 1, 1) : new Date(inYear, month, dayOfMonth + 1);
  return { start: startIn(inYear), end: next.getTime() - 1 };
}

const maxDates = 3;
const maxCharacters = 4000;
const dayMs = 24 * 60 * 60 * 1000;
// Days are those of UTC, and what happened is often written down a day later: what lies beside a day is near it.
const halvedMs = 3 * dayMs;
const shortestHalvedMs = 15 * 60 * 1000;

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const fullName = "January|February|March|April|May|June|July|August|September|October|November|December";
const anyName = `${fullName}|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec`;
const day = "(?:0?[1-9]|[12]\\d|3[01])";
const year = "(?:19|20)\\d\\d";

/** Hardly any question names a date, and this tells sooner than the pattern of all forms. */
const mayName = new RegExp(`\\b(?:${year}-\\d|${anyName})`, "i");

// A month alone is one only behind a word that says so: "march through the list" and "it may" are not.
const forms = [
  `(?<isoYear>${year})-(?<isoMonth>0[1-9]|1[0-2])-(?<isoDay>0[1-9]|[12]\\d|3[01])`,
  `(?<dayBefore>${day})(?:st|nd|rd|th)?\\s+(?:of\\s+)?(?<monthAfter>${anyName})(?:\\.?,?\\s+(?<yearAfter>${year}))?`,
  `(?<monthBefore>${anyName})\\.?\\s+(?<dayAfter>${day})(?:st|nd|rd|th)?(?:,?\\s+(?<yearLast>${year}))?`,
  `(?<monthOfYear>${anyName})\\.?,?\\s+(?:of\\s+)?(?<yearOnly>${year})`,
  `(?<=\\b(?:in|during|of|last|this|early|mid|late)\\s+)(?<monthAlone>${fullName})`,
];
// Neither part of a number, of a version nor of a path.
const datePattern = new RegExp(`(?<![\\w./-])(?:${forms.join("|")})(?![\\w/-]|\\.\\w)`, "gi");

function toDate(groups: Record<string, string | undefined>): NamedDate | null {
  const { isoYear, isoMonth, isoDay, dayBefore, dayAfter, yearAfter, yearLast, yearOnly } = groups;
  if (isoYear !== undefined)
    return { year: Number(isoYear), month: Number(isoMonth) - 1, day: Number(isoDay) };
  const name = groups.monthAfter ?? groups.monthBefore ?? groups.monthOfYear ?? groups.monthAlone ?? "";
  const writtenDay = dayBefore ?? dayAfter;
  const writtenYear = yearAfter ?? yearLast ?? yearOnly;
  // "Step 2 may fail", "this may be".
  if (name === "may" && writtenYear === undefined) return null;
  return {
    year: writtenYear === undefined ? null : Number(writtenYear),
    month: months.indexOf(name.slice(0, 3).toLowerCase()),
    day: writtenDay === undefined ? null : Number(writtenDay),
  };
}

function spanOf(date: NamedDate, newest: number): Span {
  const { month, day: dayOfMonth } = date;
  const latest = new Date(newest).getUTCFullYear();
  const inYear = date.year ?? (Date.UTC(latest, month, dayOfMonth ?? 1) <= newest ? latest : latest - 1);
  if (dayOfMonth === null)
    return { start: Date.UTC(inYear, month, 1), end: Date.UTC(inYear, month + 1, 1) - 1 };
  const start = Date.UTC(inYear, month, dayOfMonth);
  return { start, end: start + dayMs - 1 };
}
