import { expect, test } from "vitest";
import { parseWhen } from "../../src/cli/when.ts";
import { MemError } from "../../src/core/errors.ts";

const now = new Date(2026, 10, 21, 15, 30).getTime();
const local = (...parts: [number, number, number, number?, number?, number?, number?]) =>
  new Date(...parts).toISOString();

test.each([
  ["7d", "start", new Date(now - 7 * 86_400_000).toISOString()],
  ["36h", "start", new Date(now - 36 * 3_600_000).toISOString()],
  ["90 min", "end", new Date(now - 90 * 60_000).toISOString()],
  ["30m", "start", new Date(now - 30 * 60_000).toISOString()],
  ["2W", "start", new Date(now - 14 * 86_400_000).toISOString()],
  ["2026-11-01", "start", local(2026, 10, 1)],
  ["2026-11-01", "end", local(2026, 10, 1, 23, 59, 59, 999)],
  ["today", "start", local(2026, 10, 21)],
  ["Yesterday", "end", local(2026, 10, 20, 23, 59, 59, 999)],
  ["2026-11-01T12:00", "start", local(2026, 10, 1, 12)],
  ["2026-11-01 12:00:30", "end", local(2026, 10, 1, 12, 0, 30)],
  ["2026-11-01T12:00:00Z", "start", "2026-11-01T12:00:00.000Z"],
  ["2026-11-01T12:00:00+02:00", "start", "2026-11-01T10:00:00.000Z"],
] as const)("%s as a %s is %s", (text, edge, expected) => {
  expect(parseWhen(text, edge, now)).toBe(expected);
});

test.each(["", "soon", "7", "7y", "2026-02-31", "2026-13-01", "2026-11-01T25:00", "01/02/2026"])(
  "%j is refused with the forms that are known",
  (text) => {
    expect(() => parseWhen(text, "start", now)).toThrow(MemError);
  },
);

test.each(["0d", "-3d", "0 min"])("%j is refused as no age", (text) => {
  expect(() => parseWhen(text, "start", now)).toThrow(`"${text}" is not an age`);
});
