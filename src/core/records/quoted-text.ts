// Title, summary and narrative of records that quote a statement, and the full text from them.

import { excerpt } from "../../text/excerpt.ts";
import { oneLine } from "../../text/plain-text.ts";
import type { Observation } from "./records.ts";

type Texts = Pick<Observation, "title" | "summary" | "narrative">;

/** Title, summary and narrative of a record that quotes `text` in full. */
export function quotedTexts(text: string): Texts {
  const summary = excerpt(text, summaryChars);
  return { title: quoteTitle(text), summary, narrative: text.length > titleChars ? text : null };
}

/** The full text of a record. */
export function wholeText({ summary, narrative }: { summary: string; narrative?: string | null }): string {
  return narrative ?? summary;
}

/**
 * The beginning of a quote as a one-line heading: capitalized if its first word is an ordinary word, and without a trailing
 * comma. The words are not changed.
 */
export function quoteTitle(text: string, maxChars = titleChars): string {
  const line = oneLine(text, maxChars).replace(/[\s,;、，；]+$/u, "");
  const [first = ""] = line.split(/[\s,:;.!?]/u, 1);
  return isOrdinary(first) ? `${line.slice(0, 1).toUpperCase()}${line.slice(1)}` : line;
}

// Names such as `npm`, `src/a.ts` and `useState` are not capitalized.
function isOrdinary(word: string): boolean {
  return /^\p{Ll}+(?:['’-]\p{Ll}+)*$/u.test(word) && !/^[b-df-hj-np-tv-xz]+$/.test(word);
}

/** True if the title is only the beginning of the text. */
export function isQuote(record: Texts): boolean {
  const title = foldedLine(record.title);
  const whole = foldedLine(wholeText(record));
  return title.endsWith("…") ? whole.startsWith(title.slice(0, -1)) : whole === title;
}

function foldedLine(text: string): string {
  return oneLine(text, comparedChars)
    .replace(/[\s,;、，；]+$/u, "")
    .toLowerCase();
}

// Longer than any title.
const comparedChars = 1_000;
const titleChars = 120;
const summaryChars = 600;
