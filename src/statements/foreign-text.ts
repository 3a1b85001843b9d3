// What of a prompt the user typed, without pasted and quoted text.

import type { Turn } from "../core/records/turn.ts";
import { withoutHostBlocks } from "../core/tools/host-blocks.ts";
import { dropAnnounced, elideAnnounced } from "./announced-text.ts";
import { fenceAfter } from "./fence.ts";
import { closingTagsOf, isForeignLine, openingTagOf, opensForeignBlock, prefixOf } from "./foreign-lines.ts";

/**
 * The prompt without code blocks, quoted lines, logs, stack traces, diffs, tables, markup and what follows "the log
 * says:" and the like. Order and line breaks stay; a long quotation within a sentence becomes "…". Linear in time.
 */
export function ownWords(prompt: string): string {
  const lines = withoutHostBlocks(prompt.slice(0, maxChars)).split(/\r?\n/);
  const isOwn = typedLines(lines);
  dropAnnounced(lines, isOwn);
  const own = lines.map((line, at) => (isOwn[at] ? elideAnnounced(line) : ""));
  return elideQuotations(own.join("\n"))
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

/** The same for the prompts of a turn, each by itself: a fence that one leaves open says nothing of the next. */
export function ownWordsOf({ prompt, prompts = [prompt] }: Pick<Turn, "prompt" | "prompts">): string {
  return prompts
    .map(ownWords)
    .filter((text) => text !== "")
    .join("\n\n");
}

// Which lines look typed, by themselves and by the block that they stand in.
function typedLines(lines: readonly string[]): boolean[] {
  const lastClose = new Map<string, number>();
  for (const [at, line] of lines.entries()) for (const tag of closingTagsOf(line)) lastClose.set(tag, at);
  let open: string | null = null;
  let isInBlock = false;
  let markupEnd = -1;
  let isInList = false;
  return lines.map((line, at) => {
    const before = open;
    open = fenceAfter(open, line);
    if (before !== null || open !== null || at <= markupEnd) return false;
    const tag = openingTagOf(line);
    if (tag !== null) {
      markupEnd = Math.max(at, lastClose.get(tag) ?? at);
      return false;
    }
    if (line.trim() === "") {
      isInBlock = false;
      return true;
    }
    isInBlock ||= opensForeignBlock(line);
    if (isInBlock) return false;
    const prefix = prefixOf(line);
    if (
      prefix !== null &&
      (prefix === prefixOf(lines[at - 1] ?? "") || prefix === prefixOf(lines[at + 1] ?? ""))
    )
      return false;
    const isListed = listItem.test(line) || (isInList && indented.test(line));
    isInList = isListed;
    return isListed ? !isForeignLine(line.trim()) : !isForeignLine(line);
  });
}

// A quotation of several sentences or many words is foreign; the sentence around it is the user's.
function elideQuotations(text: string): string {
  return text.replace(quotation, (whole: string) => {
    const inner = whole.slice(1, -1);
    const isLong = inner.length > 80 || /[.!?。！？]\s*[^\s.!?]/u.test(inner);
    return isLong ? `${whole[0]}…${whole.at(-1)}` : whole;
  });
}

const maxChars = 64 * 1024;
const listItem = /^\s{0,8}(?:[-*•+]|\d{1,2}[.)])\s+\S/;
const indented = /^\s{2,}\S/;
const quotation =
  /"[^"]{12,2000}"|“[^“”]{12,2000}”|«[^«»]{12,2000}»|„[^„“”]{12,2000}[“”]|「[^「」]{8,2000}」|『[^『』]{8,2000}』/gu;
