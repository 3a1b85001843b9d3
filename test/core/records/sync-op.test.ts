import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isNewerRevision, isUint64, readOpHead } from "../../../src/core/records/sync-op.ts";
import { canonicalJson, type Json } from "../../../src/text/json.ts";

describe("canonical JSON", () => {
  test("is one text for one value, whatever the order of its names", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value as Json);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
    );
    const [one, other]: Json[] = [
      { b: [1, { d: null, c: "" }], a: {} },
      { a: {}, b: [1, { c: "", d: null }] },
    ];
    expect(canonicalJson(one ?? null)).toBe(canonicalJson(other ?? null));
  });

  // Numeric names come first in every JavaScript object; the names of RFC 8785 sort by UTF-16 code units.
  test.each([
    ['{"b":1,"a":2}', '{"a":2,"b":1}'],
    ['{"10":1,"9":2}', '{"10":1,"9":2}'],
    [
      '{"\\u20ac":1,"\\r":2,"1":3,"\\ud83d\\ude00":4,"\\u0080":5,"\\u00f6":6,"\\ufb33":7}',
      '{"\\r":2,"1":3,"\u0080":5,"\u00f6":6,"\u20ac":1,"\u{1f600}":4,"\ufb33":7}',
    ],
    ['{"__proto__":1,"a":[1e21,0.000001,-0,1E-7]}', '{"__proto__":1,"a":[1e+21,0.000001,0,1e-7]}'],
  ])("of %s is %s", (text, canonical) => {
    expect(canonicalJson(JSON.parse(text))).toBe(canonical);
  });
});

test.each([
  ["{", /not a JSON object/],
  ["[]", /not a JSON object/],
  ['{"a":1}x', /not a JSON object/],
  ['{"a":1e400}', /not canonical/],
  ['{"9":2,"10":1}', /not canonical/],
  ['{"a":1,"a":1}', /not canonical/],
  ['{"a":"\\u0061"}', /not canonical/],
  ['{"a":"\\ud83d\\ude00"}', /not canonical/],
  ['{"a":"\ud83d"}', /not canonical/],
  ['{"a":"\\ud83d\\ud83d"}', /`v` must be 1/],
  ['{"\\n":1}', /`v` must be 1/],
  [`{"a":${"[".repeat(63)}${"]".repeat(63)}}`, /`v` must be 1/],
  [`{"a":${"[".repeat(64)}${"]".repeat(64)}}`, /nested/],
])("a body that is not one is refused: %s", (body, fault) => {
  expect(readOpHead(body)).toMatch(fault);
});

test.each([
  ["0", true],
  ["18446744073709551615", true],
  ["18446744073709551616", false],
  ["99999999999999999999", false],
  ["", false],
  ["00", false],
  ["1 ", false],
  ["١", false],
])("%j is a 64-bit number: %s", (text, expected) => {
  expect(isUint64(text)).toBe(expected);
});

test("revisions compare as numbers beyond 2^53", () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 2n ** 64n - 1n), fc.bigInt(0n, 2n ** 64n - 1n), (one, other) => {
      expect(isNewerRevision(String(one), String(other))).toBe(one > other);
    }),
  );
});

test("the clear part of a body is read beside what only devices read", () => {
  const head = { device: "d", kind: "key" as const, id: "r-1", revision: "7", deleted: true };
  expect(readOpHead(canonicalJson({ ...head, v: 1, sealed: "AAAA", nested: { a: [1] } }))).toEqual(head);
  expect(readOpHead("[".repeat(100_000))).toMatch(/nested/);
});
