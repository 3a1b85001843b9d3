import { expect, test } from "vitest";
import { readChoice } from "../../src/cli/sync-projects.ts";

const names = ["shop", "2", "my tools"];

test.each([
  ["all", "all"],
  ["none", "none"],
  ["shop", ["shop"]],
  [" 3 , shop ", ["my tools", "shop"]],
  // A project may be called like a number.
  ["2", ["2"]],
  ["1,3", ["shop", "my tools"]],
  ["1,4", { problem: "4 is neither a project nor its number." }],
  ["0", { problem: "0 is neither a project nor its number." }],
  ["attic", { problem: "attic is neither a project nor its number." }],
])("%j names the projects that may leave", (text, expected) => {
  expect(readChoice(text, names)).toEqual(expected);
});
