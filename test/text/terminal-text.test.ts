import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  cutToWidth,
  displayWidth,
  padToWidth,
  terminalLine,
  terminalText,
  wrapListLine,
  wrapToWidth,
} from "../../src/text/terminal-text.ts";
import { volume } from "../helpers/volume.ts";

test.each([
  ["a colour", "\x1b[31mred\x1b[0m", "red"],
  ["a colour in C1", "\x9b31mred", "red"],
  ["a clear screen", "\x1b[2J\x1b[Hx", "x"],
  ["a clipboard write", "a\x1b]52;c;ZXZpbA==\x07b", "ab"],
  ["a clipboard write ended by ST", "a\x1b]52;c;ZXZpbA==\x1b\\b", "ab"],
  ["a link", "\x1b]8;;https://evil.example\x1b\\text\x1b]8;;\x1b\\", "text"],
  ["a title change", "\x1b]0;title\x07x", "x"],
  ["a device string", "\x1bPq#0;2\x1b\\x", "x"],
  ["an unfinished string", "a\x1b]0;never ended\nnext", "a\nnext"],
  ["a reset", "\x1bcx", "x"],
  ["a character set change", "\x1b(0x", "x"],
  ["a lone escape at the end", "x\x1b", "x"],
  ["a carriage return that overwrites", "harmless\rrm", "harmlessrm"],
  ["a Windows line end", "a\r\nb", "a\nb"],
  ["a backspace", "ab\bc", "abc"],
  ["a bidi override", "a\u202eb\u2066c", "abc"],
  ["an invisible tag letter", "a\u{e0041}b", "ab"],
  ["tab and newline, which stay", "a\tb\nc", "a\tb\nc"],
  ["letters of other scripts, which stay", "שלום 日本 é 👩‍💻", "שלום 日本 é 👩‍💻"],
])("%s reaches the terminal as it should", (_, text, expected) => {
  expect(terminalText(text)).toBe(expected);
});

test("removes every control character, and a second pass changes nothing", () => {
  const pieces = fc.array(
    fc.oneof(
      fc.constantFrom(
        "\x1b",
        "\x1b[",
        "\x1b]52;c;",
        "\x9b",
        "\x9d",
        "\x07",
        "\x1b\\",
        "\r",
        "\n",
        "m",
        "2J",
        "\u202e",
        "\\",
      ),
      fc.string({ unit: "binary" }),
    ),
  );
  void fc.assert(
    fc.property(pieces, (parts) => {
      const shown = terminalText(parts.join(""));
      // biome-ignore lint/suspicious/noControlCharactersInRegex: that none is left is what is tested
      expect(shown).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
      expect(terminalText(shown)).toBe(shown);
    }),
    { numRuns: volume(2000) },
  );
});

test("a line has no line breaks and no runs of white space", () => {
  expect(terminalLine(" a\r\n\tb \u2028 c ")).toBe("a b c");
});

test("widths are counted in columns, and a cut text is never wider than asked", () => {
  expect(displayWidth("日本e\u0301")).toBe(5);
  expect(padToWidth("日", 4)).toBe("日  ");
  void fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.nat(20), (text, columns) => {
      expect(displayWidth(cutToWidth(text, columns))).toBeLessThanOrEqual(columns);
    }),
  );
});

test("wrapped text keeps every word and its lines, and breaks only between words", () => {
  expect(wrapToWidth("one two three\n\nfour", 8)).toEqual(["one two", "three", "", "four"]);
  expect(wrapToWidth("日本 日本 a", 6)).toEqual(["日本", "日本 a"]);
  expect(wrapToWidth("a-word-that-is-too-long b", 5)).toEqual(["a-word-that-is-too-long", "b"]);
});

test("a wrapped list line goes on below its text", () => {
  expect(wrapListLine("  - one two three four five six seven", 24)).toEqual([
    "  - one two three four",
    "    five six seven",
  ]);
  expect(wrapListLine("- short", 24)).toEqual(["- short"]);
});

test.each([
  ["an emoji", "\u{1f44d}", 2],
  ["a check mark as an emoji", "\u2705", 2],
  ["a heart made an emoji", "\u2764\ufe0f", 2],
  ["a skin tone", "\u{1f44d}\u{1f3fd}", 2],
  ["a family", "\u{1f469}\u200d\u{1f469}\u200d\u{1f467}", 2],
  ["a flag", "\u{1f1e9}\u{1f1ea}", 2],
  ["a keycap", "1\ufe0f\u20e3", 2],
  ["letters joined without an emoji", "\u0915\u094d\u200d\u0937", 2],
])("%s has the width that terminals give it", (_what, text, width) => {
  expect(displayWidth(`a${text}b`)).toBe(width + 2);
  expect(cutToWidth(`${text}${text}xx`, 3)).toBe(`${text}…`);
});
