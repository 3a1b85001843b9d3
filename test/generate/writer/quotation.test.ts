import { describe, expect, test } from "vitest";
import { quotationsIn } from "../../../src/generate/writer/quotation.ts";
import { sentencesOf } from "../../../src/statements/text/sentences.ts";

/** Looks the quotation up in the sentences of the source; a list item is shown with the line above its list. */
function find(source: string, quote: string): string | null {
  const passages = sentencesOf(source).map(({ text, lead }) => ({ text, shown: `${lead} ${text}`.trim() }));
  return quotationsIn(passages)(quote);
}

describe("a quotation is found", () => {
  const source = "We use **pnpm** here, never `npm install`. The CI image has Node 22.";
  test.each([
    ["as it stands", "We use pnpm here, never npm install."],
    ["with the Markdown of the source", "We use **pnpm** here, never `npm install`."],
    ["with other quotation marks, spaces and case", '"we use  pnpm here — never ‘npm install’"'],
    ["cut to a part of the sentence", "use pnpm here"],
  ])("%s", (_how, quote) => {
    expect(find(source, quote)).toBe("We use pnpm here, never `npm install`.");
  });

  test.each([
    ["German", "Bitte nie direkt auf main pushen. Danke!", "nie direkt auf main"],
    ["Chinese", "以后统一用 pnpm，不要用 npm。谢谢", "不要用 npm"],
    ["Japanese", "テストでは実際の DB を使わないでください。お願いします。", "実際の DB を使わないで"],
    ["Russian", "Никогда не коммить в main. Спасибо.", "никогда не коммить"],
  ])("in %s", (_language, from, quote) => {
    const found = find(from, quote) ?? "";
    expect(from).toContain(found);
    expect(found).toMatch(/main|npm|DB/);
  });

  test("over several sentences", () => {
    expect(find(source, "never npm install. The CI image")).toBe(
      "We use pnpm here, never `npm install`. The CI image has Node 22.",
    );
  });

  test("in a list, with the line above it", () => {
    const list = "Rules for tests:\n- no mocks of the database\n- no sleeps";
    expect(find(list, "no mocks of the database")).toBe("Rules for tests: no mocks of the database");
  });
});

describe("a quotation is not found", () => {
  test.each([
    ["when it was made up", "Always deploy on Fridays."],
    ["when a word was changed", "We use yarn here, never npm install."],
    ["when words were left out", "We use pnpm, never npm install."],
    ["inside of other words", "e use pnpm he"],
    ["when it says next to nothing", "We use"],
    ["when it is empty", " "],
    ["when only its punctuation stands there", "…, `` — ."],
  ])("%s", (_why, quote) => {
    expect(find("We use pnpm here, never npm install. Yes.", quote)).toBeNull();
  });

  test("when its passage is longer than what can be shown", () => {
    const long = `${"word after word ".repeat(40)}never use npm ${"and so on ".repeat(40)}`;
    expect(find(long, "never use npm")).toBeNull();
  });
});

describe("a long sentence", () => {
  const request = `Please add the price column to the export of the monthly report and sort it by date, ${"and so on, ".repeat(3)}`;

  test("gives the clause that is quoted", () => {
    const source = `${request}amounts are always integers in cents, thanks.`;
    expect(find(source, "always integers in cents")).toBe("amounts are always integers in cents");
  });

  test.each(["never", "only for now"])("is taken whole where it says %s elsewhere", (word) => {
    const source = `${request}${word}, use floats for the amounts of the totals.`;
    expect(find(source, "use floats for the amounts")).toBe(source);
  });
});

test("a hostile source of a megabyte is looked through in its first part", () => {
  const source = `${"never use npm ".repeat(80_000)}.`;
  expect(find(source, "use pnpm always")).toBeNull();
});
