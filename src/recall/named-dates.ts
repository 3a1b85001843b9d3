// Reads the days and months that a question names.
import type { Span } from "./named-times.ts";

/** A day, or a month if `day` is null. Without a year: the latest that is not after the newest record. */
export interface NamedDate {
  year: number | null;
  /** From 0, as in a Date. */
  month: number;
  day: number | null;
}

/** At most three; `2026-03-03`, `3 March 2026`, `March 3rd`, `March 2026`, `in March`. */
export function namedDates(words: string): NamedDate[] {
  // Runs of spaces are collapsed: the lookbehind of a month took 170 ms with 4,000 of them.
  return datesIn(words.slice(0, maxCharacters).replaceAll(/\s+/g, " ")).map(({ date }) => date);
}

/** The dates with their places, in a text without runs of spaces. */
export function datesIn(text: string): { date: NamedDate; at: number; end: number }[] {
  if (!mayName.test(text)) return [];
  const found: { date: NamedDate; at: number; end: number }[] = [];
  for (const { 0: written, index, groups = {} } of text.matchAll(datePattern)) {
    const date = toDate(groups);
    if (date !== null) found.push({ date, at: index, end: index + written.length });
    if (found.length === maxDates) break;
  }
  return found;
}

/**
 * How near a time is to the nearest date: 1 within it, 0.5 three days off, 0 without dates. A relative time ("yesterday")
 * is meant exactly: outside of it nearness halves within a quarter of its length.
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

/** The day or month in local time; without a year the latest that has begun. */
export function localSpanOf(date: NamedDate, now: number): Span {
  const { month, day: dayOfMonth } = date;
  const startIn = (year: number) => new Date(year, month, dayOfMonth ?? 1).getTime();
  const inYear = yearOf(date, new Date(now).getFullYear(), (year) => startIn(year) <= now);
  const next = dayOfMonth === null ? new Date(inYear, month + 1, 1) : new Date(inYear, month, dayOfMonth + 1);
  return { start: startIn(inYear), end: next.getTime() - 1 };
}

function yearOf(date: NamedDate, latest: number, hasBegun: (year: number) => boolean): number {
  if (date.year !== null) return date.year;
  let year = latest;
  // 29 February is not in every year.
  while (year > latest - 9 && !(hasBegun(year) && isInCalendar({ ...date, year }))) year -= 1;
  return year;
}

function isInCalendar({ year, month, day: dayOfMonth }: NamedDate): boolean {
  // A leap year, for a date without a year.
  return dayOfMonth === null || dayOfMonth <= new Date(Date.UTC(year ?? 2024, month + 1, 0)).getUTCDate();
}

const maxDates = 3;
const maxCharacters = 4000;
const dayMs = 24 * 60 * 60 * 1000;
// Days are UTC days, and records are often stored a day later: neighboring days are near.
const halvedMs = 3 * dayMs;
const shortestHalvedMs = 15 * 60 * 1000;

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const fullName = "January|February|March|April|May|June|July|August|September|October|November|December";
const anyName = `${fullName}|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec`;
const day = "(?:0?[1-9]|[12]\\d|3[01])";
const year = "(?:19|20)\\d\\d";

/** Few questions name a date, and this test is faster than the pattern of all forms. */
const mayName = new RegExp(`\\b(?:${year}-\\d|${anyName})`, "i");

// A month alone needs a preposition: "march through the list" and "it may" are not dates.
const forms = [
  `(?<isoYear>${year})-(?<isoMonth>0[1-9]|1[0-2])-(?<isoDay>0[1-9]|[12]\\d|3[01])`,
  `(?<dayBefore>${day})(?:st|nd|rd|th)?\\s+(?:of\\s+)?(?<monthAfter>${anyName})(?:\\.?,?\\s+(?<yearAfter>${year}))?`,
  `(?<monthBefore>${anyName})\\.?\\s+(?<dayAfter>${day})(?:st|nd|rd|th)?(?:,?\\s+(?<yearLast>${year}))?`,
  `(?<monthOfYear>${anyName})\\.?,?\\s+(?:of\\s+)?(?<yearOnly>${year})`,
  `(?<=\\b(?:in|during|of|last|this|early|mid|late)\\s+)(?<monthAlone>${fullName})`,
];
// Not part of a number, version or path.
const datePattern = new RegExp(`(?<![\\w./-])(?:${forms.join("|")})(?![\\w/-]|\\.\\w)`, "gi");

function toDate(groups: Record<string, string | undefined>): NamedDate | null {
  const { isoYear, isoMonth, isoDay, dayBefore, dayAfter, yearAfter, yearLast, yearOnly } = groups;
  if (isoYear !== undefined)
    return inCalendar({ year: Number(isoYear), month: Number(isoMonth) - 1, day: Number(isoDay) });
  const name = groups.monthAfter ?? groups.monthBefore ?? groups.monthOfYear ?? groups.monthAlone ?? "";
  const writtenDay = dayBefore ?? dayAfter;
  const writtenYear = yearAfter ?? yearLast ?? yearOnly;
  // "Step 2 may fail", "this may be".
  if (name === "may" && writtenYear === undefined) return null;
  return inCalendar({
    year: writtenYear === undefined ? null : Number(writtenYear),
    month: months.indexOf(name.slice(0, 3).toLowerCase()),
    day: writtenDay === undefined ? null : Number(writtenDay),
  });
}

// A Date would make 3 March of 31 February.
function inCalendar(date: NamedDate): NamedDate | null {
  return isInCalendar(date) ? date : null;
}

function spanOf(date: NamedDate, newest: number): Span {
  const { month, day: dayOfMonth } = date;
  const startIn = (inYear: number) => Date.UTC(inYear, month, dayOfMonth ?? 1);
  const inYear = yearOf(date, new Date(newest).getUTCFullYear(), (one) => startIn(one) <= newest);
  if (dayOfMonth === null)
    return { start: Date.UTC(inYear, month, 1), end: Date.UTC(inYear, month + 1, 1) - 1 };
  const start = Date.UTC(inYear, month, dayOfMonth);
  return { start, end: start + dayMs - 1 };
}
