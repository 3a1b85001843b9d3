// The telling line of a failed command's output.
import { expect, it } from "vitest";
import { tellingLine } from "../../../src/statements/commands/fix-text.ts";

const rows: [output: string, line: string][] = [
  ["a.c:3:5: error: 'x' undeclared\nmake: *** [all] Error 1", "a.c:3:5: error: 'x' undeclared"],
  [
    'FAIL a.test.ts\n  ● posts\n\n    relation "a" does not exist\n\nTests: 1 failed',
    'relation "a" does not exist',
  ],
  [
    "loading conf\nsettings.ImproperlyConfigured: no module set",
    "settings.ImproperlyConfigured: no module set",
  ],
  ["Fehler in f(x) :\n  keine Datenbank\nAbbruch", "Fehler in f(x) : keine Datenbank"],
  ["building\n> Unsupported class file major version 65", "Unsupported class file major version 65"],
  ["step one\nstep two", "step two"],
  ["", ""],
];

it.each(rows)("of %j it is %j", (output, line) => {
  expect(tellingLine(output)).toBe(line);
});

it("is short", () => {
  expect(tellingLine(`Error: ${"long ".repeat(100)}`).length).toBeLessThanOrEqual(110);
});
