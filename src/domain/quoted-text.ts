// The texts of a record that quotes what was said, and the whole of them again.
import { excerpt } from "./excerpt.ts";
import { oneLine } from "./plain-text.ts";
import type { Observation } from "./records.ts";

type Texts = Pick<Observation, "title" | "summary" | "narrative">;

/** Title, summary and narrative of a record that quotes `text`; nothing of it is lost. */
export function quotedTexts(text: string): Texts {
  const summary = excerpt(text, summaryChars);
  return { title: oneLine(text, titleChars), summary, narrative: text.length > titleChars ? text : null };
}

/** What a record says in full. */
export function wholeText({ summary, narrative }: Pick<Texts, "summary" | "narrative">): string {
  return narrative ?? summary;
}

/** True when the title is only the beginning of the text. */
export function isQuote(record: Texts): boolean {
  const whole = oneLine(wholeText(record), comparedChars);
  const { title } = record;
  return title === whole || (title.endsWith("…") && whole.startsWith(title.slice(0, -1)));
}

const titleChars = 120;
// More than any title has.
const comparedChars = 1_000;
const summaryChars = 600;
