// Text that the user announces as somebody else's: "the log says: ...", "here is the README:", "translate this:".
import { cueOf } from "./cue-pattern.ts";
import { announcing, announcingInline, ownList, requesting, sourceLabel } from "./cue-words-sources.ts";

/** Marks lines that follow an announcement as foreign, up to a paragraph that is clearly the user's again. */
export function dropAnnounced(lines: readonly string[], isOwn: boolean[]): void {
  const start = nextFilled(lines, 0);
  if (isOwn[start] && heading.test(lines[start] ?? "")) dropDocument(lines, isOwn, start);
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

/** The line with "…" in the place of what it announces; a question at its end stays. */
export function elideAnnounced(line: string): string {
  const comment = /\s(?:\/\/|\/\*|<!--)\s/.exec(line)?.index;
  if (comment !== undefined) return `${line.slice(0, comment)} …`;
  const mark = /[:：](?=\s)|\s(?:->|=>|→)\s/.exec(line.slice(0, mostLead));
  if (mark === null) return line;
  const end = mark.index + mark[0].length;
  const lead = line.slice(0, mark.index).trim().toLowerCase();
  const isAnnounced = label.test(lead) || (inline.test(lead) && !ownAnnouncement.test(lead));
  if (!isAnnounced || line.slice(end).trim() === "") return line;
  const question = /(?<=[.!…。"”»]\s{1,3})[^.!?。？]{2,200}[?？]\s*$/u.exec(line.slice(-400))?.[0] ?? "";
  return `${line.slice(0, end)} … ${question}`.trim();
}

// A prompt that opens with a heading and ends with a question holds a document.
function dropDocument(lines: readonly string[], isOwn: boolean[], start: number): void {
  const end = announcedEnd(lines, isOwn, start);
  if (nextFilled(lines, end) < lines.length) isOwn.fill(false, start, end);
}

function announces(line: string, next: string): boolean {
  const text = line.trim().slice(-200).toLowerCase();
  if (heading.test(text)) return false;
  if (pathLine.test(text)) return true;
  if (/[:：]$/.test(text) && reworking.test(text)) return true;
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

const mostLead = 160;
const listItem = /^\s{0,8}(?:[-*•+]|\d{1,2}[.)])\s+\S/;
const indented = /^\s{2,}\S/;
const heading = /^\s{0,3}#{1,6}\s/;
const pathLine = /^@?[\w./-]{1,120}\.[a-z]{1,5}:?$/;
const unspaced = /[\u3040-\u30ff\u4e00-\u9fff]/;
const announcement = cueOf(announcing);
const inline = cueOf(announcingInline);
const ownAnnouncement = cueOf(ownList);
const request = cueOf({ words: requesting.own }, "^");
const reworking = cueOf(requesting.rework);
const label = new RegExp(`^(?:${cueOf(sourceLabel).source})$`, "i");
