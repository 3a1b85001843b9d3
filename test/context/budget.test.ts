import { expect, it } from "vitest";
import { maxContextChars, renderWithin } from "../../src/context/budget.ts";

it("renders as many rows as fit and not one more", () => {
  const render = (shown: number) => "x".repeat(500 + shown * 90);
  expect(renderWithin(40, render)).toHaveLength(500 + 40 * 90);
  expect(renderWithin(100, render)).toHaveLength(maxContextChars);
  expect(renderWithin(101, render)).toHaveLength(maxContextChars);
  expect(renderWithin(0, render)).toHaveLength(500);
});
