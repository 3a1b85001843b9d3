import { expect, test } from "vitest";
import { madeTogether, pairDrafts } from "../../src/domain/pair-drafts.ts";

test.each([
  [
    "one for one",
    [[1], [2]],
    [[1], [2]],
    [
      [0, 101],
      [1, 102],
    ],
  ],
  ["one for several takes the place of the first", [[1, 2, 3]], [[1], [2], [3]], [[0, 101]]],
  ["several for one: the first takes its place", [[1], [1], [2]], [[1]], [[0, 101]]],
  [
    "the one with most in common goes first",
    [[1], [1, 2]],
    [[1, 2], [1]],
    [
      [0, 102],
      [1, 101],
    ],
  ],
  ["what shares no source is not replaced", [[3]], [[1], [2]], []],
])("%s", (_name, drafts, old, expected) => {
  const pairs = pairDrafts(
    drafts.map((sources) => ({ sources })),
    old.map((sources, index) => ({ id: 101 + index, sources })),
  );
  expect([...pairs].sort()).toEqual(expected);
});

test("what stands in one observation is made again together, over several of them too", () => {
  const old = [
    { id: 1, sources: [1, 2] },
    { id: 2, sources: [2, 5] },
    { id: 3, sources: [7, 8] },
  ];
  expect(madeTogether([1], old)).toEqual([1, 2, 5]);
  expect(madeTogether([3], old)).toEqual([3]);
  expect(madeTogether([3, 8], old)).toEqual([3, 7, 8]);
  expect(madeTogether([], old)).toEqual([]);
});
