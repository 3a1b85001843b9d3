// The texts of a record that quotes what was said, and the whole of them again.

import { excerpt } from "../../text/excerpt.ts";
import { oneLine } from "../../text/plain-text.ts";
import type { Observation } from "./records.ts";

type Texts = Pick<Observation, "title" | "summary" | "narrative">;

/** Title, summary and narrative of a record that quotes `text`; nothing of it is lost. */
export function quotedTexts(text: string): Texts {
  const summary = excerpt(text, summaryChars);
  return { title: quoteTitle(text), summary, narrative: text.length > titleChars ? text : null };
}

/** What a record says in full. */
export function wholeText({ summary, narrative }: Pick<Texts, "summary" | "narrative">): string {
  return narrative ?? summary;
}

/**
 * The beginning of a quote as a heading, on one line: with a capital where its first word is an ordinary word, and
 * without a comma at its end. The words stay as they were typed.
 */
export function quoteTitle(text: string, maxChars = titleChars): string {
  const line = oneLine(text, maxChars).replace(/[\s,;、，；]+$/u, "");
  const [first = ""] = line.split(/[\s,:;.!?]/u, 1);
  return isOrdinary(first) ? `${line.slice(0, 1).toUpperCase()}${line.slice(1)}` : line;
}

// `npm`, `src/a.ts` and `useState` are names: a capital would make others of them.
function isOrdinary(word: string): boolean {
  return /^\p{Ll}+(?:['’-]\p{Ll}+)*$/u.test(word) && !/^[b-df-hj-np-tv-xz]+$/.test(word);
}

/** True when the title is only the beginning of the text. */
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

// More than any title has.
const comparedChars = 1_000;
const titleChars = 120;
const summaryChars = 600;
