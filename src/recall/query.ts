// Builds full-text matches from typed words; a match is never a syntax error.
import { isFunctionWord } from "../text/function-words.ts";
import { identifierParts } from "../text/index-text.ts";
import { pairsOf, termsOf, wordsOf } from "../text/words.ts";

/**
 * The FTS5 match for `words` in `columns`, inside every token of `scope`; null when there is nothing to search.
 * Terms are joined by OR: an implicit AND finds nothing for nine natural questions in ten.
 */
export function buildMatch(
  words: string,
  columns: readonly string[],
  scope: readonly string[],
): string | null {
  return matchOf(matchPhrases(words), columns, scope);
}

/** The phrases of that match. */
export function matchPhrases(words: string): string[] {
  return queryTerms(words).map(phraseOf);
}

// The index has Russian words as they are written, and each has a dozen endings.
function phraseOf(term: string): string {
  const beginning = beginningOf(term);
  return beginning === term ? `"${term}"` : `"${beginning}" *`;
}

function beginningOf(term: string): string {
  return term.replace(russianEnding, "");
}

const russianEnding =
  /(?<=^[а-яё]{3,})(?:и?[яаыи]ми|[оеыи][йех]|ией|[оеи]го|[оеыи]му?|и[юяеи]|и[ея]м|и?[яа][мх]|[ую]ю|[ая]я|[оея]в|[аеийоуыьюя])$/;

/** The match of the terms as beginnings of words, for words that no record has. */
export function buildPrefixMatch(
  words: string,
  columns: readonly string[],
  scope: readonly string[],
): string | null {
  const beginnings = queryTerms(words)
    .filter((term) => !term.includes(" ") && term.length >= shortestPrefix)
    .sort((a, b) => b.length - a.length)
    .slice(0, maxPrefixes);
  return matchOf(
    beginnings.map((term) => `"${term}" *`),
    columns,
    scope,
  );
}

/** The parts to search inside words, in lower case: the longest words, one word of any length, or without words the emoji. */
export function wordParts(words: string): string[] {
  const parts = queryTerms(words).flatMap((term) => (term.includes(" ") ? [] : [beginningOf(term)]));
  // The index holds no symbol.
  if (parts.length === 0) return [...new Set(words.match(emoji))].slice(0, maxPrefixes);
  const long = parts.filter((part) => part.length >= shortestPrefix);
  return (long.length > 0 ? long : parts).sort((a, b) => b.length - a.length).slice(0, maxPrefixes);
}

const emoji = /\p{Extended_Pictographic}|\p{Regional_Indicator}{2}/gu;

/** A term of a question: its stem, and the phrase that counts it in the index. */
export interface AskedTerm {
  term: string;
  phrase: string;
}

/** The distinct terms without function words, stemmed like the records' terms. */
export function askedTerms(words: string): AskedTerm[] {
  const asked = new Map<string, AskedTerm>();
  for (const { text, isRun } of wordsOf(shortened(words))) {
    const phrases = isRun
      ? pairsOf(text).map((pair) => pair.join(" "))
      : [text.toLowerCase(), ...identifierParts(text)];
    for (const phrase of phrases) {
      const term = termsOf(phrase.replaceAll(" ", "")).at(isRun ? 1 : 0) ?? termsOf(phrase)[0];
      if (term !== undefined && !asked.has(term)) asked.set(term, { term, phrase: phraseOf(phrase) });
    }
  }
  return [...asked.values()].slice(0, maxTerms);
}

/** The match of records with every term; null when the words have no term besides function words. */
export function buildWholeMatch(
  words: string,
  columns: readonly string[],
  scope: readonly string[],
): string | null {
  const phrases = askedTerms(words).map(({ phrase }) => phrase);
  return phrases.length === 0 ? null : matchOf([phrases.join(" AND ")], columns, scope);
}

/** The words of a question in lower case, without function words. */
export function topicWords(words: string): string[] {
  return wordsOf(shortened(words))
    .map(({ text }) => text.toLowerCase())
    .filter((word) => !isFunctionWord(word));
}

function shortened(words: string): string {
  return words.slice(0, maxCharacters).replace(contractions, " ");
}

// A query of 50,000 terms took 4.4 s; 32 are enough for any question.
const maxTerms = 32;
const maxCharacters = 4000;
// A longer run is prose joined by punctuation, not one name.
const maxPhraseTokens = 8;
// A prefix reads every term that begins with it: short ones cost the most and tell the least.
const shortestPrefix = 3;
const maxPrefixes = 8;

/**
 * The distinct terms: each is one token, or tokens joined by spaces (a phrase): the parts of a name or path, or two
 * characters of a script without spaces, which is exact for a word of two and finds the most of a longer question.
 */
function queryTerms(words: string): string[] {
  const terms = new Set<string>();
  const onlyFunctionWords = new Set<string>();
  for (const chunk of shortened(words).split(/\s+/u)) {
    for (const term of termsOfChunk(chunk)) (isFunctionWord(term) ? onlyFunctionWords : terms).add(term);
  }
  return [...(terms.size > 0 ? terms : onlyFunctionWords)].slice(0, maxTerms);
}

function termsOfChunk(chunk: string): string[] {
  const words = wordsOf(chunk);
  const single = words.flatMap(({ text, isRun }) =>
    isRun ? pairsOf(text).map((pair) => pair.join(" ")) : [text.toLowerCase(), ...identifierParts(text)],
  );
  if (words.length < 2 || words.length > maxPhraseTokens || words.some(({ isRun }) => isRun)) return single;
  return [
    words
      .map(({ text }) => text)
      .join(" ")
      .toLowerCase(),
    ...single,
  ];
}

// Removes `isn't`; of `John's` the name stays.
const contractions = /\p{L}{1,8}n['’]t(?![\p{L}\p{N}])|['’](?:s|re|ve|ll|d|m)(?![\p{L}\p{N}])/giu;

/** The match of one phrase in a scope. */
export function phraseMatch(phrase: string, columns: readonly string[], scope: readonly string[]): string {
  return matchOf([phrase], columns, scope) ?? "";
}

/** The match of any of some phrases in a scope; null when there is none. */
export function matchOf(
  terms: readonly string[],
  columns: readonly string[],
  scope: readonly string[],
): string | null {
  if (terms.length === 0) return null;
  const inside = scope.map((token) => `scope : "${token}" AND `).join("");
  return `${inside}{${columns.join(" ")}} : (${terms.join(" OR ")})`;
}
