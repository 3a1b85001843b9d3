// Splits a Markdown message into sentences and list items, each with the lead-in that it needs to be understood.
import { fenceAfter } from "../../text/pasted-lines.ts";

/** One sentence of prose, or one list item. */
export interface Sentence {
  /** As written, on one line, without list marks and emphasis. */
  text: string;
  kind: "prose" | "item";
  /** The heading or the line ending with a colon above it; empty when there is none. */
  lead: string;
  /** Position among the sentences of the message, from 0. */
  at: number;
}

/**
 * The sentences of a message in their order, at most 120 of its first 400 lines. Code blocks, quoted lines, tables and
 * rules are left out. Linear in the length of the text.
 */
export function sentencesOf(message: string): Sentence[] {
  const found: Omit<Sentence, "at">[] = [];
  let paragraph: string[] = [];
  let lead = "";
  const flush = (): void => {
    const text = paragraph.join(" ");
    paragraph = [];
    if (text === "") return;
    const sentences = splitProse(text);
    for (const one of sentences) found.push({ text: one, kind: "prose", lead: "" });
    const last = sentences.at(-1) ?? "";
    lead = /[:：]$/.test(last) ? last : "";
  };
  for (const line of linesOutsideCode(message)) {
    const heading = headingOf(line);
    const item = listItem.exec(line);
    if (heading !== null) {
      flush();
      lead = heading;
    } else if (item !== null) {
      flush();
      found.push({ text: plainText(item[1] ?? ""), kind: "item", lead });
    } else if (isContinuation(line, found.at(-1)) && paragraph.length === 0) {
      const last = found.pop();
      if (last !== undefined) found.push({ ...last, text: `${last.text} ${plainText(line)}` });
    } else if (line.trim() === "") flush();
    else if (!skipped.test(line)) paragraph.push(plainText(line));
  }
  flush();
  return found
    .filter(({ text }) => /[\p{L}]{2}/u.test(text))
    .slice(0, maxSentences)
    .map((one, at) => ({ ...one, at }));
}

/** The sentences of a paragraph. `Intl.Segmenter` never ends one before a lower-case letter; people do. */
function splitProse(text: string): string[] {
  const sentences: string[] = [];
  let open = "";
  for (const segment of segmentsOf(text)) {
    // Keeps the space after each part, so that the quote stays as written.
    for (const part of segment.split(beforeLowerCase)) {
      if (open !== "" && !goesOn(open.trim(), part.trim())) {
        sentences.push(open.trim());
        open = "";
      }
      open += part;
    }
  }
  return [...sentences, open.trim()].filter((one) => one !== "");
}

// In parts: the segmenter is quadratic for "1. 1. 1. ...".
function segmentsOf(text: string): string[] {
  segmenter ??= new Intl.Segmenter("en", { granularity: "sentence" });
  const segments: string[] = [];
  for (let from = 0; from < text.length; ) {
    const part = text.slice(from, from + charsAtOnce);
    const found = Array.from(segmenter.segment(part), ({ segment }) => segment);
    // The end of a part may cut a sentence.
    const isCut = found.length > 1 && from + part.length < text.length;
    const whole = isCut ? found.slice(0, -1) : found;
    segments.push(...whole);
    from += whole.reduce((sum, { length }) => sum + length, 0);
  }
  return segments;
}

function goesOn(text: string, next: string): boolean {
  // Joining many short parts is quadratic too.
  if (text.length > longestOpen) return false;
  // GitLab writes `!91` for a merge request.
  if (abbreviation.test(text) || opensSpan(text) || (/(?:^|\s)!$/.test(text) && /^\d/.test(next)))
    return true;
  if (ordinal.test(text) && (germanDate.test(text) || month.test(next))) return true;
  return endsInMethod.test(text) && /^\p{Ll}/u.test(next);
}

// A period within a code span ends nothing.
function opensSpan(text: string): boolean {
  return (text.match(/`/g)?.length ?? 0) % 2 === 1 && text.length < 400;
}

function* linesOutsideCode(message: string): Generator<string> {
  let open: string | null = null;
  for (const line of message.slice(0, maxChars).split(/\r?\n/, maxLines)) {
    const before: string | null = open;
    open = fenceAfter(open, line);
    yield before === null && open === null ? line : "";
  }
}

function headingOf(line: string): string | null {
  const match = heading.exec(line.trim());
  return match === null ? null : plainText(match[1] ?? match[2] ?? "");
}

// An indented line under an item belongs to it.
function isContinuation(line: string, last: Omit<Sentence, "at"> | undefined): boolean {
  return last?.kind === "item" && /^\s{2,}\S/.test(line) && !skipped.test(line);
}

/** The text without emphasis and link targets, white space collapsed. Code is left as it is: `__init__` is a name. */
function plainText(text: string): string {
  return text
    .split(/(`[^`]+`)/)
    .map((part, at) => (at % 2 === 1 ? part : withoutEmphasis(part)))
    .join("")
    .replace(/^\[[ xX]\]\s+/, "")
    .replace(/\s+/g, " ")
    .trim();
}

function withoutEmphasis(text: string): string {
  return text
    .replace(/\*\*|__/g, "")
    .replace(/(^|[\s(])[*_]([^\s*_][^*_]{0,80})[*_](?=$|[\s).,;:!?])/g, "$1$2")
    .replace(/\[([^\]]{1,200})\]\([^)]{1,400}\)/g, "$1");
}

const maxChars = 64 * 1024;
const maxLines = 400;
const maxSentences = 120;
const longestOpen = 1_000;
// Made at first use, since it takes 10 ms.
let segmenter: Intl.Segmenter | undefined;
const charsAtOnce = 4_000;
const beforeLowerCase = /(?<=[\p{L}\p{N})\]`'"»”][.!?]\s+)(?=[\p{Ll}\p{Lo}`])/u;
const ordinal = /(?:^|\s)\d{1,2}\.$/;
const germanDate = /\b(?:am|vom|zum|bis|seit|der|den|dem) \d{1,2}\.$/i;
const month = /^(?:jan|feb|mär|märz|apr|mai|jun|jul|aug|sep|okt|nov|dez)/i;
// Ruby and Elixir names end like this: `AuditLog.record!`, `is_valid?`.
const endsInMethod = /(?:^|[\s(])[A-Za-z]\w*(?:[._]\w+)+[!?]$/;
const abbreviation =
  /(?:^|[\s(])(?:e\.g|i\.e|etc|approx|resp|vs|cf|incl|z\.\s?B|d\.\s?h|bzw|usw|ca|ggf|evtl|u\.\s?a|p\.\s?ej|т\.\s?е|т\.\s?д|напр|no|nr|fig|st|min|max|sec|dr|mr|mrs)\.$/i;
const heading = /^(?:#{1,6} {1,4}(\S.{0,119})|\*\*([^*]{1,100})\*\*:?)$/;
const listItem = /^\s*(?:[-*•+]|\d{1,2}[.)])\s+(.+)$/;
const skipped = /^\s*(?:>|\||[-*_=]{3,}\s*$)/;
