import { expect, it } from "vitest";
import { economicsLine } from "../../src/context/render.ts";
import type { ContextRow } from "../../src/context/view.ts";

const all = { readTokens: true, workTokens: true, savings: true };

function row(readTokens: number, workTokens: number): ContextRow {
  return {
    id: 1,
    title: "Read a.ts",
    marks: "",
    isChanged: false,
    ids: [1],
    isSuperseded: false,
    type: "discovery",
    project: null,
    day: "2026-11-20",
    readTokens,
    workTokens,
    file: null,
    expanded: null,
  };
}

it.each([
  [
    "much is saved",
    [row(100, 4000), row(50, 2000)],
    "2 records, ~150 tokens to read in full, from ~6,000 tokens of work: 97 % saved (5,850).",
  ],
  [
    "reading costs more than the work",
    [row(544, 500)],
    "1 record, ~544 tokens to read in full, from ~500 tokens of work.",
  ],
  [
    "the share is next to nothing",
    [row(7992, 10_000)],
    "1 record, ~7,992 tokens to read in full, from ~10,000 tokens of work.",
  ],
  ["the tokens are few", [row(10, 109)], "1 record, ~10 tokens to read in full, from ~109 tokens of work."],
  [
    "it is just worth a word",
    [row(300, 400)],
    "1 record, ~300 tokens to read in full, from ~400 tokens of work: 25 % saved (100).",
  ],
  ["there is no work at all", [row(10, 0)], "1 record, ~10 tokens to read in full, from ~0 tokens of work."],
])("the economics read well when %s", (_when, rows, line) => {
  expect(economicsLine(rows, all)).toBe(line);
});

it.each([
  [{ ...all, savings: false }, "1 record, ~100 tokens to read in full, from ~4,000 tokens of work."],
  [{ ...all, readTokens: false }, "1 record from ~4,000 tokens of work: 97 % saved (3,900)."],
  [{ ...all, workTokens: false }, "1 record, ~100 tokens to read in full: 97 % saved (3,900)."],
  [{ readTokens: false, workTokens: false, savings: true }, "1 record: 97 % saved (3,900)."],
  [{ readTokens: false, workTokens: false, savings: false }, "1 record."],
])("each part of the economics follows its own setting: %j", (show, line) => {
  expect(economicsLine([row(100, 4000)], show)).toBe(line);
});
