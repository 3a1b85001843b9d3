// Records as lines of a list: order and merging.
import { expect, test } from "vitest";
import { type Kind, type Line, lineKey, mergeLines } from "../../src/viewer/lines.ts";

function line(kind: Kind, id: number, at: number, title = "t"): Line {
  const base = { key: lineKey(kind, id), kind, id, at, title };
  return { ...base, project: "p", type: kind, detail: null, saidBy: null, marks: [] };
}

test("lines are ordered from the newest, and a changed record replaces its line", () => {
  const before = [line("summary", 1, 20), line("observation", 2, 10), line("prompt", 1, 5)];
  const merged = mergeLines(before, [line("observation", 2, 10, "changed"), line("observation", 3, 15)]);
  expect(merged.map(({ key, title }) => [key, title])).toEqual([
    ["summary 1", "t"],
    ["observation 3", "t"],
    ["observation 2", "changed"],
    ["prompt 1", "t"],
  ]);
});

test("at one moment the summary is above the work, and the work above its prompt", () => {
  const merged = mergeLines([line("prompt", 1, 5)], [line("summary", 1, 5), line("observation", 1, 5)]);
  expect(merged.map(({ kind }) => kind)).toEqual(["summary", "observation", "prompt"]);
});
