import { describe, expect, test } from "vitest";
import { clausesOf } from "../../../src/statements/rules/rule-wording.ts";

const marked = (rule: string) =>
  clausesOf(rule).map(({ text, isRejected }) => `${isRejected ? "-" : "+"} ${text}`);

describe("clauses of a rule", () => {
  test.each([
    ["Use pnpm, never npm", ["+ Use pnpm", "- never npm"]],
    ["Use pnpm not npm", ["+ Use pnpm", "- not npm"]],
    ["Use tabs instead of spaces.", ["+ Use tabs", "- instead of spaces"]],
    ["Never touch dist/, vendor/ or build/", ["- Never touch dist/", "- vendor/ or build/"]],
    ["Never commit without the tests", ["+ Never commit", "+ without the tests"]],
    ["Keep it short because nobody reads it", ["+ Keep it short"]],
    ["Run v1.2 of tsconfig.json", ["+ Run v1.2 of tsconfig.json"]],
    ["Statt npm nehmen wir pnpm", ["- Statt npm", "+ nehmen wir pnpm"]],
    ["n'utilise plus npm", ["- n'utilise plus npm"]],
    ["usa pnpm en vez de npm", ["+ usa pnpm", "- en vez de npm"]],
    ["use pnpm no frontend, não npm", ["+ use pnpm no frontend", "- não npm"]],
    ["не используй npm, а pnpm", ["- не используй npm", "+ а pnpm"]],
    ["用pnpm而不是npm", ["+ 用pnpm", "- 而不是npm"]],
    ["npmではなくpnpmを使う", ["- npmではなく", "+ pnpmを使う"]],
  ])("of %j", (rule, clauses) => {
    expect(marked(rule)).toEqual(clauses);
  });

  test("stay linear in time on a text without a sentence end", () => {
    expect(clausesOf("never, not ".repeat(50_000)).length).toBeLessThan(1_000);
  });
});
