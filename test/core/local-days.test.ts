import { afterEach, expect, test } from "vitest";
import {
  dayName,
  localDays,
  localTime,
  startOfDay,
  startOfMonth,
  startOfNextMonth,
} from "../../src/core/local-days.ts";

const zone = process.env.TZ;
afterEach(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

const hour = 3_600_000;

test.each([
  ["Europe/Berlin", "2026-03-27T12:00:00Z", [24, 24, 23, 24]],
  ["Europe/Berlin", "2026-10-23T12:00:00Z", [24, 24, 25, 24]],
  ["Asia/Kolkata", "2026-03-27T12:00:00Z", [24, 24, 24, 24]],
  // Midnight is skipped: the day begins at 01:00.
  ["America/Santiago", "2026-09-04T12:00:00Z", [24, 24, 23, 24]],
  // Midnight comes twice: the day begins at the first.
  ["America/Havana", "2026-10-30T12:00:00Z", [24, 24, 25, 24]],
  // The clock moves by half an hour.
  ["Australia/Lord_Howe", "2026-10-02T01:00:00Z", [24, 24, 23.5, 24]],
])("the days of %s from %s are as long as the clock makes them", (name, from, lengths) => {
  process.env.TZ = name;
  const start = Date.parse(from);
  const days = localDays(start, start + 3.5 * 24 * hour).slice(0, 4);
  expect(days.map((day) => (day.end - day.start) / hour)).toEqual(lengths);
});

test.each(["Europe/Berlin", "America/Santiago", "America/Havana", "Pacific/Apia", "UTC"])(
  "the days of a year in %s touch each other and are named one by one",
  (name) => {
    process.env.TZ = name;
    const start = Date.UTC(2026, 0, 1);
    const days = localDays(start, start + 364 * 24 * hour);
    for (const [index, day] of days.entries()) {
      expect(startOfDay(day.start)).toBe(day.start);
      expect(startOfDay(day.end - 1)).toBe(day.start);
      expect(dayName(day.end - 1)).toBe(day.name);
      if (index > 0) expect(day.start).toBe(days[index - 1]?.end);
    }
    expect(new Set(days.map((day) => day.name)).size).toBe(days.length);
    expect(days.length).toBeGreaterThanOrEqual(364);
  },
);

test("a range that ends with a day excludes the next one; an empty range has none", () => {
  process.env.TZ = "UTC";
  const day = Date.UTC(2026, 4, 5);
  expect(localDays(day, day + 24 * hour).map(({ name }) => name)).toEqual(["2026-05-05"]);
  expect(localDays(day, day)).toEqual([]);
});

test("a month begins with its first day and ends with the next one's", () => {
  process.env.TZ = "Europe/Berlin";
  const at = Date.parse("2026-12-31T23:30:00+01:00");
  expect(localTime(startOfMonth(at))).toBe("2026-12-01 00:00");
  expect(localTime(startOfNextMonth(at))).toBe("2027-01-01 00:00");
});
