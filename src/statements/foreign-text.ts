// What of a prompt the user typed, without pasted and quoted text.
import { mixedPatternOf, patternOf } from "./cue-words.ts";
import { announcing, ownList, requesting, sourceLabel } from "./cue-words-sources.ts";
import { closingTagsOf, isFence, isForeignLine, openingTagOf, opensForeignBlock } from "./foreign-lines.ts";

/**
 * The prompt without code blocks, quoted lines, logs, stack traces, diffs, tables, markup and what follows "the log
 * says:" and the like. Order and line breaks stay; a long quotation within a sentence becomes "…". Linear in time.
 */
export function ownWords(prompt: string): string {
  const lines = prompt.slice(0, maxChars).split(/\r?\n/);
  const isOwn = typedLines(lines);
  dropAnnounced(lines, isOwn);
  const own = lines.map((line, at) => (isOwn[at] ? withoutLabelled(line) : ""));
  return elideQuotations(own.join("\n"))
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

// "The log says: ..." in one line: the announcement stays.
function withoutLabelled(line: string): string {
  return /[:：]/.test(line) ? line.replace(labelled, "$1 …") : line;
}

// Which lines look typed, by themselves and by the block that they stand in.
function typedLines(lines: readonly string[]): boolean[] {
  const lastClose = new Map<string, number>();
  for (const [at, line] of lines.entries()) for (const tag of closingTagsOf(line)) lastClose.set(tag, at);
  let isFenced = false;
  let isInBlock = false;
  let markupEnd = -1;
  let isInList = false;
  return lines.map((line, at) => {
    if (isFence(line)) {
      isFenced = !isFenced;
      return false;
    }
    if (isFenced || at <= markupEnd) return false;
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
    const isListed = listItem.test(line) || (isInList && indented.test(line));
    isInList = isListed;
    return isListed ? !isForeignLine(line.trim()) : !isForeignLine(line);
  });
}

// Lines that follow an announcement are foreign up to a paragraph that is clearly the user's again.
function dropAnnounced(lines: readonly string[], isOwn: boolean[]): void {
  for (let at = 0; at < lines.length; at++) {
    if (!isOwn[at] || (lines[at] ?? "").trim() === "") continue;
    const next = nextFilled(lines, at + 1);
    if (next >= lines.length || !isOwn[next]) continue;
    if (!announces(lines[at] ?? "", lines[next] ?? "")) continue;
    const end = announcedEnd(lines, isOwn, next);
    isOwn.fill(false, next, end);
    at = end - 1;
  }
}

function announces(line: string, next: string): boolean {
  const text = line.trim().slice(-200).toLowerCase();
  if (heading.test(text)) return false;
  if (heading.test(next)) return announcement.test(text);
  if (!/[:：]$/.test(text) || request.test(text)) return false;
  return announcement.test(text) && !ownAnnouncement.test(text);
}

// A pasted list ends with its last item; other text ends before a question or before a paragraph in lower case.
function announcedEnd(lines: readonly string[], isOwn: readonly boolean[], start: number): number {
  const isList = listItem.test(lines[start] ?? "");
  let at = start;
  while (at < lines.length) {
    const end = paragraphEnd(lines, at);
    const following = nextFilled(lines, end);
    if (following >= lines.length) return end;
    const paragraph = lines.slice(following, paragraphEnd(lines, following)).join(" ");
    if (isList && !listItem.test(paragraph) && !indented.test(paragraph)) return following;
    if (isOwn[following] && isOwnParagraph(paragraph, lines[start] ?? "")) return following;
    at = following;
  }
  return at;
}

function isOwnParagraph(paragraph: string, pasted: string): boolean {
  const text = paragraph.trim().slice(-600);
  if (heading.test(text) || listItem.test(text)) return false;
  if (/[?？]$/.test(text)) return true;
  if (unspaced.test(text)) return [...text].length <= 12;
  return /^\p{Ll}/u.test(paragraph.trim()) && !/^\p{Ll}/u.test(pasted.trim());
}

function nextFilled(lines: readonly string[], from: number): number {
  let at = from;
  while (at < lines.length && (lines[at] ?? "").trim() === "") at++;
  return at;
}

function paragraphEnd(lines: readonly string[], from: number): number {
  let at = from;
  while (at < lines.length && (lines[at] ?? "").trim() !== "") at++;
  return at;
}

// A quotation of several sentences or many words is foreign; the sentence around it is the user's.
function elideQuotations(text: string): string {
  return text.replace(quotation, (whole: string) => {
    const inner = whole.slice(1, -1);
    const isLong = inner.length > 80 || /[.!?。！？]\s*\S/u.test(inner);
    return isLong ? `${whole[0]}…${whole.at(-1)}` : whole;
  });
}

const maxChars = 64 * 1024;
const listItem = /^\s{0,8}(?:[-*•+]|\d{1,2}[.)])\s+\S/;
const indented = /^\s{2,}\S/;
const heading = /^\s{0,3}#{1,6}\s/;
const unspaced = /[\u3040-\u30ff\u4e00-\u9fff]/;
const announcement = mixedPatternOf(announcing);
const ownAnnouncement = mixedPatternOf(ownList);
const request = patternOf(requesting, { lead: "^" });
const labelled = new RegExp(`^(\\s*(?:${mixedPatternOf(sourceLabel).source})\\s?[:：])\\s*\\S.*$`, "iu");
const quotation =
  /"[^"]{12,2000}"|“[^“”]{12,2000}”|«[^«»]{12,2000}»|„[^„“”]{12,2000}[“”]|「[^「」]{8,2000}」|『[^『』]{8,2000}』/gu;
