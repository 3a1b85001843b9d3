import { expect, test } from "vitest";
import { scoreScenario } from "./score.mjs";
import { kindTable, missLines, momentTable, quietLine, renderRows } from "./table.mjs";

const rule = {
  id: "rule-01",
  kind: "rule",
  lang: "de",
  need: [{ at: "start", all: ["pnpm"] }],
  never: ["npm install"],
};
const quiet = { id: "quiet-01", kind: "quiet", lang: "en", need: [], never: [] };
const scores = [
  scoreScenario(rule, { start: "npm install" }),
  scoreScenario(quiet, { start: "", prompt: "12345678" }),
];

test("aligns the first column to the left and numbers to the right", () => {
  expect(
    renderRows([
      ["kind", "N"],
      ["a", 100],
    ]),
  ).toEqual(["kind    N", "a     100"]);
});

test("has a row for each kind that occurs, for all, and for other languages", () => {
  const names = kindTable(scores).map((line: string) => line.split(/ {2,}/)[0]);
  expect(names).toEqual(["kind", "rule", "quiet", "all", "not English"]);
});

test("shows no share for a kind without needs", () => {
  expect(kindTable(scores)[2]).toMatch(/^quiet +1 +- +- +- +0 /);
});

test("shows needs met of those due at each moment", () => {
  expect(momentTable(scores)[1]).toMatch(/^start +0\/1 /);
});

test("names what a missed scenario lacks and what it violates", () => {
  expect(missLines(scores)).toEqual(["rule-01: start lacks /pnpm/; never /npm install/"]);
});

test("says how many unrelated prompts got something", () => {
  expect(quietLine(scores)).toContain("2/2 tokens at the prompt (mean/p95), 1 of 1");
});
