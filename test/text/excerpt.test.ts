import { describe, expect, it } from "vitest";
import { excerpt } from "../../src/text/excerpt.ts";

describe("excerpt", () => {
  const rows: [string, number, string][] = [
    ["short", 10, "short"],
    ["  two\n\n lines\t", 20, "two lines"],
    ["exactly ten", 11, "exactly ten"],
    ["one word more than fits", 12, "one word mo…"],
    ["one word more", 5, "one…"],
    ["", 5, ""],
    ["ab😀cd", 4, "ab…"],
  ];
  it.each(rows)("shows %j in %i characters", (text, maxChars, line) => {
    expect(excerpt(text, maxChars)).toBe(line);
  });

  it("never exceeds its length and says when it left something out", () => {
    const line = excerpt(`${" ".repeat(5000)}word`, 20);
    expect(line.length).toBeLessThanOrEqual(20);
    expect(line.endsWith("…")).toBe(true);
  });
});
