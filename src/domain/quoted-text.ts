// The texts of a record that quotes what was said, and the whole of them again.
import { excerpt } from "./excerpt.ts";
import type { Observation } from "./records.ts";

type Texts = Pick<Observation, "title" | "summary" | "narrative">;

/** Title, summary and narrative of a record that quotes `text`; nothing of it is lost. */
export function quotedTexts(text: string): Texts {
  const summary = excerpt(text, summaryChars);
  return { title: excerpt(text, titleChars), summary, narrative: text.length > titleChars ? text : null };
}

/** What a record says in full. */
export function wholeText({ summary, narrative }: Pick<Texts, "summary" | "narrative">): string {
  return narrative ?? summary;
}

/** True when the title is only the beginning of the text. */
export function isQuote(record: Texts): boolean {
  return record.title === excerpt(wholeText(record), titleChars);
}

const titleChars = 140;
const summaryChars = 600;
