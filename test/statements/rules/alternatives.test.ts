import { expect, test } from "vitest";
import { alternativesIn } from "../../../src/statements/rules/alternatives.ts";
import { bareWordsOf } from "../../../src/text/words.ts";

const valuesIn = (text: string) =>
  bareWordsOf(text).flatMap((word) => alternativesIn(word).map(({ choice, value }) => `${choice}: ${value}`));

test.each([
  ["pnpm install", ["package manager: pnpm"]],
  ["PostgreSQL", ["database: postgres"]],
  ["en français", ["language of texts: french"]],
  ["请用英文回答", ["language of texts: english"]],
  ["commit often", []],
])("the words of %j choose %j", (text, values) => {
  expect(valuesIn(text)).toEqual(values);
});
