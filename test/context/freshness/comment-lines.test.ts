import { expect, test } from "vitest";
import { isOnlyComments } from "../../../src/context/freshness/comment-lines.ts";

test.each([
  ["a.ts", "\n// One.\n  /* two\n three */\n"],
  ["a.py", "# One.\n#!/bin/sh\n"],
  ["a.sql", "-- One.\n"],
  ["a.ini", "; One.\n# Two.\n"],
  ["a.md", "<!-- One.\n\nTwo. -->\n"],
  ["a.md", "\n\n"],
])("only comments and blank lines in %s", (path, text) => {
  expect(isOnlyComments(text.split("\n"), path)).toBe(true);
});

test.each([
  ["a.ts", "// One.\nexport {};"],
  ["a.ts", "/* One. */ run();"],
  ["a.ts", "/* never closed"],
  ["a.c", "#include <a.h>"],
  ["a.c", "# define MAX 3"],
  ["a.css", "#id { color: red }"],
  ["a.css", "* { margin: 0 }"],
  ["a.md", "# A heading"],
  ["a.md", "* an item"],
  ["notes.txt", "// a line of text"],
])("content in %s", (path, text) => {
  expect(isOnlyComments(text.split("\n"), path)).toBe(false);
});
