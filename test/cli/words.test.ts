import { homedir } from "node:os";
import { expect, test } from "vitest";
import {
  ageInWords,
  bytesInWords,
  counted,
  durationInWords,
  homePath,
  localTime,
} from "../../src/cli/words.ts";

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [1000, "1.0 kB"],
  [12_345_678, "12.3 MB"],
  [123_456_789, "123 MB"],
  [999_999_999, "1000 MB"],
])("%i bytes are %s", (bytes, words) => {
  expect(bytesInWords(bytes)).toBe(words);
});

test.each([
  [-5, "0 ms"],
  [340, "340 ms"],
  [12_400, "12 s"],
  [59_900, "1 min"],
  [3 * 3_600_000 + 12 * 60_000, "3 h 12 min"],
  [2 * 86_400_000, "2 d"],
  [5 * 86_400_000 + 2 * 3_600_000, "5 d 2 h"],
])("%i milliseconds are %s", (ms, words) => {
  expect(durationInWords(ms)).toBe(words);
});

test.each([
  [10_000, "just now"],
  [5 * 60_000, "5 min ago"],
  [5 * 3_600_000, "5 h ago"],
  [50 * 3_600_000, "2 d ago"],
  [8 * 86_400_000, "2026-11-13"],
  [-60_000, "just now"],
])("%i milliseconds back is %s", (ms, words) => {
  const now = new Date(2026, 10, 21, 12).getTime();
  expect(ageInWords(now - ms, now)).toBe(words);
});

test("counts agree with their noun, and a path below home begins with a tilde", () => {
  expect(counted(1, "summary", "summaries")).toBe("1 summary");
  expect(counted(1204, "summary", "summaries")).toBe("1,204 summaries");
  expect(homePath(`${homedir()}/.mem`)).toBe("~/.mem");
  expect(homePath(`${homedir()}x`)).toBe(`${homedir()}x`);
});

test.each([
  [70_000, "12:01:10"],
  [-5_000, "11:59:55"],
  [120_000, "12:02"],
  [86_400_000, "2026-11-22 12:00"],
])("a time %i milliseconds away is %s", (ms, words) => {
  const now = new Date(2026, 10, 21, 12).getTime();
  expect(localTime(now + ms, now)).toBe(words);
});
