import { expect, it } from "vitest";
import { fits, rowsWithin, without } from "../../src/context/budget.ts";

const rows = (count: number) => Array<number>(count).fill(1);
const wide = { tokens: 1_000_000, bytes: 1000 };

it("shows as many rows as fit and not one more", () => {
  const render = (shown: number) => "x".repeat(500 + shown * 100);
  expect(rowsWithin(rows(4), wide, render)).toEqual({ shown: 4, text: render(4) });
  expect(rowsWithin(rows(5), wide, render)?.shown).toBe(5);
  expect(rowsWithin(rows(60), wide, render)?.shown).toBe(5);
  expect(rowsWithin(rows(0), wide, render)?.shown).toBe(0);
  expect(rowsWithin(rows(3), { tokens: 175, bytes: 1000 }, render)?.shown).toBe(2);
});

it("finds the last row that fits however the sizes are spread", () => {
  for (let fitting = 0; fitting < 50; fitting++) {
    const render = (shown: number) =>
      "x".repeat(shown === 0 ? 1 : shown <= fitting ? 999 - fitting + shown : 5000);
    expect(rowsWithin(rows(50), wide, render)?.shown).toBe(fitting);
  }
});

it("says so when not even a text without rows fits", () => {
  expect(rowsWithin(rows(5), { tokens: 10, bytes: 1000 }, () => "x".repeat(41))).toBeNull();
});

it("counts bytes, and a token for each letter that is not ASCII", () => {
  expect(fits("é".repeat(500), wide)).toBe(true);
  expect(fits("é".repeat(501), wide)).toBe(false);
  expect(fits("記".repeat(10), { tokens: 10, bytes: 1000 })).toBe(true);
  expect(fits("記".repeat(11), { tokens: 10, bytes: 1000 })).toBe(false);
});

it("is less by what stands beside the text", () => {
  expect(without({ tokens: 100, bytes: 1000 }, "x".repeat(40))).toEqual({ tokens: 89, bytes: 959 });
  expect(without(wide, "")).toEqual(wide);
});
