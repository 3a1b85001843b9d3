// A text with the words of a query marked, compared by stems as the search does.
import { termsOf } from "../../text/words.ts";

/** Marks the words that a query finds; the query's last word counts from its first three letters on. */
export type Marker = (text: string) => { text: string; isMatch: boolean; at: number }[];

export function markerOf(query: string): Marker {
  const asked = query.slice(0, longestQuery);
  const terms = new Set(termsOf(asked));
  const unfinished = /[\p{L}\p{N}]{3,}$/u.exec(asked)?.[0].toLowerCase();
  const matches = (word: string) =>
    (unfinished !== undefined && word.toLowerCase().startsWith(unfinished)) ||
    termsOf(word).some((term) => terms.has(term));
  return (text) => {
    if (terms.size === 0 && unfinished === undefined) return [{ text, isMatch: false, at: 0 }];
    return text
      .split(word)
      .map((part, at) => ({ text: part, isMatch: at % 2 === 1 && matches(part), at }))
      .filter((part) => part.text !== "");
  };
}

/** The text with its matches marked. */
export function Marked({ text, marker }: { text: string; marker: Marker }) {
  return (
    <>{marker(text).map((part) => (part.isMatch ? <mark key={part.at}>{part.text}</mark> : part.text))}</>
  );
}

// With a group, split keeps the words at the odd places.
const word = /([\p{L}\p{N}][\p{L}\p{N}\p{M}]*)/u;
const longestQuery = 1_000;
