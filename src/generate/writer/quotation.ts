// Finds a model's quotation in its source.
import { promptCuesOf } from "../../statements/text/sentence-cues.ts";

/** A part of a source that is understandable alone. */
export interface Passage {
  text: string;
  /** With its lead-in. */
  shown: string;
}

/** The passage in the source's own spelling, or null. */
export type FindQuotation = (quote: string) => string | null;

/**
 * Prepares passages for lookups, which ignore white space, punctuation, Markdown, quotation marks and case. A match is
 * widened to whole passages, so that no quotation loses a "never" or an "in tests only" around it; in passages longer than
 * `wholeUpTo` characters to clauses, where that is safe.
 */
export function quotationsIn(passages: readonly Passage[], wholeUpTo: number = shortSentence): FindQuotation {
  const all = passages.map(({ text }) => text).join("\n");
  const { words, places } = bareWords(all);
  return (quote) => {
    const wanted = bareWords(quote.slice(0, longestQuote * 2)).words;
    if (wanted.length < shortestQuote(wanted)) return null;
    const at = placeOf(wanted, words);
    if (at < 0) return null;
    const from = places[at] ?? 0;
    const to = (places[at + wanted.length - 1] ?? 0) + 1;
    const start = all.lastIndexOf("\n", from) + 1;
    const lineEnd = all.indexOf("\n", to);
    const end = lineEnd < 0 ? all.length : lineEnd;
    const clauses = end - start <= wholeUpTo ? null : clausesOf(all, { from, to, start, end });
    if ((clauses?.length ?? end - start) > longestQuote) return null;
    const first = all.slice(0, start).split("\n").length - 1;
    const last = all.slice(0, end).split("\n").length;
    const [led, ...rest] = passages.slice(first, last);
    return clauses?.replaceAll("\n", " ") ?? [led?.shown, ...rest.map(({ text }) => text)].join(" ");
  };
}

const longestQuote = 400;
// Fits the title. A longer sentence is often a request with the quoted clause at its end.
const shortSentence = 120;

// Shorter quotations match any text. A Chinese or Japanese character is half a word.
function shortestQuote(wanted: string): number {
  return unspaced.test(wanted) ? 4 : 8;
}

const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

// Lower-case words with one space between them, and the position of each character in the text.
function bareWords(text: string): { words: string; places: number[] } {
  let words = "";
  const places: number[] = [];
  for (const { 0: word, index } of text.matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    if (words !== "") {
      words += " ";
      places.push(index);
    }
    // A letter whose lower case is longer would shift all later positions.
    const lower = word.toLowerCase();
    words += lower.length === word.length ? lower : word;
    for (let letter = 0; letter < word.length; letter++) places.push(index + letter);
  }
  return { words, places };
}

// Whole words: "reuse npmrc" does not contain "use npm". Scripts without spaces have no word edges.
function placeOf(wanted: string, words: string): number {
  if (unspaced.test(wanted)) return words.indexOf(wanted);
  return ` ${words} `.indexOf(` ${wanted} `);
}

interface Place {
  from: number;
  to: number;
  /** Of the passages around it. */
  start: number;
  end: number;
}

// Null where the omitted text may change the meaning.
function clausesOf(all: string, { from, to, start, end }: Place): string | null {
  const before = all.slice(start, from).search(/[^,;:，、；：()\u2013\u2014]*$/u) + start;
  const behind = all.slice(to, end).search(/[,;，、；()\u2013\u2014]|$/u) + to;
  const left = promptCuesOf(`${all.slice(start, before)} … ${all.slice(behind, end)}`);
  return left.has("never") || left.has("oneOff") ? null : all.slice(before, behind).trim();
}
