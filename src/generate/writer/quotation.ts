// Finds what a model quotes in the text that it names as the source.
import { wordingOf } from "./wording-of.ts";

/** A piece of a source that is understandable alone. */
export interface Passage {
  text: string;
  /** With the lead-in that it needs. */
  shown: string;
}

/** Looks a quotation up: the passage in the source's own spelling, or null when the source does not have it. */
export type FindQuotation = (quote: string) => string | null;

/**
 * Prepares passages for lookups. White space, punctuation, Markdown, quotation marks and case do not count. What is found
 * is widened to whole passages, so that no quotation loses the "never" before it or the "in tests only" behind it; of a
 * passage longer than `wholeUpTo` characters to its clauses, where that is safe.
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
// Fits the title; what is longer is often a request with the quoted clause at its end.
const shortSentence = 120;

// A few letters stand in any text. One character of Chinese or Japanese is half a word.
function shortestQuote(wanted: string): number {
  return unspaced.test(wanted) ? 4 : 8;
}

const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

// Lower-case letters and digits, one space between words, and for each character where it stands in the text.
function bareWords(text: string): { words: string; places: number[] } {
  let words = "";
  const places: number[] = [];
  for (const { 0: word, index } of text.matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    if (words !== "") {
      words += " ";
      places.push(index);
    }
    // A letter whose lower case is longer would shift all places behind it.
    const lower = word.toLowerCase();
    words += lower.length === word.length ? lower : word;
    for (let letter = 0; letter < word.length; letter++) places.push(index + letter);
  }
  return { words, places };
}

// Whole words: "use npm" does not stand in "reuse npmrc". Scripts without spaces have no such edges.
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

// Null where what is left out may turn the meaning of what is quoted.
function clausesOf(all: string, { from, to, start, end }: Place): string | null {
  const before = all.slice(start, from).search(/[^,;:，、；：()\u2013\u2014]*$/u) + start;
  const behind = all.slice(to, end).search(/[,;，、；()\u2013\u2014]|$/u) + to;
  const left = wordingOf(`${all.slice(start, before)} … ${all.slice(behind, end)}`);
  return left.forbids || left.isOneOff ? null : all.slice(before, behind).trim();
}
