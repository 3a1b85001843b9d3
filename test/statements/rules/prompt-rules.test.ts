// Rules among the tasks, logs and questions of whole prompts. Double brackets enclose the rules of the corpus.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { promptRulesIn } from "../../../src/statements/rules/prompt-rules.ts";
import { sentencesOf } from "../../../src/statements/text/sentences.ts";

test.each(["tuned", "held"] as const)("whole prompts, %s half: 85 %% found, at most one false", (half) => {
  const missed: string[] = [];
  const wrong: string[] = [];
  let total = 0;
  for (const prompt of corpus[half]) {
    const stated = [...prompt.matchAll(/\[\[(.*?)\]\]/gs)].map(([, rule = ""]) => rule);
    const found = rulesIn(prompt.replace(/\[\[|\]\]/g, ""));
    total += stated.length;
    missed.push(...stated.filter((rule) => !found.some((one) => overlaps(one, rule))));
    wrong.push(...found.filter((one) => !stated.some((rule) => overlaps(one, rule))));
  }
  expect(total).toBeGreaterThanOrEqual(17);
  expect(missed.length, missed.join("\n")).toBeLessThanOrEqual(total * 0.15);
  expect(wrong.length, wrong.join("\n")).toBeLessThanOrEqual(1);
});

describe("a rule in passing", () => {
  test.each([
    [
      "in parentheses",
      "add a test in test/a.test.ts (tests live at the path of the source)",
      "tests live at the path of the source",
    ],
    [
      "in parentheses of a one-off",
      "skip the docs for now (docs are always written in English)",
      "docs are always written in English",
    ],
    [
      "after ps",
      "good. ps: answer me shorter next time, i read this on the phone",
      "ps: answer me shorter next time, i read this on the phone",
    ],
    [
      "with the order of answers",
      "ps: shorter answers next time. cause first, then the change",
      "ps: shorter answers next time. cause first, then the change",
    ],
    [
      "a label and its form",
      'commit it. commit subjects in this repo: "fix(api): ...", please',
      'commit subjects in this repo: "fix(api): ...", please',
    ],
    ["a property of the code", "why? btw the code has to stay ES5 here", "the code has to stay ES5 here"],
    [
      "a folder",
      "Bitte beheben. Noch was für immer: in src/api bitte keine nackten Zahlen mehr",
      "Noch was für immer: in src/api bitte keine nackten Zahlen mehr",
    ],
    [
      "with what it gives up",
      "drop the type prefixes, the log looks mixed. Plain subjects from now on",
      "drop the type prefixes, the log looks mixed. Plain subjects from now on",
    ],
  ])("%s", (_where, prompt, rule) => {
    expect(rulesIn(prompt)).toEqual([rule]);
  });

  test("the replacement of a habit is a rule too", () => {
    const prompt = "forget the changelog lines from now on. instead start the commit subject with [Fix]";
    expect(rulesIn(prompt)).toEqual([
      "forget the changelog lines from now on.",
      "instead start the commit subject with [Fix]",
    ]);
  });
});

describe("no rule", () => {
  test.each([
    ["alternatives", "two ways i can think of: always treat -5 as a number, or an option"],
    ["one of several alternatives", "always refreshing is the third."],
    ["what is not used", "the -ofile1 case is fine, nobody uses that, anchor stays"],
    ["withdrawn in the sentence", "everyone must run cron by hand, nah forget it"],
    [
      "withdrawn in the next sentence",
      "Nobody may run cron between 2 and 5... Nah forget it, that won't fly",
    ],
    ["a stop", "para por aquí cuando lo tengas"],
    ["a state", "amend is ok, nothing is pushed."],
    ["a report about names", "test names: login, logout and refresh fail"],
    ["a one-off in place of another", "add a button. instead put it on the left"],
    ["parentheses without a subject", "der Kunde hat Bilder geschickt (liegen in eingang/), die sollen rein"],
    ["where one file is", "fix the parser (the module lives in src/parse.ts)"],
    ["a reported rule in parentheses", "Paul says (we never use npm here)"],
  ])("%s", (_what, prompt) => {
    expect(rulesIn(prompt)).toEqual([]);
  });
});

const corpus = JSON.parse(
  readFileSync(new URL("../../fixtures/statements/whole-prompts.json", import.meta.url), "utf8"),
) as Record<"tuned" | "held", string[]>;

function rulesIn(prompt: string): string[] {
  const context = { prompt, isFollowUp: true, previousClosing: "Done." };
  return promptRulesIn(sentencesOf(prompt), context).map(({ text }) => text);
}

function overlaps(one: string, other: string): boolean {
  const [a, b] = [plain(one), plain(other)];
  return a.includes(b.slice(0, 24)) || b.includes(a.slice(0, 24));
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

test.each([
  ["no no, we use pnpm here, never npm.", "we use pnpm here, never npm."],
  ["Looks good, but: commit messages are always in English.", "commit messages are always in English."],
  ["omg no emojis please.", "no emojis please."],
  ["passt, aber: Bezeichner im Code immer englisch.", "Bezeichner im Code immer englisch."],
  ["Non : chez nous, les dates sont toujours en UTC.", "chez nous, les dates sont toujours en UTC."],
  ["нет, мы тут всегда используем pnpm.", "мы тут всегда используем pnpm."],
  ["对了，提交信息一律用英文。", "提交信息一律用英文。"],
  ["no tests without a name here, ever.", "no tests without a name here, ever."],
])("leaves the reply before a rule out: %j", (prompt, rule) => {
  expect(rulesIn(prompt)).toEqual([rule]);
});

test.each([
  "The old pods keep running for an hour. Every migration has to survive that.",
  "Leg einen Zweig an. Bei uns heißen die feature/kurzer-name.",
])("quotes the sentence that the rule needs: %j", (prompt) => {
  expect(rulesIn(prompt)).toEqual([prompt]);
});
