import { expect, test } from "vitest";
import { cosine, toInt8, unitVector } from "../../../src/recall/vectors/int8.ts";
import { clustered } from "../../helpers/some-vectors.ts";

test("bytes keep the cosine to within a thousandth", () => {
  const vectors = clustered(60, { dimension: 384 });
  for (const [at, one] of vectors.entries()) {
    const other = vectors[(at * 7 + 1) % vectors.length] ?? one;
    const exact = one.reduce((sum, value, place) => sum + value * (other[place] ?? 0), 0);
    expect(Math.abs(cosine(one, toInt8(other)) - exact)).toBeLessThan(0.001);
  }
});

test("a vector is as near to itself as can be, however long it was", () => {
  const unit = unitVector(Float32Array.from([3e9, -4e9, 0, 1]));
  expect(unit && cosine(unit, toInt8(unit))).toBeCloseTo(1, 3);
});

test.each([
  ["all zero", [0, 0]],
  ["with what is no number", [1, Number.NaN]],
  ["endless", [1, Number.POSITIVE_INFINITY]],
])("a vector that is %s has no direction", (_what, components) => {
  expect(unitVector(Float32Array.from(components))).toBeUndefined();
});
