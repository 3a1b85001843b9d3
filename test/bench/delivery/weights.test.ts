import { expect, test } from "vitest";
import { withOverride } from "./weights.mjs";

const override = { module: "src/a.ts", constant: "weights", values: { cause: 2 } };

test("sets the values when the module is loaded, of rows as well", async () => {
  const source = "export const weights = { cause: 1, base: 3 }; export const rows = [[1, 5], [2, 6]];";
  const inRow = { module: "src/a.ts", constant: "rows", values: { 1: { 0: 9 } } };
  const code = withOverride(withOverride(source.replaceAll("; ", ";\n"), override), inRow);
  const loaded = await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(code)}`);
  expect({ ...loaded }).toEqual({
    weights: { cause: 2, base: 3 },
    rows: [
      [1, 5],
      [9, 6],
    ],
  });
});

test("rejects a constant that the module does not declare", () => {
  expect(() => withOverride("const weight = {};", override)).toThrow("src/a.ts declares no constant weights");
});
