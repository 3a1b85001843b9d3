// Which part of a prompt the user typed.

import { withoutHostBlocks } from "./host-blocks.ts";
import type { ToolUse } from "./tool-kind.ts";
import { userAnswersIn } from "./user-answers.ts";

export function typedParts(prompt: string): { request: string; typed: string } {
  const request = withoutHostBlocks(prompt).trim();
  return { request, typed: request };
}

/** Whether the quote stands in the text, compared without markup, case and punctuation. */
export function saysVerbatim(typed: string, quote: string): boolean {
  const wanted = plain(quote);
  return wanted.length >= 8 && plain(typed).includes(wanted);
}

/** What the user said in a tool use: answers to questions. */
export function userWordsIn(use: ToolUse): string[] {
  return userAnswersIn(use).map(({ answer }) => answer);
}

function plain(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "");
}
