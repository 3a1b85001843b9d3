// The end of a usage limit, out of sentences that the host CLI wrote.
import { expect, test } from "vitest";
import { parseResetTime } from "../../../../src/generate/providers/subscription/reset-time.ts";

// A Saturday, 18:00 in London, 19:00 in Berlin, 13:00 in New York.
const now = Date.UTC(2026, 10, 21, 18, 0);

test.each([
  ["You've hit your 5-hour limit · resets 7:55pm (UTC)", "2026-11-21T19:55:00.000Z"],
  ["You've hit your limit · resets 4:50am (Europe/Rome)", "2026-11-22T03:50:00.000Z"],
  ["You've hit your session limit · resets 12:50am (America/Los_Angeles)", "2026-11-22T08:50:00.000Z"],
  ["You've hit your session limit · resets 12:50pm (Europe/Paris)", "2026-11-22T11:50:00.000Z"],
  ["You've hit your weekly limit · resets Nov 24, 5:55pm (UTC)", "2026-11-24T17:55:00.000Z"],
  ["You've hit your limit · resets Apr 23 at 4pm (America/Recife)", "2027-04-23T19:00:00.000Z"],
  ["You've hit your limit · resets Jan 2, 9am (Asia/Kuala_Lumpur)", "2027-01-02T01:00:00.000Z"],
  ["Your limit will reset at 3pm (America/Bogota).", "2026-11-21T20:00:00.000Z"],
  ["resets 18:00 (UTC)", "2026-11-22T18:00:00.000Z"],
  ["Claude AI usage limit reached|1893456000", "2030-01-01T00:00:00.000Z"],
  ["Claude AI usage limit reached|1893456000000", "2030-01-01T00:00:00.000Z"],
])("%s: %s", (text, expected) => {
  expect(new Date(parseResetTime(text, now) ?? 0).toISOString()).toBe(expected);
});

test("uses the machine's time zone without a known zone", () => {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const expected = parseResetTime(`resets 3pm (${own})`, now);
  expect(parseResetTime("resets 3pm", now)).toBe(expected);
  expect(parseResetTime("resets 3pm (Middle/Earth)", now)).toBe(expected);
});

test("the night of a change to summer time moves with its zone", () => {
  const before = Date.UTC(2026, 2, 28, 20, 0);
  expect(parseResetTime("resets 8am (Europe/Berlin)", before)).toBe(Date.UTC(2026, 2, 29, 6, 0));
});

test.each(["", "You've hit your limit", "resets soon", "resets in a while", "limit|12"])(
  "%j names no time",
  (text) => {
    expect(parseResetTime(text, now)).toBeNull();
  },
);
