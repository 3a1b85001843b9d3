// The gates of the rule classifier: false rules, hostile texts, rules found. And single wordings.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type Standing, standingOf } from "../../../src/statements/rules/standing.ts";
import { ownWords } from "../../../src/statements/text/own-words.ts";
import { sentencesOf } from "../../../src/statements/text/sentences.ts";

describe("the gates", () => {
  test.each([false, true])("at most 2 % of ordinary prompts state a rule (follow-up: %s)", (isFollowUp) => {
    const prompts = Object.values(load<Record<string, Groups>>("ordinary-prompts")).flatMap(promptsOf);
    const wrong = prompts.flatMap((prompt) => standingIn(prompt, isFollowUp).slice(0, 1));
    expect(prompts.length).toBeGreaterThanOrEqual(400);
    expect(wrong.length, wrong.join("\n")).toBeLessThanOrEqual(prompts.length * 0.02);
  });

  test.each([false, true])("finds no rule in foreign text (follow-up: %s)", (isFollowUp) => {
    const prompts = promptsOf(load<Groups>("hostile-contents"));
    expect(prompts.length).toBeGreaterThanOrEqual(60);
    expect(prompts.flatMap((prompt) => standingIn(prompt, isFollowUp))).toEqual([]);
  });

  test.each(["tuned", "held"])("rules as people type them, %s half: 85 %% found, 3 %% false", (half) => {
    const { rules, ordinary } = load<Record<string, Record<"rules" | "ordinary", Groups>>>("typed-prompts")[
      half
    ] ?? { rules: {}, ordinary: {} };
    const missed = promptsOf(rules).filter((prompt) => standingIn(prompt, false).length === 0);
    const wrong = promptsOf(ordinary).filter((prompt) => standingIn(prompt, false).length > 0);
    expect(promptsOf(rules).length).toBeGreaterThanOrEqual(40);
    expect(missed.length, missed.join("\n")).toBeLessThanOrEqual(promptsOf(rules).length * 0.15);
    expect(wrong.length, wrong.join("\n")).toBeLessThanOrEqual(promptsOf(ordinary).length * 0.03);
  });

  test("finds at least 94 % of the rules with their reach, and nothing else", () => {
    const { missed, beside, misplaced, total } = measureRules();
    expect(total).toBeGreaterThanOrEqual(160);
    expect(missed.length, missed.join("\n")).toBeLessThanOrEqual(total * 0.06);
    expect(beside.length, beside.join("\n")).toBeLessThanOrEqual(total * 0.02);
    expect(misplaced.length, misplaced.join("\n")).toBeLessThanOrEqual(total * 0.03);
  });
});

describe("the form and the reach of a rule", () => {
  const rows: [string, Standing["form"], Standing["reach"]][] = [
    ["we use pnpm here", "do", "project"],
    ["please never edit anything in gen/ by hand", "never", "project"],
    ["Nobody pushes to main.", "never", "project"],
    ["From now on every migration has a down script", "do", "project"],
    ["in all my projects: never force push", "never", "everywhere"],
    ["always answer me in German", "do", "everywhere"],
    ["always answer in the style of our docs", "do", "project"],
    ["Don't touch the files under vendor/.", "never", "project"],
    ["Use tabs, not spaces, in Makefiles.", "never", "project"],
    ["Nicht npm benutzen!", "never", "project"],
    ["this machine has no internet access", "do", "project"],
    ["Actually, drop the rule about make lint: we now use `just lint`.", "do", "project"],
    ["Forget the changelog rule.", "do", "project"],
    ["bei uns wird in gen/ nie etwas von Hand geändert", "never", "project"],
  ];
  test.each(rows)("%s", (sentence, form, reach) => {
    expect(standingOf(sentence, first)).toEqual({ standing: true, form, reach, pointsBack: false });
  });
});

test.each([
  ["Same for all figures from here on.", true],
  ["das gilt für alle Module", true],
  ["C'est valable partout.", true],
  ["All figures are SVG from here on.", false],
])("%s points to the sentence before it: %s", (sentence, pointsBack) => {
  expect(standingOf(sentence, first)).toMatchObject({ pointsBack });
});

