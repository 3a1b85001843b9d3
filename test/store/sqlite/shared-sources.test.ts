import { expect, test } from "vitest";
import {
  joinedSources,
  pairDrafts,
  type Replaceable,
  replacedBy,
} from "../../../src/store/sqlite/shared-sources.ts";

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
    drafts.map((sources, index) => ({ sources, title: `draft ${index}` })),
    old.map((sources, index) => account(101 + index, sources)),
  );
  expect([...pairs].sort()).toEqual(expected);
});

function account(id: number, sources: number[], other: Partial<Replaceable> = {}): Replaceable {
  return { id, sources, title: `old ${id}`, isStatement: false, isKept: false, isFixed: false, ...other };
}

const statement = { said_by: "user", standing: true, reach: "project", salience: 4 } as const;

test("statements of one turn are distinguished by their titles", () => {
  const drafts = ["b", "new", "a"].map((title) => ({ title, sources: [9], statement }));
  const old = ["a", "b", "c"].map((title, index) => account(101 + index, [9], { title, isStatement: true }));
  expect([...pairDrafts(drafts, old)].sort()).toEqual([
    [0, 102],
    [1, 103],
    [2, 101],
  ]);
});

test("a statement gives way to statements only, and a kept one to its own title only", () => {
  const old = [
    account(101, [9]),
    account(102, [9], { isStatement: true }),
    account(103, [9], { isStatement: true, isKept: true, title: "a" }),
  ];
  const ids = (...drafts: Parameters<typeof replacedBy>[0]) => replacedBy(drafts, old).map(({ id }) => id);
  expect(ids({ title: "a", sources: [9] })).toEqual([101]);
  expect(ids({ title: "b", sources: [9], statement })).toEqual([102]);
  expect(ids({ title: "a", sources: [9], statement })).toEqual([102, 103]);
  expect([...pairDrafts([{ title: "b", sources: [9], statement }], old.slice(2))]).toEqual([]);
});

test("sources that share an observation are regenerated together, also across several", () => {
  const old = [
    { id: 1, sources: [1, 2] },
    { id: 2, sources: [2, 5] },
    { id: 3, sources: [7, 8] },
  ];
  expect(joinedSources([1], old)).toEqual([1, 2, 5]);
  expect(joinedSources([3], old)).toEqual([3]);
  expect(joinedSources([3, 8], old)).toEqual([3, 7, 8]);
  expect(joinedSources([], old)).toEqual([]);
});
