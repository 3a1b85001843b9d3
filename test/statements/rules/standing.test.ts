// Which sentences are sure rules, which are proposals, and the gates: prompts that resemble rules, and hostile texts.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { typedParts } from "../../../src/core/tools/typed-text.ts";
import { standingOf } from "../../../src/statements/rules/standing.ts";
import { sentencesOf } from "../../../src/statements/text/sentences.ts";

describe("the gates", () => {
  test("at most 3 % of prompts that resemble rules state a sure one", () => {
    const prompts = Object.values(load<Record<string, Groups>>("ordinary-prompts")).flatMap(promptsOf);
    const wrong = prompts.flatMap((prompt) => sureIn(prompt).slice(0, 1));
    expect(prompts.length).toBeGreaterThanOrEqual(400);
    expect(wrong.length, wrong.join("\n")).toBeLessThanOrEqual(prompts.length * 0.03);
  });

  test("no foreign text is a sure rule", () => {
    const prompts = promptsOf(load<Groups>("hostile-contents"));
    expect(prompts.length).toBeGreaterThanOrEqual(60);
    expect(prompts.flatMap(sureIn)).toEqual([]);
  });
});

describe("a sentence that says that it lasts, and is about the work, is a sure rule", () => {
  test.each([
    ["From now on run the linter before you commit.", false],
    ["Always run the tests before you push.", false],
    ["Never push to main without a review.", true],
    ["Please never edit anything in gen/ by hand.", true],
    ["Whenever you change the schema, regenerate the client.", false],
    ["don't ever touch the prod config", true],
    ["Remember to always bump the version when you change the API.", false],
    ["it has to go with a PR and then we merge it to develop like always", false],
    ["Forget the changelog rule.", false],
    ["Ab jetzt immer deutsche Commit-Nachrichten.", false],
    ["Bestehende Migrationen werden bei uns nie geändert, leg immer eine neue an.", true],
    ["A partir de ahora usa pnpm, nunca npm.", true],
    ["y no vuelvas a parar el servidor nunca", true],
    ["Désormais, écris les commentaires en anglais.", false],
    ["Ne touche jamais au dossier vendor sans me demander.", true],
    ["De agora em diante, sempre rode o lint antes do commit.", false],
    ["we always squash before merging", false],
    ["we use pnpm here, never npm", true],
    ["Antworte immer auf Deutsch.", false],
    ["Всегда запускай тесты перед коммитом.", false],
    ["Никогда не пушь в main напрямую.", true],
    ["以后每次改完代码都要跑一遍测试", false],
    ["今後は必ずテストを書いてください。", false],
  ])("%s", (sentence, forbids) => {
    expect(standingOf(sentence, sentence)).toEqual({ isSure: true, forbids });
  });
});

test.each([
  "we should raise the release number with every change, I think",
  "Don't merge the PR, I want to read the diff.",
  "Don't forget to push the branch.",
  "dont close my firefox",
  "for now never push to main",
  "Paul says we never use npm here",
])("%s is a proposal", (sentence) => {
  expect(standingOf(sentence, sentence)).toMatchObject({ isSure: false });
});

test.each([
  ["a question", "do we always use pnpm here?"],
  ["a report", "It always crashes when I save."],
  ["a report of what did not change", "la vue des fichiers n'est toujours pas déplaçable"],
  ["a wish for the product", "The button must always be visible."],
  ["a fault of the product", "the list never shows both names"],
  ["an order", "commit this and push"],
  ["the title of a list", "Always keep these rules in mind when you commit:"],
])("%s is no rule: %s", (_what, sentence) => {
  expect(standingOf(sentence, sentence)).toBeNull();
});

type Groups = Record<string, string[]>;

function load<T>(name: string): T {
  return JSON.parse(
    readFileSync(new URL(`../../fixtures/statements/${name}.json`, import.meta.url), "utf8"),
  ) as T;
}

function promptsOf(groups: Groups): string[] {
  return Object.values(groups).flat();
}

function sureIn(prompt: string): string[] {
  const { typed } = typedParts(prompt);
  return sentencesOf(typed).flatMap(({ text }) => (standingOf(text, typed)?.isSure === true ? [text] : []));
}
