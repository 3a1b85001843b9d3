import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { shorten, shortenJson, shortenPrompt } from "../../src/core/shorten.ts";
import type { Json } from "../../src/text/json.ts";
import { volume } from "../helpers/volume.ts";

const halfPair = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

const log = (lines: number) => "12:00:01 INFO it runs\n".repeat(lines);

describe("a long prompt", () => {
  test.each([
    ["below a log", `${log(30_000)}\nnow fix the login`],
    ["between two logs", `${log(15_000)}\nnow fix the login\n\n${log(15_000)}`],
    [
      "of 40,000 characters between two logs",
      `${log(9_000)}\n${"now fix it. ".repeat(3_400)}\n\n${log(9_000)}`,
    ],
  ])("keeps a request %s whole", (_where, prompt) => {
    const request = prompt.split("\n").find((line) => line.startsWith("now")) ?? "";
    const short = shortenPrompt(prompt, 65_536);
    expect(short).toContain(`\n${request}`);
    expect(short.length).toBeLessThanOrEqual(65_536);
    expect(short).toMatch(/^12:00:01[\s\S]*\[… \d+ characters left out …\]/);
    expect(shortenPrompt(short, 65_536)).toBe(short);
  });

  test("that was typed keeps head and tail", () => {
    const text = "now fix it. ".repeat(10_000);
    expect(shortenPrompt(text, 65_536)).toBe(shorten(text, 65_536));
    expect(shortenPrompt(text, 200_000)).toBe(text);
  });
});

describe("shorten", () => {
  test("a text that fits is returned as it is", () => {
    expect(shorten("x".repeat(100), 100)).toBe("x".repeat(100));
  });

  test("head and tail stay, and the marker counts what is gone", () => {
    const text = `HEAD${"x".repeat(9992)}TAIL`;
    const short = shorten(text, 1000);
    const [, head = "", count = "", tail = ""] =
      /^(.*)\n\[… (\d+) characters left out …\]\n(.*)$/s.exec(short) ?? [];
    expect(short.length).toBeLessThanOrEqual(1000);
    expect(head).toMatch(/^HEAD/);
    expect(tail).toMatch(/TAIL$/);
    expect([head.length, tail.length]).toEqual([600, 300]);
    expect(head.length + Number(count) + tail.length).toBe(text.length);
  });

  test("no length is exceeded and no surrogate pair is split, whatever the text", () => {
    // With halves nearly every text has one, so that it would not show when a pair is split.
    const texts = ["", "\ud83d"].map((half) => fc.constantFrom("a", "😀", "é", half, "\n", "日"));
    const anyText = fc.oneof(...texts.map((unit) => fc.string({ unit, maxLength: 400, size: "max" })));
    void fc.assert(
      fc.property(anyText, fc.nat(300), (text, maxChars) => {
        const short = shorten(text, maxChars);
        expect(short.length).toBeLessThanOrEqual(maxChars);
        if (!halfPair.test(text)) expect(short).not.toMatch(halfPair);
      }),
      { numRuns: volume(2000) },
    );
  });

  test("no half of a redaction placeholder is left, wherever the cut falls", () => {
    const mark = "[redacted:aws-key]";
    for (let shift = 0; shift < 40; shift++) {
      const text = `${"x".repeat(560 + shift)}${mark}${"y".repeat(5000)}${mark}${"z".repeat(300 - shift)}`;
      const left = shorten(text, 1000).replaceAll(mark, "");
      expect(left).toMatch(/^x+y*\n\[… \d+ characters left out …\]\ny*z+$/);
    }
  });
});

describe("shortenJson", () => {
  const size = (value: Json) => JSON.stringify(value).length;

  test("a value that fits is the same value", () => {
    const value = { stdout: "x".repeat(900) };
    expect(shortenJson(value, 1000)).toBe(value);
  });

  test("the longest strings are shortened, short ones and other values stay", () => {
    const value = {
      stdout: `HEAD${"x".repeat(50_000)}TAIL`,
      stderr: "warning",
      code: 1,
      lines: ["a", "y".repeat(50_000)],
    };
    const short = shortenJson(value, 4000);
    expect(size(short)).toBeLessThanOrEqual(4000);
    expect(size(short)).toBeGreaterThan(3000);
    expect(short).toMatchObject({
      stderr: "warning",
      code: 1,
      lines: ["a", expect.stringContaining("left out")],
    });
    expect(short).toHaveProperty("stdout", expect.stringMatching(/^HEAD.*TAIL$/s));
  });

  test("a text full of escapes fits too", () => {
    const value = { stdout: '\u0001"\\\n'.repeat(50_000), plain: "x".repeat(50_000) };
    expect(size(shortenJson(value, 4000))).toBeLessThanOrEqual(4000);
  });

  test("a long list keeps its head and tail and says how many entries are gone", () => {
    const value = { rows: Array.from({ length: 50_000 }, (_, index) => ({ index, name: `row ${index}` })) };
    const short = shortenJson(value, 8000);
    expect(size(short)).toBeLessThanOrEqual(8000);
    expect(short).toHaveProperty("rows.0", { index: 0, name: "row 0" });
    expect(JSON.stringify(short)).toContain('"row 49999"');
    expect(JSON.stringify(short)).toMatch(/"\[… \d+ entries left out …\]"/);
  });

  test("an object with very many keys, or a very long one, is bounded as well", () => {
    const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`key${index}`, index]));
    expect(size(shortenJson(many, 8000))).toBeLessThanOrEqual(8000);
    expect(size(shortenJson({ ["k".repeat(50_000)]: 1 }, 8000))).toBeLessThanOrEqual(8000);
    expect(
      size(
        shortenJson(
          Array.from({ length: 5000 }, () => Array(50).fill([[1], [2]])),
          3000,
        ),
      ),
    ).toBeLessThanOrEqual(3000);
  });

  test("any value is bounded by any limit, and stays what it was when it fits", () => {
    void fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.integer({ min: 2, max: 400 }), (drawn, maxChars) => {
        const value: Json = JSON.parse(JSON.stringify(drawn));
        const short = shortenJson(value, maxChars);
        if (size(value) <= maxChars) expect(short).toBe(value);
        else expect(size(short)).toBeLessThanOrEqual(maxChars);
      }),
      { numRuns: volume(2000) },
    );
  });
});
