import { expect, it } from "vitest";
import { dayName } from "../../src/core/local-days.ts";
import { createNearness, localSpanOf, namedDates } from "../../src/recall/named-dates.ts";

const day = 24 * 60 * 60 * 1000;
const newest = Date.UTC(2026, 4, 20);

it.each([
  ["what changed on 3 March 2026?", { year: 2026, month: 2, day: 3 }],
  ["what changed on March 3rd, 2026", { year: 2026, month: 2, day: 3 }],
  ["the release of 2026-03-03", { year: 2026, month: 2, day: 3 }],
  ["the 21st of dec", { year: null, month: 11, day: 21 }],
  ["queue work in March 2026", { year: 2026, month: 2, day: null }],
  ["who broke the queue in july", { year: null, month: 6, day: null }],
  ["the queue in May", { year: null, month: 4, day: null }],
  ["the queue in may 2026", { year: 2026, month: 4, day: null }],
  [`the queue in ${" ".repeat(3000)}\n may  2026`, { year: 2026, month: 4, day: null }],
])("a date is named by: %s", (words, date) => {
  expect(namedDates(words)).toEqual([date]);
});

it.each([
  "step 2 may fail",
  "this may be a race",
  "march through the list of 12",
  "the 2026 roadmap",
  "error 2026-77-01",
  "mayor 12 decides",
  "sort by september",
  "version 3.10 of june.js",
  "2026-02-31",
  "31 April 2026",
  "February 29, 2025",
  "Feb 30",
])("no date is named by: %s", (words) => {
  expect(namedDates(words)).toEqual([]);
});

it("a question names three dates at most", () => {
  expect(namedDates("2026-01-01 2026-01-02 2026-01-03 2026-01-04")).toHaveLength(3);
});

it("nearness is 1 within the date and halves three days before and after", () => {
  const nearness = createNearness(namedDates("3 March 2026"), newest);
  const start = Date.UTC(2026, 2, 3);
  expect([start, start + day - 1, start - 3 * day].map(nearness)).toEqual([1, 1, 0.5]);
  expect(nearness(start + 4 * day)).toBeCloseTo(0.5);
  const inMarch = createNearness(namedDates("in March 2026"), newest);
  expect([Date.UTC(2026, 2, 1), Date.UTC(2026, 2, 31)].map(inMarch)).toEqual([1, 1]);
});

it("of several dates the nearest counts, and without one nothing is near", () => {
  const nearness = createNearness(namedDates("between 2026-03-03 and 2026-04-03"), newest);
  expect([Date.UTC(2026, 2, 3), Date.UTC(2026, 3, 3)].map(nearness)).toEqual([1, 1]);
  expect(createNearness([], newest)(newest)).toBe(0);
});

it("a date without a year is the latest that the newest record has seen", () => {
  const inMay = createNearness(namedDates("in May"), newest);
  expect([Date.UTC(2026, 4, 1), Date.UTC(2025, 4, 1)].map(inMay)).toEqual([1, expect.closeTo(0, 1)]);
  const inJune = createNearness(namedDates("in June"), newest);
  expect(inJune(Date.UTC(2025, 5, 1))).toBe(1);
});

it.each([
  ["29 February", "2024-02-29"],
  ["Feb 29, 2024", "2024-02-29"],
  ["28 February 2026", "2026-02-28"],
])("a day that not every month has is read as one where it is there: %s", (words, day) => {
  const [date] = namedDates(words);
  const now = new Date(2026, 4, 20).getTime();
  expect(date && dayName(localSpanOf(date, now).start)).toBe(day);
  expect(date && createNearness([date], now)(Date.parse(`${day}T12:00Z`))).toBe(1);
});
