import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { buildMatch, buildPrefixMatch, wordParts } from "../../src/recall/query.ts";
import { indexText } from "../../src/text/index-text.ts";
import { createMemoryStore } from "../helpers/memory-store.ts";
import { volume } from "../helpers/volume.ts";

const terms = (words: string) => buildMatch(words, ["body"], []);

describe("buildMatch", () => {
  it("scopes the words, keeps them out of the scope column and joins them by OR", () => {
    expect(buildMatch("login redirect", ["title", "facts"], ["xp12", "xtbugfix"])).toBe(
      'scope : "xp12" AND scope : "xtbugfix" AND {title facts} : ("login" OR "redirect")',
    );
  });

  const rows: [string, string | null][] = [
    ["how did we fix the login redirect?", '{body} : ("fix" OR "login" OR "redirect")'],
    ["to be or not to be", '{body} : ("to" OR "be" OR "or" OR "not")'],
    ["why doesn't John's build work", '{body} : ("john" OR "build" OR "work")'],
    ["foo_bar.ts", '{body} : ("foo bar ts" OR "foo" OR "bar" OR "ts")'],
    ["parseConfig", '{body} : ("parseconfig" OR "parse" OR "config")'],
    ["C++", '{body} : ("c")'],
    ["NEAR(a b) AND title:x*", '{body} : ("near a" OR "near" OR "b" OR "title x" OR "title" OR "x")'],
    ['say "hi"', '{body} : ("say" OR "hi")'],
    ["Zürich crème", '{body} : ("zürich" OR "crème")'],
    ["登录", '{body} : ("登 录")'],
    ["登", '{body} : ("登")'],
    ["登录失败", '{body} : ("登 录" OR "录 失" OR "失 败")'],
    ["v2版本", '{body} : ("v2" OR "版 本")'],
    ["a\0b", '{body} : ("a b" OR "b")'],
    ["same Same SAME", '{body} : ("same")'],
    ["", null],
    ["?!* ()", null],
    ["\0\u0007", null],
    ["\u19b0", null],
  ];
  it.each(rows)("turns %j into %s", (words, match) => {
    expect(terms(words)).toBe(match);
  });

  it("keeps 32 terms at most, however long the words are", () => {
    const words = Array.from({ length: 50_000 }, (_, index) => `w${index}`).join(" ");
    expect(terms(words)?.match(/"/g)).toHaveLength(64);
  });
});

it("searches text for the emoji of a question without words, and for no other symbol", () => {
  expect(wordParts("*🚀'🇫🇷")).toEqual(["🚀", "🇫🇷"]);
  expect(wordParts("ship 🚀")).toEqual(["ship"]);
});

describe("buildPrefixMatch", () => {
  it("searches the longest words as prefixes and drops words of one or two letters", () => {
    expect(buildPrefixMatch("go authent src/db.ts", ["body"], ["xp1"])).toBe(
      'scope : "xp1" AND {body} : ("authent" * OR "src" *)',
    );
    expect(buildPrefixMatch("a bc", ["body"], ["xp1"])).toBeNull();
  });
});

describe("both against SQLite", () => {
  const memory = createMemoryStore();
  afterAll(() => memory.close());
  const { db } = memory;
  const insert = db.prepare("insert into user_prompts_fts (rowid, scope, body) values (?, ?, ?)");
  const bodies = [
    "login flow",
    "C++ templates and a NEAR miss",
    indexText("parseConfig in foo_bar.ts"),
    indexText("登录 重定向"),
    "Миграцию баз запускай новым сервером",
  ];
  for (const [index, body] of bodies.entries()) insert.run(index + 1, "xp1", body);
  insert.run(100, "xp2", bodies.join(" "));
  const find = db.prepare<[string], { rowid: number }>(
    "select rowid from user_prompts_fts where user_prompts_fts match ?",
  );

  const rows: [string, number[]][] = [
    ["login-flow", [1]],
    ["C++", [2]],
    ["config", [3]],
    ["parse", [3]],
    ["foo_bar", [3]],
    ["PARSECONFIG", [3]],
    ["登录", [4]],
    ["录", [4]],
    ["定向", [4]],
    ["миграциями", [5]],
    ["новая база", [5]],
    ["серверы", [5]],
    ["定登", []],
    ["xp1 xp2", []],
    ["scope", []],
  ];
  it.each(rows)("finds for %j what holds it, in the scope only", (words, ids) => {
    const match = buildMatch(words, ["body"], ["xp1"]) ?? "";
    expect(find.all(match).map((row) => row.rowid)).toEqual(ids);
  });

  it("is a valid match for every input, and never the bare scope", () => {
    const operators = fc.constantFrom(...`AND OR NOT NEAR( " ' * : ^ + - ( ) { \0`.split(" "));
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string({ unit: "grapheme" }),
      fc.string({ unit: "binary-ascii" }),
      fc.array(fc.oneof(operators, fc.string()), { maxLength: 12 }).map((parts) => parts.join(" ")),
    );
    const all = bodies.length;
    fc.assert(
      fc.property(text, fc.boolean(), (words, prefix) => {
        const match = (prefix ? buildPrefixMatch : buildMatch)(words, ["body"], ["xp1"]);
        if (match === null) return;
        const ids = find.all(match).map((row) => row.rowid);
        expect(ids).not.toContain(100);
        expect(ids.length).toBeLessThanOrEqual(/[a-z登重]/iu.test(words.normalize("NFKD")) ? all : 0);
      }),
      { numRuns: volume(5000) },
    );
  });
});
