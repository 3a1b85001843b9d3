// Fenced blocks in texts of records.
import { expect, test } from "vitest";
import { blocksOf } from "../../src/viewer/parts/inline-code.tsx";

const codes = (text: string) => blocksOf(text).map(({ code, plain }) => code ?? `plain: ${plain}`);

test("a block ends at the next line of as many backticks alone", () => {
  expect(codes("Run\n```js\na\n````\nb\n```\nthen\n```\n```\nend")).toEqual([
    "plain: Run\n",
    "a\n````\nb",
    "plain: then\n",
    "",
    "plain: end",
  ]);
  expect(codes("```js\nnever closed")).toEqual(["plain: ```js\nnever closed"]);
});

test("50,000 openings without an end are read in one pass", () => {
  const text = "```js\n".repeat(50_000);
  expect(codes(text)).toEqual([`plain: ${text}`]);
});
