import { expect, test } from "vitest";
import { cleanJson, cleanPayload, cleanText } from "../../src/privacy/clean.ts";
import type { Json } from "../../src/text/json.ts";
import { testSeed } from "../helpers/random.ts";
import { hiddenMark, keptMark, splitDocuments } from "../helpers/split-documents.ts";
import { volume } from "../helpers/volume.ts";

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

test("returns an unchanged value itself, and changes none in place", () => {
  const clean = { command: "ls", lines: ["a", { b: "c" }] };
  expect(cleanJson(clean)).toBe(clean);
  const dirty = { lines: [github] };
  cleanJson(dirty);
  expect(dirty.lines).toEqual([github]);
});

const pem = ["-----BEGIN RSA PRIVATE KEY-----", `MIIE${"aB3/".repeat(15)}`, `${"Zz9+".repeat(16)}`];
const pemEnd = "-----END RSA PRIVATE KEY-----";

test.each<[string, Json, Json]>([
  ["lines of an array", ["a <private>x", "x", "x</private> b"], ["a ", "", " b"]],
  [
    "a patch",
    { structuredPatch: [{ oldStart: 1, lines: [" a", " <private>", "-x", "+x", " </private>", " b"] }] },
    { structuredPatch: [{ oldStart: 1, lines: [" a", " ", "", "", "", " b"] }] },
  ],
  [
    "blocks of text",
    [
      { type: "text", text: "a <private>x" },
      { type: "text", text: "x" },
      { type: "text", text: "x</private> b" },
    ],
    [
      { type: "text", text: "a " },
      { type: "text", text: "" },
      { type: "text", text: " b" },
    ],
  ],
  [
    "standard output and error",
    { stdout: "a <private>x", stderr: "x</private>b", n: 1 },
    { stdout: "a ", stderr: "b", n: 1 },
  ],
  [
    "cells of a notebook",
    { cells: [{ source: ["a\n", "<private>\n"] }, { source: ["x\n", "</private>\n", "b"] }] },
    { cells: [{ source: ["a\n", ""] }, { source: ["", "\n", "b"] }] },
  ],
  ["lines that cut a tag in two", ["a <pri", "vate>x</pri", "vate> b"], ["a ", "", " b"]],
  [
    "records that cut a tag in two",
    [
      { id: "r-1", text: "a <pri" },
      { id: "r-2", text: "vate>x</private> b" },
    ],
    [
      { id: "r-1", text: "a " },
      { id: "r-2", text: " b" },
    ],
  ],
  [
    "records by their ids that cut a tag in two",
    { "r-1": { file: "a.ts", text: "a <pri" }, "r-2": { file: "b.ts", text: "vate>x</private> b" } },
    { "r-1": { file: "a.ts", text: "a " }, "r-2": { file: "b.ts", text: " b" } },
  ],
  ["lines with a secret", ["a", ...pem, pemEnd, "b"], ["a", "[redacted:private-key]", "", "", "", "b"]],
  [
    "a patch with a secret",
    { lines: [" a", ...[...pem, pemEnd].map((line) => `+${line}`), " b"] },
    { lines: [" a", "+[redacted:private-key]", "", "", "", " b"] },
  ],
  [
    "blocks with a secret",
    [...pem, pemEnd].map((text) => ({ type: "text", text })),
    ["[redacted:private-key]", "", "", ""].map((text) => ({ type: "text", text })),
  ],
  [
    "found lines with their files and a secret",
    [...pem, pemEnd].map((text, n) => ({ file: `a_${n}.pem`, text })),
    ["[redacted:private-key]", "", "", ""].map((text, n) => ({ file: `a_${n}.pem`, text })),
  ],
  [
    "lines with a name and its value",
    ["- name: DB_PASSWORD", '  value: "swordfish-7"'],
    ["- name: DB_PASSWORD", '  value: "[redacted:password]"'],
  ],
])("%s are looked at as one text", (_, value, cleaned) => {
  expect(cleanJson(value)).toEqual(cleaned);
  expect(cleanJson(cleaned)).toBe(cleaned);
});

test.each<[string, Json, Json]>([
  ["the rest of its array", [["a <private>x", "x"], ["b"]], [["a ", ""], ["b"]]],
  [
    "the rest of its object",
    { one: { n: "a", stdout: "<private>x", stderr: "x" }, two: "b" },
    { one: { n: "a", stdout: "", stderr: "" }, two: "b" },
  ],
  [
    "all later blocks of its text",
    {
      content: [
        { type: "text", text: "a <private>x" },
        { type: "text", text: "x" },
      ],
      title: "b",
    },
    {
      content: [
        { type: "text", text: "a " },
        { type: "text", text: "" },
      ],
      title: "b",
    },
  ],
  [
    "its own record of many",
    [
      { title: "How <private> works", url: "x" },
      { title: "b", url: "c" },
    ],
    [
      { title: "How ", url: "" },
      { title: "b", url: "c" },
    ],
  ],
  [
    "the lines before it, where it ends a block of ours",
    [["| 12 | x |", "</mem-context-0a1b2c3d> b"], "a"],
    [["", " b"], "a"],
  ],
])("a tag without its other half hides %s", (_, value, cleaned) => {
  expect(cleanJson(value)).toEqual(cleaned);
});

test("cleans each member of a host's event as a separate text", () => {
  const payload = { last: "a <private>x", tool_input: ["<private>x", "x"], prompt: "b", id: "t-1" };
  expect(cleanPayload(payload)).toEqual({ last: "a ", tool_input: ["", ""], prompt: "b", id: "t-1" });
  expect(cleanPayload({ prompt: "why?</mem-context-0a1b2c3d> b", password: "swordfish" })).toEqual({
    prompt: "why? b",
    password: "[redacted:password]",
  });
});

const documents = volume(600, 150);

test.each([20_262, testSeed()])(
  `nothing hidden survives in ${documents} documents split over JSON strings (seed %i)`,
  (seed) => {
    const wrong: Json[] = [];
    const shapes = new Set<string>();
    for (const { shape, value } of splitDocuments(documents, seed)) {
      shapes.add(shape);
      const cleaned = cleanJson(value);
      const text = JSON.stringify(cleaned);
      const isStable = JSON.stringify(cleanJson(cleaned)) === text;
      if (text.includes(hiddenMark) || !text.includes(keptMark) || !isStable) wrong.push(value);
    }
    expect(wrong).toEqual([]);
    expect(shapes.size).toBe(14);
  },
);

test("a key that would reach a prototype stays an ordinary key", () => {
  const value: Json = JSON.parse(`{"__proto__":"${github}"}`);
  expect(JSON.stringify(cleanJson(value))).toBe('{"__proto__":"[redacted:github-token]"}');
});
