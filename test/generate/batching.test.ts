import { expect, test } from "vitest";
import { dueAt, localBatching, modelBatching, type WaitingMessages } from "../../src/generate/batching.ts";

const now = 1_000_000;
const two: WaitingMessages = {
  count: 2,
  oldestAt: now - 3_000,
  newestAt: now - 1_000,
  hasSummarize: false,
  isRetry: false,
  isCompleted: false,
};

test.each([
  ["are gathered until none came for 5 seconds", {}, now + 4_000],
  ["wait no longer than until the oldest is 15 seconds old", { oldestAt: now - 14_000 }, now + 1_000],
  ["wait for nothing when ten are there", { count: 10 }, now],
  ["wait for nothing when a summary is wanted", { hasSummarize: true }, now],
  ["wait for nothing when the session has ended", { isCompleted: true }, now],
  ["wait for nothing when the oldest failed before", { isRetry: true }, now],
  ["wait for nothing when the clock was put back since", { newestAt: now + 60_000 }, now],
] as const)("messages %s", (_what, change, at) => {
  expect(dueAt({ ...two, ...change }, modelBatching, now)).toBe(at);
});

test("nothing waits for a provider that costs nothing", () => {
  expect(dueAt(two, localBatching, now)).toBe(now);
});
