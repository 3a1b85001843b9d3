import { expect, test } from "vitest";
import { isQuote, quotedTexts, wholeText } from "../../src/core/records/quoted-text.ts";

test.each([1, 140, 141, 600, 601, 2_000])("loses nothing of a text of %i characters", (length) => {
  const text = "word ".repeat(length).slice(0, length).trimEnd().padEnd(length, "x");
  const texts = quotedTexts(text);
  expect(wholeText(texts)).toBe(text);
  expect(isQuote(texts)).toBe(true);
  expect(texts.title.length).toBeLessThanOrEqual(120);
});

test("a title that differs from the text is no quote", () => {
  expect(isQuote({ ...quotedTexts("Use pnpm."), title: "Package manager" })).toBe(false);
});

test.each([
  ["we  use pnpm here,\n never npm,", "We use pnpm here, never npm"],
  ["npm test needs redis.", "npm test needs redis."],
  ["src/a.ts is generated", "src/a.ts is generated"],
  ["useState keeps it;", "useState keeps it"],
  ["`make` builds it", "`make` builds it"],
  ["über die Grenze, nie direkt", "Über die Grenze, nie direkt"],
  ["не коммить в main", "Не коммить в main"],
  ["总是用 pnpm，", "总是用 pnpm"],
])("the title of %j is %j", (text, title) => {
  expect(quotedTexts(text)).toMatchObject({ title, summary: text.replace(/\s+/g, " ") });
  expect(isQuote(quotedTexts(text))).toBe(true);
});
