import { expect, it } from "vitest";
import { sentencesOf } from "../../../src/statements/text/sentences.ts";

const texts = (message: string) => sentencesOf(message).map(({ text }) => text);

it("splits before lower-case letters, and not at abbreviations or inside code", () => {
  expect(texts("no, we use pnpm here. the lockfile check fails otherwise. redo it")).toEqual([
    "no, we use pnpm here.",
    "the lockfile check fails otherwise.",
    "redo it",
  ]);
  expect(texts("Use a proxy, e.g. nginx. Then run `a. b` twice.")).toEqual([
    "Use a proxy, e.g. nginx.",
    "Then run `a. b` twice.",
  ]);
});

it("does not split after the name of a method that ends in a mark", () => {
  const texts = sentencesOf("We want an AuditLog.record! call in every action. Stop! it is wrong").map(
    ({ text }) => text,
  );
  expect(texts).toEqual(["We want an AuditLog.record! call in every action.", "Stop!", "it is wrong"]);
});

it("quotes code spans and German dates as they were written", () => {
  const text =
    "The check `/-?\\d+(e-?\\d+)?$/` lacks an anchor. Das ist in V8 der 1. Mai 2001, bis zum 3. Quartal. Gut so.";
  expect(sentencesOf(text).map((one) => one.text)).toEqual([
    "The check `/-?\\d+(e-?\\d+)?$/` lacks an anchor.",
    "Das ist in V8 der 1. Mai 2001, bis zum 3. Quartal.",
    "Gut so.",
  ]);
});

it("removes emphasis, keeps underscores in code", () => {
  const [one] = sentencesOf(
    "**Cause:** `pkg/__init__.py` imports *everything* of [the guide](docs/guide.md).",
  );
  expect(one?.text).toBe("Cause: `pkg/__init__.py` imports everything of the guide.");
});

it("splits Chinese and Japanese sentences", () => {
  expect(texts("原因找到了。网关限制为 8m。")).toEqual(["原因找到了。", "网关限制为 8m。"]);
});

it("gives a list item its heading or introduction as lead", () => {
  const message =
    "Two ways out:\n\n1. **Cache** the result\n   for a day\n2. Drop it\n\n## Next\n- write the test";
  expect(sentencesOf(message).slice(1)).toEqual([
    { text: "Cache the result for a day", kind: "item", lead: "Two ways out:", at: 1 },
    { text: "Drop it", kind: "item", lead: "Two ways out:", at: 2 },
    { text: "write the test", kind: "item", lead: "Next", at: 3 },
  ]);
});

it("leaves out code blocks, quoted lines and tables", () => {
  expect(texts("Before.\n```\nnever do this.\n```\n> quoted words\n| a | b |\nAfter.")).toEqual([
    "Before.",
    "After.",
  ]);
});

it("reads 64 KiB of any one character quickly", () => {
  for (const part of ["a. ", "`", "- x\n", "**", "[a](b", "z.B. "]) {
    expect(sentencesOf(part.repeat(64 * 1024)).length).toBeLessThanOrEqual(120);
  }
});

it("ends a sentence of a thousand characters even after an abbreviation", () => {
  const lengths = sentencesOf("see e.g. a ".repeat(1_000)).map(({ text }) => text.length);
  expect(Math.max(...lengths)).toBeLessThan(1_100);
});

it("splits a paragraph of many thousand characters between sentences only", () => {
  const said = Array.from({ length: 119 }, (_, at) => `Sentence ${at} has ${"some ".repeat(20)}words.`);
  expect(texts(said.join(" "))).toEqual(said);
});
