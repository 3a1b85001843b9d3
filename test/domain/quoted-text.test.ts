import { expect, test } from "vitest";
import { isQuote, quotedTexts, wholeText } from "../../src/domain/quoted-text.ts";

test.each([1, 140, 141, 600, 601, 2_000])("loses nothing of a text of %i characters", (length) => {
  const text = "word ".repeat(length).slice(0, length).trimEnd().padEnd(length, "x");
  const texts = quotedTexts(text);
  expect(wholeText(texts)).toBe(text);
  expect(isQuote(texts)).toBe(true);
  expect(texts.title.length).toBeLessThanOrEqual(120);
});

test("a title of its own is no quote", () => {
  expect(isQuote({ ...quotedTexts("Use pnpm."), title: "Package manager" })).toBe(false);
});
