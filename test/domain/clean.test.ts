import { expect, test } from "vitest";
import { cleanJson, cleanText } from "../../src/domain/clean.ts";
import type { Json } from "../../src/domain/json.ts";

const github = `ghp_${"a1B2".repeat(9)}`;
const hex = "0f1e2d3c4b5a69788796a5b4c3d2e1f0";

test("private parts go first, then secrets, also one that a tag had cut in two", () => {
  expect(cleanText(`a <private>x</private> ${github}`)).toBe("a  [redacted:github-token]");
  expect(cleanText(`ghp_${"a1B2".repeat(4)}<private>x</private>${"a1B2".repeat(5)}`)).toBe(
    "[redacted:github-token]",
  );
});

test.each<[string, Json, Json]>([
  ["a leaf at any depth", { a: [{ b: `x ${github}` }] }, { a: [{ b: "x [redacted:github-token]" }] }],
  ["a private part of a leaf", { a: ["<private>x</private>y"] }, { a: ["y"] }],
  ["a leaf whose key names a secret", { api_key: hex, id: hex }, { api_key: "[redacted:api-key]", id: hex }],
  [
    "every entry of a list under such a key",
    { api_keys: [hex, hex] },
    { api_keys: ["[redacted:api-key]", "[redacted:api-key]"] },
  ],
  [
    "the argument after a flag",
    ["run", "--password", "swordfish", hex],
    ["run", "--password", "[redacted:password]", hex],
  ],
  [
    "a value beside its name",
    [{ name: "DB_PASSWORD", value: "swordfish" }],
    [{ name: "DB_PASSWORD", value: "[redacted:password]" }],
  ],
  [
    "a header beside its name",
    { key: "Authorization", value: `Basic ${hex}` },
    { key: "Authorization", value: "Basic [redacted:authorization]" },
  ],
  [
    "keys that are secrets",
    { [github]: 1, [github.replace("a", "b")]: 2 },
    { "[redacted:github-token]": 1, "[redacted:github-token] (2)": 2 },
  ],
  ["a key that carries a tag", { "a<private>x</private>": 1 }, { a: 1 }],
  ["other values", { a: 1, b: null, c: true }, { a: 1, b: null, c: true }],
])("%s is cleaned", (_, value, cleaned) => {
  expect(cleanJson(value)).toEqual(cleaned);
  expect(cleanJson(cleaned)).toBe(cleaned);
});

test("a value in which nothing changes is returned as it is, and none is changed in place", () => {
  const clean = { command: "ls", lines: ["a", { b: "c" }] };
  expect(cleanJson(clean)).toBe(clean);
  const dirty = { lines: [github] };
  cleanJson(dirty);
  expect(dirty.lines).toEqual([github]);
});

test("a pair whose halves stand in two leaves hides to the end of the first alone", () => {
  expect(cleanJson(["a <private>x", "y</private> b"])).toEqual(["a ", "y b"]);
});

test("a key that would reach a prototype stays an ordinary key", () => {
  const value: Json = JSON.parse(`{"__proto__":"${github}"}`);
  expect(JSON.stringify(cleanJson(value))).toBe('{"__proto__":"[redacted:github-token]"}');
});
