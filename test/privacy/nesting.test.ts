import { expect, test } from "vitest";
import { nestingExceeds } from "../../src/privacy/nesting.ts";

const arrays = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
const objects = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
const mixed = (depth: number) => `${'[{"a":'.repeat(depth / 2)}1${"}]".repeat(depth / 2)}`;

test.each([
  ["arrays 64 deep", arrays(64), false],
  ["arrays 65 deep", arrays(65), true],
  ["objects 64 deep", objects(64), false],
  ["objects 65 deep", objects(65), true],
  ["a mixture 64 deep", mixed(64), false],
  ["a mixture 66 deep", mixed(66), true],
  ["arrays 1,000 deep", arrays(1000), true],
  ["arrays 1,000,000 deep", arrays(1_000_000), true],
  ["a million openers that never close", "[".repeat(1_000_000), true],
  ["many arrays side by side", `[${"[],".repeat(10_000)}[]]`, false],
  ["brackets in a string", JSON.stringify("[".repeat(1000)), false],
  ["brackets in a string after an escaped quote", `["\\"${"[".repeat(1000)}"]`, false],
  ["brackets after a string that ends in a backslash", `["\\\\",${arrays(64)}]`, true],
  ["brackets in a string that never ends", `"${"[".repeat(1000)}`, false],
  ["nothing", "", false],
  ["brackets of other letters", "\u015b".repeat(1000), false],
])("%s: over 64 is %s", (_, json, expected) => {
  expect(nestingExceeds(json, 64)).toBe(expected);
  expect(nestingExceeds(new TextEncoder().encode(json), 64)).toBe(expected);
});
