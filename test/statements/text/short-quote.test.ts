// Long quotes are shortened by clauses.
import { expect, test } from "vitest";
import { shortQuote } from "../../../src/statements/text/short-quote.ts";

const story =
  "The nightly export to the partner ran into the timeout of the gateway, which the team had already raised twice over the " +
  "last two months, once to ninety seconds and then to one hundred and twenty, and which nobody wanted to raise again";

test("keeps the beginning and the reason, and marks what is left out", () => {
  const quote = shortQuote(
    `${story}, because each row opens a cursor of its own in \`LedgerReader.next()\`.`,
    300,
  );
  expect(quote).toMatch(
    /^The nightly export to the partner ran into the timeout of the gateway, .*… because each row/,
  );
  expect(quote).toMatch(/`LedgerReader\.next\(\)`\.$/);
  expect(quote.length).toBeLessThanOrEqual(300);
});

test("keeps the reason of a Chinese sentence, and adds no spaces", () => {
  const quote = shortQuote(`导出很慢，${"我们看了很多日志，".repeat(40)}因为连接池只有十个连接。`, 300);
  expect(quote).toMatch(/^导出很慢，我们看了很多日志，/);
  expect(quote).toMatch(/…\s?因为连接池只有十个连接。$/);
});

test.each([
  ["a short quote", "It was slow because of the pool.", 300, "It was slow because of the pool."],
  ["one word", "x".repeat(50), 20, `${"x".repeat(19)}…`],
])("%s", (_what, text, maxChars, shown) => {
  expect(shortQuote(text, maxChars)).toBe(shown);
});
