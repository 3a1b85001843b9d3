// Keeps the text that the user typed; drops pasted and quoted text.
import type { Turn } from "../../core/records/turn.ts";
import { withoutHostBlocks } from "../../core/tools/host-blocks.ts";
import { dropAnnounced, elideAnnounced } from "./announced-text.ts";
import { fenceAfter } from "./sentences.ts";

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

/** The same for the prompts of a turn, one by one: an open fence ends with its prompt. */
export function ownWordsOf({ prompt, prompts = [prompt] }: Pick<Turn, "prompt" | "prompts">): string {
  return prompts
    .map(ownWords)
    .filter((text) => text !== "")
    .join("\n\n");
}

// A line is typed or foreign by itself, or by the block around it.
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

/** True for a line that a program printed or that is quoted. Reads its first 300 characters. */
function isForeignLine(line: string): boolean {
  const start = line.slice(0, 300);
  return foreignLine.test(start) || codeEnd.test(line.slice(-20));
}

/** The text before the first colon, which programs repeat on each line; null without one. */
function prefixOf(line: string): string | null {
  return /^\s{0,4}([\w.@/[\]-]{2,30}):\s+\S/.exec(line.slice(0, 60))?.[1] ?? null;
}

/** True for the first line of program output, which lasts until an empty line. */
function opensForeignBlock(line: string): boolean {
  return foreignBlock.test(line.slice(0, 120));
}

/** The tag that a line of markup opens with, or null. */
function openingTagOf(line: string): string | null {
  return /^\s{0,12}<([a-z][\w-]{0,40})(?:\s[^<>]{0,200})?>/i.exec(line)?.[1]?.toLowerCase() ?? null;
}

/** The tags that a line of markup closes. */
function closingTagsOf(line: string): string[] {
  return [...line.matchAll(/<\/([a-z][\w-]{0,40})>/gi)].map(([, tag = ""]) => tag.toLowerCase());
}

const foreignLine = new RegExp(
  [
    /\s{0,12}(?:>|\||[-=+*_]{4})/, // quoted, a row of a table, a ruler
    /\s{0,12}\[?\d{4}-\d\d-\d\d[T ]\d\d/, // a time
    /\s{0,12}\[?\d\d:\d\d:\d\d/,
    /(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w{0,6} +\d{1,2} \d\d:\d\d/,
    /\[[\w .:-]{2,40}\]\s/, // a level or a source in brackets
    /(?:npm |yarn |pnpm )?(?:warn|warning|err!|error|fatal|panic|debug|info|trace|notice|critical)(?:[[(: ][^:]{0,40})?:/,
    /(?:npm|yarn|pnpm) (?:warn|err!|error|notice)\b/,
    /(?:fehler|warnung|erreur|avertissement|erro|ошибка|предупреждение|错误|警告|エラー)\s?[:：]/,
    /remote:|make(?:\[\d+\])?: |exit (?:code )?\d+$/,
    /\s{0,40}at [\w.$<>/[\] ]{1,120}\(/, // stack traces
    /\s{0,12}File ".{1,200}", line \d/,
    /Traceback |thread '.{1,60}' panicked|goroutine \d|Caused by:/,
    /[\w.$]{0,120}(?:Error|Exception)(?:: |$)/,
    /commit [0-9a-f]{7,40}\b|[0-9a-f]{7,40} \S|(?:Author|Date|Merge|Subject|From|Cc):\s/, // what git prints
    /\s{0,12}(?:\/\/|\/\*|\*\/|<!--|#!|#include|<\/?[a-z][\w-]{0,40}[\s/>])/, // code and markup
    /\s{0,12}(?:[{}[\]]|"[\w.-]{1,60}"\s?:|[\w.-]{1,60}\s?(?:=|:=|\+=|=>)\s?\S)/,
    /(?: {4,}|\t)\s*\S/,
    /\s{0,12}\d{1,6}(?:\t|→|\s\|)/, // numbered lines
    /\s{0,12}(?:[\w./-]{1,120}:)?\d{1,6}:\d{1,4}:?\s/,
    /\s{0,12}[✓✗×✔✖●├└│]|(?:PASS|FAIL|FAILED)\s/,
  ]
    .map(({ source }) => `^(?:${source})`)
    .join("|"),
  "i",
);

const codeEnd = /[;{}]$|\)\s?=>$|(?:\.{3}|…)\s*(?:ok|pass(?:ed)?|fail(?:ed)?|done)$/i;

const foreignBlock =
  /^\s{0,4}(?:[$%❯] |PS [A-Z]:|thread '|goroutine \d|diff --git |@@ |index [0-9a-f]{7}|(?:---|\+\+\+) [ab/])/;
