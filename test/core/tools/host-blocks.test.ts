// What a host adds to a prompt is left out, and nothing that the user typed.
import { expect, test } from "vitest";
import { withoutHostBlocks } from "../../../src/core/tools/host-blocks.ts";

test.each([
  ["a block at the end of a line", "fix it <system-reminder>never npm</system-reminder>", "fix it  "],
  ["a block of several lines", "fix it <ide_selection>\na\n\nb\n</ide_selection>\nnow", "fix it  \nnow"],
  ["two blocks", "<command-name>/a</command-name>x<command-args>b</command-args>", " x "],
  ["a block within a block", "<hook_context><ide_a>x</ide_a></hook_context> y", "  y"],
])("leaves out %s", (_what, prompt, left) => {
  expect(withoutHostBlocks(prompt)).toBe(left);
});

test.each([
  "make <base-button>Save</base-button> blue",
  "never write `<system-reminder>` or `</system-reminder>`",
  "the <system-reminder> has no end, never drop it",
])("keeps %s", (prompt) => {
  expect(withoutHostBlocks(prompt)).toBe(prompt);
});
