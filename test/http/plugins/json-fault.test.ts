import { expect, test } from "vitest";
import { jsonFault } from "../../../src/http/plugins/json-fault.ts";
import { createRandom } from "../../helpers/random.ts";
import { volume } from "../../helpers/volume.ts";

test.each<[text: string, position: number, expected: string]>([
  ["{", 1, "a name in double quotes or }"],
  ['{"a"', 4, "a colon"],
  ['{"a":}', 5, "a value"],
  ['{"a":1,}', 7, "a name in double quotes"],
  ["{'a':1}", 1, "a name in double quotes or }"],
  ['{"a":1 "b":2}', 7, "a comma or the closing bracket"],
  ["[1,]", 3, "a value"],
  ["[1}", 2, "a comma or the closing bracket"],
  ["{} {}", 3, "the end of the body"],
  ["NaN", 0, "a value"],
  ["[01]", 2, "a comma or the closing bracket"],
  ['{"a":"x', 7, "a closing double quote"],
  ['["a\nb"]', 3, "an escaped character"],
  ['["\\x"]', 2, "an escaped character"],
])("%j is no JSON from %i on, where %s could stand", (text, position, expected) => {
  expect(jsonFault(text)).toMatchObject({ position, expected });
});

test("reports the place also as line and column", () => {
  expect(jsonFault('{\n  "a": 1,\n  b: 2\n}')).toEqual({
    ...{ position: 14, line: 3, column: 3 },
    expected: "a name in double quotes",
  });
});

test("what JSON.parse takes has no fault, and what it refuses has one", () => {
  const random = createRandom(7);
  const pieces = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"a"',
    '"',
    "1",
    "-",
    "0",
    ".5",
    "e3",
    "true",
    "nul",
    "\\",
    "\n",
    " ",
  ];
  for (let round = 0; round < volume(20_000); round += 1) {
    const text = Array.from({ length: random.between(1, 8) }, () => random.pick(pieces)).join("");
    let isJson = true;
    try {
      JSON.parse(text);
    } catch {
      isJson = false;
    }
    expect(jsonFault(text) === undefined, text).toBe(isJson);
  }
});
