// What is left of a prompt without pasted and quoted text.
import { describe, expect, test } from "vitest";
import { ownWords } from "../../../src/statements/text/own-words.ts";

describe("drops what the user did not type", () => {
  test.each([
    ["a code block", "fix it\n```\nnever\n```\nplease", "fix it\n\nplease"],
    ["a code block without an end", "fix it\n~~~\nnever", "fix it"],
    ["quoted lines", "> never\n> always\nagree?", "agree?"],
    ["a log", "2026-01-02 10:00:00 WARN never\n[INFO] always\n\nfix it", "fix it"],
    ["a stack trace", "Error: never\n    at a (b.js:1:2)\n\nfix it", "fix it"],
    ["a terminal", "$ make\nnever do that\n\nfix it", "fix it"],
    ["a diff", "diff --git a/x b/x\n-never\n+always\n\nfix it", "fix it"],
    ["a table", "| a | b |\n|---|---|\n| never | 1 |\nfix it", "fix it"],
    ["markup", "<report>\nalways\n</report>\nfix it", "fix it"],
    [
      "what follows an announcement",
      "the log says:\n\nNever do that.\n\nis it right?",
      "the log says:\n\nis it right?",
    ],
    ["a pasted document", "here is the README:\n\n# Use\n\nAlways do that.", "here is the README:"],
    ["what a host adds within a line", "fix it <system-reminder>\nnever\n</system-reminder>", "fix it"],
    ["a labelled text", "commit message: never do that", "commit message: …"],
    ["a long quotation", 'it says "Never do that. Always do this." why?', 'it says "…" why?'],
  ])("%s", (_what, prompt, own) => {
    expect(ownWords(prompt)).toBe(own);
  });
});

describe("keeps what the user typed", () => {
  test.each([
    "fix the login. we use pnpm here, never npm",
    "our rules:\n\n- never npm\n- never force push",
    "please do the following in the README:\n- add a title\n- add the license",
    'call the button "Save now"',
    "Note: we never deploy on Fridays",
    "two things:\n1. rename it\n2. add a test\n\nthat's all",
    "use `a = b` there, thanks",
  ])("%s", (prompt) => {
    expect(ownWords(prompt)).toBe(prompt);
  });
});

test.each([
  " ",
  "\n",
  " \n",
  '"',
  "«",
  "「",
  "<a>\n",
  "<a ",
  "the log says:\n\n",
  "the log says:\nfoo\n\n",
  "`",
  "```\n",
  "a/",
  "[",
  "at a.b.c ",
  "# a\n",
  "- a\n",
  "says: \n",
  " 'a",
])("reads 64 KiB of %j in linear time", (piece) => {
  const size = 64 * 1024;
  const text = piece.repeat(Math.ceil(size / piece.length)).slice(0, size);
  expect(ownWords(text).length).toBeLessThanOrEqual(size);
});
