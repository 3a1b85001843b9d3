import { describe, expect, test } from "vitest";
import { type ComparedRule, sameSubject } from "../../src/statements/subject.ts";

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
  ])("%j, then %j", (older, newer) => {
    expect(compare(older, newer)).toBe("same");
  });
});

describe("the rules contradict each other, and only the user can tell which applies", () => {
  test.each([
    ["without a word that one replaces the other", "Use npm here", "Use pnpm"],
    ["with another number", "The timeout for tests is 10 s", "The timeout for tests is 30 s"],
    ["with another name", "Deploys go to the host `alpha-1`", "Deploys go to the host `alpha-2`"],
    [
      "where the older one says more",
      "Use npm and never commit lockfiles",
      "From now on pnpm instead of npm",
    ],
    ["where the older one is about a part", "Use tabs in Makefiles", "From now on spaces, no tabs"],
    ["where the newer one is about a part", "Use npm", "From now on use pnpm in the frontend"],
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
    ["", "Use npm"],
  ])("%j and %j", (older, newer) => {
    expect(compare(older, newer)).toBeNull();
  });
});
