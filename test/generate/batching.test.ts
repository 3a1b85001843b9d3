import { expect, test } from "vitest";
import { dueAt, localBatching, modelBatching } from "../../src/generate/batching.ts";

const now = 1_000_000;
const two = { count: 2, newestAt: now - 500, isOver: false };

test.each([
  ["of a turn wait for its end, five minutes at most", {}, now + 5 * 60_000 - 500],
  ["are due when nothing came for five minutes", { newestAt: now - 6 * 60_000 }, now - 60_000],
  ["wait for nothing above 40 tool uses", { count: 41 }, now],
  ["wait for nothing when their turn is over", { isOver: true }, now],
  ["wait for nothing when the clock was put back since", { newestAt: now + 60_000 }, now],
] as const)("messages %s", (_what, change, at) => {
  expect(dueAt({ ...two, ...change }, modelBatching, now)).toBe(at);
});

test("nothing waits for a provider that costs nothing", () => {
  expect(dueAt(two, localBatching, now)).toBe(now);
});
