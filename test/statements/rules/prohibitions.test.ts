import { describe, expect, test } from "vitest";
import { parseRule } from "../../../src/statements/rules/prohibitions.ts";

describe("a rule forbids", () => {
  test.each([
    "Never npm",
    "No emojis in commits",
    "Never commit without the tests",
    "Keine Emojis in Commits",
    "nunca uses npm",
    "ne touche jamais à dist/",
    "não use npm",
    "не трогай dist/",
    "不要改dist目录",
    "distを編集しないで",
  ])("%j", (rule) => expect(parseRule(rule).forbids).toBe(true));

  test.each([
    "Use pnpm",
    "Don't forget to run the linter",
    "No more than ten lines a function",
    "Pnpm nutzen",
    "use pnpm no frontend, sempre",
    "os nomes das tabelas são no singular",
    "this machine has no internet access",
  ])("not with %j", (rule) => expect(parseRule(rule).forbids).toBe(false));
});
