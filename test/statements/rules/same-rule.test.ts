// The same rule in other words is one rule; a rule with a word more or another scope is another.
import { describe, expect, test } from "vitest";
import { isSameRule } from "../../../src/statements/rules/same-rule.ts";

describe("the same rule", () => {
  test.each([
    ["Use pnpm, never npm.", "And use pnpm here, not npm."],
    ["Use pnpm, never npm.", "never npm, use pnpm"],
    ["Use pnpm, never npm.", "pnpm instead of npm please"],
    ["Use pnpm, never npm.", "Prefer pnpm over npm."],
    ["Use pnpm, never npm.", "Use pnpm."],
    ["use uv, not pip", "we use uv instead of pip here"],
    ["Use tabs, not spaces.", "I prefer tabs over spaces"],
    ["Use tabs, not spaces.", "never spaces, always tabs"],
    ["Use Luxon instead of moment.", "Never use moment, use Luxon."],
    ["Use date-fns instead of moment.", "Never moment, use date-fns."],
    ["Prefer composition over inheritance.", "Use composition, not inheritance."],
    ["composition over inheritance", "prefer composition rather than inheritance"],
    ["Use the logger, never console.log.", "the logger instead of console.log, please"],
    ["Store amounts in cents, not in floats.", "Please store amounts in cents instead of floats."],
    ["Never push to main.", "please never push to main"],
    ["Run the linter before each commit", "always run the linter before each commit!"],
    ["Nimm pnpm, nicht npm.", "pnpm statt npm"],
    ["Nimm Tabs statt Leerzeichen", "lieber Tabs als Leerzeichen"],
    ["usa pnpm, no npm", "usa pnpm en vez de npm"],
    ["utilise pnpm, pas npm", "pnpm au lieu de npm"],
    ["use pnpm, não npm", "pnpm em vez de npm"],
    ["используй pnpm, а не npm", "pnpm вместо npm"],
    ["使用pnpm，不要npm", "请用 pnpm，不要用 npm"],
  ])("%j and %j", (one, other) => {
    expect(isSameRule(one, other)).toBe(true);
    expect(isSameRule(other, one)).toBe(true);
  });
});

describe("another rule", () => {
  test.each([
    ["Use pnpm, never npm.", "Use npm, never pnpm."],
    ["Use pnpm, never npm.", "Use yarn, not npm."],
    ["Use pnpm, never npm.", "Use pnpm, not npm, in the frontend."],
    ["Use pnpm, never npm.", "Use pnpm and never commit the lockfile."],
    ["Use tabs, not spaces, in Makefiles.", "Use tabs, not spaces, in Go files."],
    ["Prefer composition over inheritance.", "Prefer inheritance over composition."],
    ["Use composition, not inheritance.", "Use composition."],
    ["Never push to main.", "Push to main."],
    ["Run the tests before the merge", "Run the tests after the merge"],
    ["Keep the comments", "Delete the comments"],
    ["Never commit to main", "Never commit to main without a review"],
    ["Answer in English", "Answer in German"],
    ["Use npm scripts, never npx.", "Use npm."],
    ["The timeout is 10 s", "The timeout is 30 s"],
    ["Write tests with vitest", "Write tests first"],
    ["Log with pino, not with console", "Test with vitest, not with console"],
  ])("%j and %j", (one, other) => {
    expect(isSameRule(one, other)).toBe(false);
    expect(isSameRule(other, one)).toBe(false);
  });
});
