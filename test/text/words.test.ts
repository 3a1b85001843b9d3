import { describe, expect, it } from "vitest";
import { termsOf, wordsOf } from "../../src/text/words.ts";

describe("wordsOf", () => {
  it("splits a token where a script without spaces begins or ends", () => {
    expect(wordsOf("v2版本fix, ok").map(({ text, isRun }) => [text, isRun])).toEqual([
      ["v2", false],
      ["版本", true],
      ["fix", false],
      ["ok", false],
    ]);
  });
});

describe("termsOf", () => {
  const rows: [string, string[]][] = [
    ["how did we fix the Redirects", ["fix", "redirect"]],
    ["parseConfig in foo_bar.ts", ["parseconfig", "pars", "config", "foo", "bar", "ts"]],
    ["Zürich crème", ["zurich", "creme"]],
    ["登录失败", ["登", "登录", "录", "录失", "失", "失败", "败"]],
    ["로그인", ["로", "로그", "그", "그인", "인"]],
    ["?! \0", []],
  ];
  it.each(rows)("of %j are %j", (text, terms) => {
    expect(termsOf(text)).toEqual(terms);
  });
});
