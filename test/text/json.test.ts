import { expect, test } from "vitest";
import { isJsonObject, type Json, mapStrings } from "../../src/text/json.ts";

test("every string is replaced, with the nearest key beside it, and nothing else", () => {
  const value: Json = { a: "x", b: [1, "y", { c: "z" }], d: null, e: true, f: { g: ["w"] } };
  const mapped = mapStrings(value, (leaf, key) => `${key}:${leaf}`);
  expect(mapped).toEqual({ a: "a:x", b: [1, "b:y", { c: "c:z" }], d: null, e: true, f: { g: ["g:w"] } });
  expect(value).toMatchObject({ a: "x", b: [1, "y", { c: "z" }] });
});

test("a value in which nothing changes is returned as it is", () => {
  const value: Json = { a: ["x", { b: "y" }] };
  expect(mapStrings(value, (leaf) => leaf)).toBe(value);
});

test("a key that would reach a prototype stays an ordinary key", () => {
  const value: Json = JSON.parse('{"__proto__":"x"}');
  const mapped = mapStrings(value, (leaf) => leaf.toUpperCase());
  expect(JSON.stringify(mapped)).toBe('{"__proto__":"X"}');
});

test.each<[unknown, boolean]>([
  [{}, true],
  [[], false],
  [null, false],
  ["{}", false],
])("%j is a JSON object: %s", (value, expected) => {
  expect(isJsonObject(value)).toBe(expected);
});
