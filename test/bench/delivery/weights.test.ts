import { expect, test } from "vitest";
import { withOverride } from "./weights.mjs";

const override = { module: "src/a.ts", constant: "weights", values: { cause: 2 } };

test("sets the values when the module is loaded", () => {
  const source = "export const weights = { cause: 1, base: 3 };";
  expect(withOverride(source, override)).toBe(`${source}\nObject.assign(weights, {"cause":2});\n`);
});

test("rejects a constant that the module does not declare", () => {
  expect(() => withOverride("const weight = {};", override)).toThrow("src/a.ts declares no constant weights");
});
