import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readCanonicalObject } from "../../src/text/canonical-json.ts";
import { canonicalJson, isJsonObject, type Json } from "../../src/text/json.ts";
import { volume } from "../helpers/volume.ts";

const levels = 64;

/** What the reader has to agree with: the text is parsed and written again. */
function isCanonical(text: string): boolean {
  try {
    const value: Json = JSON.parse(text);
    return isJsonObject(value) && canonicalJson(value) === text;
  } catch {
    return false;
  }
}

const oddTexts = fc.string({
  unit: fc.constantFrom(
    "a",
    "é",
    "€",
    "\u{1f600}",
    "\ud83d",
    "\ude00",
    '"',
    "\\",
    "\n",
    "\b",
    "\0",
    "\u000b",
    "\u001f",
    "\u007f",
    "\u2028",
  ),
  maxLength: 6,
});
const texts = fc.oneof(fc.string({ maxLength: 5 }), oddTexts);
const numbers = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer());
const { object: objects } = fc.letrec<{ object: Json; value: Json }>((tie) => ({
  object: fc.dictionary(texts, tie("value"), { maxKeys: 4 }),
  value: fc.oneof(
    { depthSize: "small" },
    texts,
    numbers,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 3 }),
    tie("object"),
  ),
}));

// What a fault or an attack puts between the characters of a text.
const pieces = fc.constantFrom(
  ..." \t\n{}[]:,\"\\0123456789.-+eEaunrtbf/'".split(""),
  "\\u",
  "\\u0041",
  "\\u0008",
  "\\u000b",
  "\\u000B",
  "\\u001f",
  "\\ud83d",
  "\\ude00",
  "\ud83d",
  "\ude00",
  "\u0001",
  '"a":1,',
  '"__proto__":1,',
  "true",
  "null",
  "1.0",
  "-0",
  "1e21",
  "é",
);

describe("an object of canonical JSON", () => {
  test("is read whatever it contains, with its scalar members", () => {
    fc.assert(
      fc.property(objects, (value) => {
        const text = canonicalJson(JSON.parse(JSON.stringify(value)));
        const scalars = Object.entries(JSON.parse(text)).filter(
          ([, member]) => typeof member !== "object" || member === null,
        );
        expect(readCanonicalObject(text, levels)).toEqual(new Map(scalars));
      }),
      { numRuns: volume(2_000) },
    );
  });

  test("with any change is read exactly when it is canonical again", () => {
    const edits = fc.array(fc.record({ at: fc.nat(), remove: fc.nat(2), piece: pieces }), {
      minLength: 1,
      maxLength: 3,
    });
    let canonical = 0;
    const numRuns = volume(8_000);
    fc.assert(
      fc.property(objects, edits, (value, changes) => {
        let text = canonicalJson(JSON.parse(JSON.stringify(value)));
        for (const { at, remove, piece } of changes) {
          const place = at % (text.length + 1);
          text = text.slice(0, place) + piece + text.slice(place + remove);
        }
        if (isCanonical(text)) canonical += 1;
        expect(readCanonicalObject(text, levels) !== undefined, text).toBe(isCanonical(text));
      }),
      { numRuns },
    );
    expect(canonical).toBeGreaterThan(numRuns / 40);
  });

  test.each([
    ["{}", true],
    ["", false],
    ["{", false],
    ["[]", false],
    ["null", false],
    ['{"a":1}x', false],
    ['{"a":}', false],
    ['{"a":1,}', false],
    ['{"a"}', false],
    ['{"a":[1,]}', false],
    ['{"a":--1}', false],
    ['{"a":1e400}', false],
    ['{"a":tru}', false],
    ['{"10":1,"9":2}', true],
    ['{"9":2,"10":1}', false],
    ['{"a":1,"a":1}', false],
    ['{"a":"\\u0061"}', false],
    ['{"a":"\\/"}', false],
    ['{"\\n":1}', true],
    ['{"\\n":1,"\\u0001":2}', false],
    ['{"a":"\\ud83d\\ude00"}', false],
    ['{"a":"\\ud83d\\ud83d"}', true],
    ['{"a":"\ud83d"}', false],
  ])("%j is read: %s", (text, expected) => {
    expect(isCanonical(text)).toBe(expected);
    expect(readCanonicalObject(text, levels) !== undefined).toBe(expected);
  });

  test("is read to the given depth, and no deeper", () => {
    const nested = (depth: number) => `{"a":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;
    expect(readCanonicalObject(nested(levels), levels)).toBeDefined();
    expect(readCanonicalObject(nested(levels + 1), levels)).toBeUndefined();
    expect(readCanonicalObject(`{"a":${'{"a":'.repeat(100_000)}`, levels)).toBeUndefined();
  });
});
