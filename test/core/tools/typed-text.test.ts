// What is left of a prompt without pasted and quoted text.
import { describe, expect, test } from "vitest";
import { sentencesWith, typedParts } from "../../../src/core/tools/typed-text.ts";

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
    [
      "a browser's console",
      "router.js:41 🔀 Router: never\nArray(2) [ … ]\nstart\t@\tLogin.tsx:81\n\nfix it",
      "fix it",
    ],
    ["lines between those of a log", "12:00:01 start\nnever do that\n12:00:02 end\n\nfix it", "fix it"],
    [
      "a traceback with underlines",
      'Traceback (most recent call last):\n  File "a.py", line 1\n    ~~~~^^\n\nfix it',
      "fix it",
    ],
    ["a prompt of a shell", "(env) ➜  demo git:(main) ✗ make\nnever\n\nfix it", "fix it"],
    ["an error behind a colon", "it ends with this: TypeError: never do that", "it ends with this: …"],
    ["a page without a colon", "here is the text\nNever do that.\n\nfix it?", "here is the text\n\nfix it?"],
    ["JSON", '{\n  "rule": "never"\n}\nfix it', "fix it"],
    ["code", "const never = () => {\n  always();\n};\nfix it", "fix it"],
    ["base64", `${"QWx3YXlz".repeat(60)}\nfix it`, "fix it"],
    [
      "fences within a line",
      "is it right? ```Never do that.\nAlways do this.``` fix it",
      "is it right? …\n fix it",
    ],
    [
      "a plan of the agent",
      "Implement the following plan:\n\n# Plan\n\nNever retry.",
      "Implement the following plan:",
    ],
    [
      "a plan, but for the answer to it",
      "Implement the following plan:\n\n# Plan\n\nNever retry.\n\nUser feedback on this plan: use pnpm",
      "Implement the following plan:\n\nuse pnpm",
    ],
    ["a selection", "<ide_selection>never npm</ide_selection>\nfix it", "fix it"],
    [
      "a review",
      "got this review from the bot, please address it:\n\n- Never do that",
      "got this review from the bot, please address it:",
    ],
    ["a review bot", "In `@src/a.ts` around lines 12 - 20, never do that.\n\nfix it", "fix it"],
    ["an image", "[image]", ""],
    ["a long quotation", 'it says "Never do that. Always do this." why?', 'it says "…" why?'],
  ])("%s", (_what, prompt, own) => {
    expect(typedParts(prompt).typed).toBe(own);
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
    'rename "Log" in the head, and "Out" too, to the same word',
    "print styles: does anybody still print?",
    "app.ts:42 has a typo",
    "import users from the old table",
    "Unhandled errors must be logged",
    'delete "main (2).cpp"',
    "one by one, readable log, calmer reconnect:\n1. more padding\n2. a higher log",
    "In src/routes/+page.svelte:\n- show the card\n- keep the head",
    "7c41e09b2d86f3a5514c0e97ab38d26f10c9e7d4 is the commit to keep",
  ])("%s", (prompt) => {
    expect(typedParts(prompt).typed).toBe(prompt);
  });
});

const log = "12:00:01 INFO never do that\n".repeat(24_000);

test.each([
  ["below", `${log}\nnow fix the login`],
  ["above", `now fix the login\n\n${log}`],
  ["between", `${log}\nnow fix the login\n\n${log}`],
])("the request %s 600 KB of log is typed", (_where, prompt) => {
  expect(typedParts(prompt).typed).toBe("now fix the login");
});

describe("a quote", () => {
  const { typed } = typedParts(
    "From now on **always** run `npm test`\nbefore you push!\n\n> never squash commits",
  );

  test.each([
    ["stands without its markup", "always run npm test", true],
    ["stands in other case and punctuation", "ALWAYS run “npm-test”: before you push.", true],
    ["stands in full-width letters", "ａｌｗａｙｓ run npm test", true],
    ["does not stand in a part of a word", "ways run `npm test`", false],
    ["does not stand when it was pasted", "never squash commits", false],
    ["does not stand when it is too short", "run npm", false],
    ["does not stand in other words", "always run npm build", false],
  ])("%s", (_what, quote, stands) => {
    expect(sentencesWith(typed, quote) !== null).toBe(stands);
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
  "<ide_a>",
  "<user_query>",
  "at ```",
  "~~~^\n",
  "12:00:01 a\nb\n",
  "here is the text\n",
  "\n## My request for Codex:",
])("reads 1 MB of %j in linear time", (piece) => {
  const size = 1_000_000;
  const text = piece.repeat(Math.ceil(size / piece.length)).slice(0, size);
  expect(typedParts(text).typed.length).toBeLessThanOrEqual(size);
});
