import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { markedSection } from "../../src/text/marked-section.ts";

const { hasSection, withoutSection, withSection } = markedSection("folder context");

const lines = ["first", "second"];

function bytes(value: ReturnType<typeof withSection> | null): Buffer {
  if (value === null || !Buffer.isBuffer(value)) throw new Error(`not bytes: ${JSON.stringify(value)}`);
  return value;
}

describe("a file", () => {
  test("that did not exist is ours alone, and is gone with the section", () => {
    const made = bytes(withSection(null, lines));
    expect(made.toString()).toBe(
      "<!-- mem folder context begins (own) -->\nfirst\nsecond\n<!-- mem folder context ends -->\n",
    );
    expect(withoutSection(made)).toBeNull();
  });

  test.each([
    ["whole lines", "# Mine\n\ntext\n"],
    ["no end of its last line", "# Mine\ntext"],
    ["CRLF", "# Mine\r\ntext\r\n"],
    ["CRLF without its last", "# Mine\r\ntext"],
    ["nothing in it", ""],
    ["a BOM", "\ufeff# Mine\n"],
    ["empty lines at its end", "text\n\n\n"],
    ["a lone CR", "a\rb"],
  ])("with %s is byte for byte what it was once the section is taken out", (_what, text) => {
    const before = Buffer.from(text);
    const once = bytes(withSection(before, lines));
    expect(once.subarray(0, before.length)).toEqual(before);
    expect(hasSection(once)).toBe(true);
    expect(withoutSection(once)).toEqual(before);
    const twice = bytes(withSection(once, ["another"]));
    expect(twice.toString()).toContain("another");
    expect(twice.toString()).not.toContain("first");
    expect(withoutSection(twice)).toEqual(before);
    expect(withSection(twice, ["another"])).toEqual(twice);
  });

  test("restores any bytes without NUL, and never changes text around the section", () => {
    const some = fc.uint8Array({ min: 1, minLength: 1, maxLength: 60 }).map((array) => Buffer.from(array));
    fc.assert(
      fc.property(some, some, (before, after) => {
        const once = bytes(withSection(before, lines));
        expect(withoutSection(once)).toEqual(before);
        const typed = Buffer.concat([once, after]);
        const again = bytes(withSection(typed, ["another", "and more"]));
        expect(again.subarray(0, before.length)).toEqual(before);
        expect(again.subarray(-after.length)).toEqual(after);
      }),
    );
  });

  test.each(["\r", "a\r", "a\nb\r", "a\r\nb\r"])(
    "that ends with a bare carriage return is what it was: %j",
    (text) => {
      const once = bytes(withSection(Buffer.from(text), lines));
      const again = bytes(withSection(once, ["another"]));
      for (const file of [once, again]) expect(bytes(withoutSection(file)).toString()).toBe(text);
    },
  );

  test("keeps text that was typed behind the section on a separate line", () => {
    const once = bytes(withSection(Buffer.from("mine"), lines));
    const typed = Buffer.concat([once, Buffer.from("more\n")]);
    expect(bytes(withoutSection(typed)).toString()).toBe("mine\nmore\n");
  });

  test("that was ours alone stays when something was typed into it", () => {
    const typed = Buffer.concat([bytes(withSection(null, lines)), Buffer.from("mine\n")]);
    expect(bytes(withoutSection(typed)).toString()).toBe("mine\n");
  });

  const begin = "<!-- mem folder context begins (none) -->";
  const end = "<!-- mem folder context ends -->";
  test.each([
    ["no end", `${begin}\nx\n`],
    ["no beginning", `x\n${end}\n`],
    ["two of them", `${begin}\n${end}\n${begin}\n${end}\n`],
    ["the end first", `${end}\n${begin}\n`],
    ["text on the line of a mark", `see ${begin}\n${end}\n`],
    ["NUL bytes", "a\0b"],
  ])("whose section has %s is left alone", (_what, text) => {
    expect(withSection(Buffer.from(text), lines)).toHaveProperty("unsafe");
    expect(withoutSection(Buffer.from(text))).toHaveProperty("unsafe");
  });
});