describe("sentences that resemble rules", () => {
  test.each([
    ["a question", "do we always use pnpm here?"],
    ["a question without its mark", "why do we never use npm here"],
    ["a one-off", "for now we use npm here"],
    ["a one-off of a branch", "in this branch never run the e2e tests"],
    ["a report", "Paul says we never use npm here"],
    ["an opinion", "I think we should always use pnpm here"],
    ["a quotation", 'the label is "We never sell your data in this project"'],
    ["a code span", "what `never commit to main` prints"],
    ["a bug", "our tests never work on Windows"],
    ["a bug in words of two languages", "Webhook signatures fail on staging."],
    ["a wish for the product", "the API must always return 404 for unknown tenants"],
    ["the past", "we always used npm in this project last year, was slow"],
    ["a lead-in", "our rules:"],
    ["a rule of the product", "remove the rule about negative totals in the cart"],
    ["a rule of a linter", "drop the eslint rule about unused variables"],
    ["a value of one function", "use a map, not a list"],
    ["a place", "use tabs here, the file already has them"],
    ["a signature", "don't change the signature of foo()"],
    ["a file in work", "don't touch src/app.ts, I have open changes there"],
    ["an error", "git push was rejected: remote: error: Never push to main directly"],
    ["a long text", `we use pnpm here, ${"and more ".repeat(80)}`],
  ])("%s", (_what, sentence) => {
    expect(standingOf(sentence, first)).toBeNull();
  });
});

test.each([
  ["Add a test. Don't touch vendor/.", true],
  ["Refactor the parser. Don't touch src/lexer/.", false],
  ["Add zod. Use pnpm, not npm.", true],
  ["Sort the rows. Use recursion, not loops.", false],
])("beside a task, in %j a rule stands: %s", (prompt, stands) => {
  expect(standingIn(prompt, false).length > 0).toBe(stands);
});

test("some wishes are rules only when they correct the agent", () => {
  const sentence = "one or two sentences at the end, no headings";
  expect(standingOf(sentence, first)).toBeNull();
  expect(standingOf(sentence, { ...first, isFollowUp: true, previousClosing: "Done." })).not.toBeNull();
});

type Groups = Record<string, string[]>;

const first = { prompt: "", isFollowUp: false, previousClosing: null };

function load<T>(name: string): T {
  return JSON.parse(
    readFileSync(new URL(`../../fixtures/statements/${name}.json`, import.meta.url), "utf8"),
  ) as T;
}

function promptsOf(groups: Groups): string[] {
  return Object.values(groups).flat();
}

function standingIn(prompt: string, isFollowUp: boolean): string[] {
  return rulesIn(prompt, isFollowUp).map(({ text }) => text);
}

function rulesIn(prompt: string, isFollowUp: boolean): { text: string; rule: Standing }[] {
  const context = { prompt, isFollowUp, previousClosing: isFollowUp ? "Done." : null };
  return sentencesOf(ownWords(prompt)).flatMap(({ text }) => {
    const rule = standingOf(text, context);
    return rule === null ? [] : [{ text, rule }];
  });
}

// Where a prompt says more than its rule, double brackets enclose the rule.
function measureRules() {
  const result = { missed: [] as string[], beside: [] as string[], misplaced: [] as string[], total: 0 };
  for (const groups of Object.values(load<Record<string, Groups>>("standing-rules"))) {
    for (const [group, prompts] of Object.entries(groups)) {
      for (const prompt of prompts) {
        const stated = /\[\[(.*?)\]\]/s.exec(prompt)?.[1] ?? prompt;
        const found = rulesIn(prompt.replace(/\[\[|\]\]/g, ""), group === "correction");
        const inside = found.filter(({ text }) => overlaps(text, stated));
        result.total++;
        if (inside.length === 0) result.missed.push(stated);
        if (inside.length < found.length) result.beside.push(prompt);
        const reach = group === "everywhere" ? "everywhere" : "project";
        if (inside.some(({ rule }) => rule.reach !== reach)) result.misplaced.push(stated);
      }
    }
  }
  return result;
}

function overlaps(text: string, stated: string): boolean {
  return stated.includes(text.slice(0, 20)) || text.includes(stated.slice(0, 20));
}
