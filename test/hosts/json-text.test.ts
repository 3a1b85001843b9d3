// Changing single values of JSON text, and undoing it byte for byte.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Edited,
  type Insertion,
  insert,
  type JsonNode,
  type JsonSyntax,
  memberOf,
  parseJson,
  parseJsonText as parseText,
  withoutInsertions,
  withoutItem,
} from "../../src/hosts/json-text.ts";

const styles: [string, (value: unknown) => string][] = [
  ["one line", (value) => JSON.stringify(value)],
  ["two spaces", (value) => JSON.stringify(value, null, 2)],
  ["tabs and a line feed at the end", (value) => `${JSON.stringify(value, null, "\t")}\n`],
  ["carriage returns", (value) => JSON.stringify(value, null, 4).replaceAll("\n", "\r\n")],
  ["a byte order mark", (value) => `\uFEFF${JSON.stringify(value, null, 2)}`],
];

const parseJsonText = (text: string): JsonNode => parseText(text, "json");

function insertedInto(text: string, node: JsonNode, value: unknown, key?: string): Edited {
  const edited: Edited = { text, insertions: [] };
  insert(edited, node, value, key);
  return edited;
}

function textOf(text: string, node: JsonNode): string {
  return text.slice(node.start, node.end);
}

describe.each(styles)("JSON with %s", (_name, write) => {
  test("is found where it stands", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (given) => {
        const text = write(given);
        const root = parseJsonText(text);
        for (const [key, value] of Object.entries(given)) {
          const member = memberOf(root, key);
          expect(member && JSON.parse(textOf(text, member.value))).toEqual(JSON.parse(JSON.stringify(value)));
        }
      }),
    );
  });

  test("gets a member that reads back, changes nothing else, and goes without a trace", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), (given, value) => {
        const { "new key": _, ...without } = given;
        const text = write(without);
        const { text: changed, insertions } = insertedInto(text, parseJsonText(text), value, "new key");
        expect(JSON.parse(changed.replace("\uFEFF", ""))).toEqual(
          JSON.parse(JSON.stringify({ ...without, "new key": value })),
        );
        expect(withoutInsertions(changed, insertions)).toBe(text);
        const root = parseJsonText(changed);
        const member = memberOf(root, "new key");
        expect(member && JSON.parse(withoutItem(changed, root, member).replace("\uFEFF", ""))).toEqual(
          JSON.parse(JSON.stringify(without)),
        );
      }),
    );
  });

  test("gets an element behind the others, and loses any one of them", () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue(), { maxLength: 5 }),
        fc.jsonValue(),
        fc.nat(5),
        (given, value, index) => {
          const text = write({ list: given });
          const list = (of: string): JsonNode =>
            memberOf(parseJsonText(of), "list")?.value ?? parseJsonText(of);
          const { text: changed } = insertedInto(text, list(text), value);
          const expected: unknown[] = JSON.parse(JSON.stringify([...given, value]));
          expect(JSON.parse(textOf(changed, list(changed)))).toEqual(expected);
          const node = list(changed);
          const at = index % expected.length;
          const gone = node.items[at];
          const left = withoutItem(changed, node, gone ?? node);
          expect(JSON.parse(textOf(left, list(left)))).toEqual(expected.toSpliced(at, 1));
        },
      ),
    );
  });
});

test("an insertion follows the indentation around it", () => {
  const text = '{\n    "a": [\n        1\n    ]\n}\n';
  const list = memberOf(parseJsonText(text), "a")?.value ?? parseJsonText(text);
  expect(insertedInto(text, list, { b: 2 }).text).toBe(
    '{\n    "a": [\n        1,\n        {\n            "b": 2\n        }\n    ]\n}\n',
  );
});

test.each<[JsonSyntax, string, string]>([
  ["json5", '{\n  "a": 1,\n  b: oops }', "invalid character 'o' in line 3, column 6"],
  ["json5", '{\n  "a": "b\n}', "invalid line break in line 2, column 10"],
  ["json", '{\n  "a": 1,\n  "b": ', "invalid end of input in line 3, column 8"],
  ["json", '{\n  "a": "// x", // mine\n  "b": 1 }', "in line 2, column 16"],
  ["json", '{\n  "a": [1, 2,] }', "in line 2, column 13"],
  ["json", "{ 'a': 1 }", "in line 1, column 3"],
])("a mistake in %s %j is named with its line and column", (syntax, text, where) => {
  expect(() => parseJson(text, syntax)).toThrow(where);
});

test("of several members with one name the last is meant, as JSON.parse means it", () => {
  const text = '{"a": 1, "a": 2}';
  const member = memberOf(parseJsonText(text), "a");
  expect(member && textOf(text, member.value)).toBe("2");
});

test.each(["", "{", '{"a": 1,}', '{"a": 1} // why', "{'a': 1}", '{"a": NaN}'])("%j is no JSON", (text) => {
  expect(() => parseJsonText(text)).toThrow(SyntaxError);
});

test("insertions that are not there any more are not taken out", () => {
  const insertion: Insertion = { at: 1, text: '"a": 1' };
  expect(withoutInsertions('{"b": 1}', [insertion])).toBeNull();
});

const commented: [string, string][] = [
  ["[\n  1, // one\n]", "[\n  1, // one\n  2,\n]"],
  ["[\n  1 // one\n  // end\n]", "[\n  1, // one\n  2\n  // end\n]"],
  ["[\n  1, /* one */ // and\n]", "[\n  1, /* one */ // and\n  2,\n]"],
  ["[\n  1,\n]", "[\n  1,\n  2,\n]"],
  ["[1 /* one */]", "[1,2 /* one */]"],
  ["[1,]", "[1,2,]"],
  ["// top\n[]", "// top\n[\n  2\n]"],
];

test.each(commented)("an element goes into %j beside the comments, and out again", (before, after) => {
  const inserted = insertedInto(before, parseText(before, "json5"), 2);
  expect(inserted.text).toBe(after);
  expect(withoutInsertions(after, inserted.insertions)).toBe(before);
  const list = parseText(after, "json5");
  const last = list.items.at(-1);
  expect(withoutItem(after, list, last ?? list)).toBe(before);
});

test.each([
  ["{a: 1, /* of b */ b: 2}", "a", "{/* of b */ b: 2}"],
  ["{a: 1, b: 2 /* of b */,}", "b", "{a: 1, /* of b */}"],
  ["{\n  // of a\n  a: 1,\n  b: 2,\n}", "a", "{\n  // of a\n  b: 2,\n}"],
  ["{'it\\'s': 1, \"b\": 2}", "it's", '{"b": 2}'],
])("%j loses the member %s and no comment", (before, key, after) => {
  const object = parseText(before, "json5");
  const member = memberOf(object, key);
  expect(withoutItem(before, object, member ?? object)).toBe(after);
});
