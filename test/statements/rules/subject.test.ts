import { describe, expect, test } from "vitest";
import { type ComparedRule, sameSubject } from "../../../src/statements/rules/subject.ts";

const rule = (text: string): ComparedRule => ({ text, said_by: "user", standing: true });
const compare = (older: string, newer: string) => sameSubject(rule(older), rule(newer));

describe("the newer rule certainly replaces the older one", () => {
  test.each([
    ["Use npm", "From now on pnpm instead of npm"],
    ["Use npm.", "Never npm, use pnpm."],
    ["Use npm", "npm is not used any more"],
    ["Indent with tabs", "From now on indent with two spaces"],
    ["Answer in English", "From now on answer in German"],
    ["The timeout for tests is 10 s", "The timeout for tests is now 30 s"],
    ["Never touch generated files", "From now on you may touch generated files"],
    ["Nimm npm", "Ab jetzt pnpm statt npm"],
    ["Wir nutzen npm", "npm nutzen wir nicht mehr"],
    ["usa npm", "a partir de ahora usa pnpm en vez de npm"],
    ["utilise npm", "désormais pnpm, n'utilise plus npm"],
    ["use npm", "a partir de agora use pnpm, não npm"],
    ["используй npm", "теперь pnpm вместо npm"],
    ["请用英文回答", "以后用中文回答"],
    ["npmを使う", "今後はnpmではなくpnpmを使う"],
    ["Every change gets a line in CHANGELOG.md", "forget the manual changelog lines from now on"],
    ['Commit subjects: "fix(api): ..."', "drop the fix(api): prefixes. Plain subjects from now on, no type"],
    ["cada commit lleva el número del ticket", "olvida el número del ticket"],
    ["каждый коммит начинается с номера тикета", "забудь про номера тикета"],
    ["每次提交都要写更新日志", "以后不用再写更新日志"],
    [
      "From now on, run `make lint` before every commit.",
      "Actually, drop the rule about make lint: we now use `just lint`.",
    ],
    ["Run `make lint` before every commit.", "We now use just lint instead of make lint."],
    ["Run `make lint` before every commit.", "The make lint rule is no longer needed."],
    ["Never run make lint.", "Forget the rule about make lint."],
    ["Nutze `make lint` vor jedem Commit.", "Vergiss die Regel zu make lint."],
  ])("%j, then %j", (older, newer) => {
    expect(compare(older, newer)).toBe("same");
  });
});

describe("the rules contradict each other, and only the user can tell which applies", () => {
  test.each([
    ["without a word that one replaces the other", "Use npm here", "Use pnpm"],
    ["with another amount", "The timeout for tests is 10 s", "The timeout for tests is 30 s"],
    [
      "where the older one says more",
      "Use npm and never commit lockfiles",
      "From now on pnpm instead of npm",
    ],
    ["where the older one is about a part", "Use tabs in Makefiles", "From now on spaces, no tabs"],
    ["where the newer one is about a part", "Use npm", "From now on use pnpm in the frontend"],
    ["where the newer one gives up a part", "Changelog lines and doc comments", "forget the changelog lines"],
    ["where little of what is given up is named", "Prefix commits with the module", "drop the prefixes"],
    ["where one asks for what the other forbids", "No emojis in commits", "Emojis in commits are fine"],
  ])("%s", (_why, older, newer) => {
    expect(compare(older, newer)).toBe("related");
  });

  test.each([
    ["the agent said the older one", { said_by: "agent" as const }],
    ["the older one does not stand", { standing: false }],
  ])("where %s", (_why, other) => {
    const older = { ...rule("Use npm"), ...other };
    expect(sameSubject(older, rule("From now on pnpm instead of npm"))).toBe("related");
  });
});

describe("the rules apply side by side", () => {
  test.each([
    ["Use pnpm, never npm", "Never npm"],
    ["Use tabs in Makefiles", "Use spaces in Python files"],
    ["Commit messages in English", "Antworte auf Deutsch"],
    ["Run the tests before each commit", "Never commit without running the tests"],
    ["Never commit to main", "Keep commit messages short"],
    ["Write tests with vitest", "Write tests first"],
    ["Production runs on postgres", "Integration tests use sqlite"],
    ["No comments in code", "Every exported function has a doc comment"],
    ["Short answers, no headings", "Answer with a short plan first"],
    ["Never write changelog lines by hand", "forget the manual changelog lines from now on"],
    ["Run the linter before each commit", "don't forget the linter before each commit"],
    ["Tests live beside the source", "drop the fix(api): prefixes in commit subjects"],
    ["", "Use npm"],
    ["Run `make lint` before every commit.", "Drop the rule about make docs."],
    ["Run `make lint` before every commit.", "Never make coffee."],
  ])("%j and %j", (older, newer) => {
    expect(compare(older, newer)).toBeNull();
  });
});
