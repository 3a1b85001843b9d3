import { expect, test } from "vitest";
import { dueAt, localBatching, modelBatching, type WaitingMessages } from "../../src/generate/batching.ts";

const now = 1_000_000;
const two: WaitingMessages = {
  count: 2,
  oldestAt: now - 500,
  hasSummarize: false,
  isRetry: false,
  isCompleted: false,
};

test.each([
  ["of a new session wait for a second", {}, null, now + 500],
  ["of a quiet session wait for a second", {}, now - 20_000, now + 500],
  ["that came as the last call ended wait for a second", {}, now - 500, now + 500],
  ["that came while the last call ran wait for five", {}, now - 400, now + 4_500],
  ["are due when the last call took longer than that", { oldestAt: now - 9_000 }, now, now - 4_000],
  ["wait for nothing when ten are there", { count: 10 }, now, now],
  ["wait for nothing when a summary is wanted", { hasSummarize: true }, now, now],
  ["wait for nothing when the session has ended", { isCompleted: true }, now, now],
  ["wait for nothing when all failed before", { isRetry: true }, now, now],
  ["wait for nothing when the clock was put back since", { oldestAt: now + 60_000 }, null, now],
] as const)("messages %s", (_what, change, lastCallAt, at) => {
  expect(dueAt({ ...two, ...change }, modelBatching, { now, lastCallAt })).toBe(at);
});

test("nothing waits for a provider that costs nothing", () => {
  expect(dueAt(two, localBatching, { now, lastCallAt: now })).toBe(now);
});
