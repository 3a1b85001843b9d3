import { afterEach, expect, test, vi } from "vitest";
import { projectionStart, projectMonth } from "../../src/generate/projection.ts";

afterEach(() => void vi.unstubAllEnvs());

const at = (iso: string): number => Date.parse(iso);
const used = (tokens: number) => ({ tokens, costMicroUsd: tokens * 2 });

test.each([
  // Ten days of November are left: 70,000 in 7 days are 10,000 a day.
  ["after weeks", "2026-11-21T00:00:00Z", "2026-10-01T00:00:00Z", 7, 200_000 + 100_000],
  ["after two days", "2026-11-21T00:00:00Z", "2026-11-19T00:00:00Z", 2, 200_000 + 350_000],
  ["after an hour", "2026-11-21T00:00:00Z", "2026-11-20T23:00:00Z", 1, 200_000 + 700_000],
  ["in the month's last second", "2026-11-30T23:59:59Z", "2026-10-01T00:00:00Z", 7, 200_000],
])(
  "%s the month ends with what it has and the average for the days that are left",
  (_when, now, first, days, tokens) => {
    vi.stubEnv("TZ", "UTC");
    const projection = projectMonth({
      now: at(now),
      firstCallAt: at(first),
      month: used(200_000),
      lastDays: used(70_000),
    });
    expect(projection?.days).toBe(days);
    expect(projection?.soFar).toEqual(used(200_000));
    expect(projection?.byEnd).toEqual(used(tokens));
  },
);

test("where no model was ever asked there is nothing to go by", () => {
  const nothing = used(0);
  expect(projectMonth({ now: 1, firstCallAt: null, month: nothing, lastDays: nothing })).toBeNull();
});

test("a month with a change of the clock has its own length", () => {
  vi.stubEnv("TZ", "Europe/Berlin");
  // 24 h are left by the calendar, 25 h by the clock.
  const now = at("2026-10-25T00:00:00+02:00") + 6 * 86_400_000 + 3_600_000;
  const projection = projectMonth({
    now,
    firstCallAt: 0,
    month: used(0),
    lastDays: used(7_000),
  });
  expect(projection?.byEnd.tokens).toBe(1_000);
  expect(projectionStart(now)).toEqual({
    month: at("2026-10-01T00:00:00+02:00"),
    lastDays: now - 7 * 86_400_000,
  });
});
