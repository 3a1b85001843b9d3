// Splits text into words like SQLite's unicode61, and into terms for comparison.
import { isFunctionWord } from "./function-words.ts";
import { identifierParts } from "./index-text.ts";
import { stem } from "./stem.ts";
import { charactersOf, splitRuns, type Word } from "./unspaced.ts";

/** The words of a text, in order. */
export function wordsOf(text: string): Word[] {
  if (!beyondAscii.test(text))
    return (text.match(asciiWord) ?? []).map((word) => ({ text: word, isRun: false }));
  return (text.match(wordPattern) ?? []).flatMap(splitRuns);
}

/**
 * The terms of a text, in order: stems of its words and of the parts of identifiers, characters of a run and their
 * pairs. Function words are left out.
 */
export function termsOf(text: string): string[] {
  return bareWordsOf(text).flatMap(termsOfWord);
}

/** The words of a text as they are compared: without marks. */
export function bareWordsOf(text: string): Word[] {
  return wordsOf(withoutMarks(text));
}

/** The text in lower case, in one width, without marks on Latin letters: as SQLite's unicode61 compares letters. */
export function foldedLetters(text: string): string {
  if (!beyondAscii.test(text)) return text.toLowerCase();
  return text
    .normalize("NFKD")
    .replace(/(\p{Script=Latin})\p{M}+/gu, "$1")
    .normalize("NFC")
    .toLowerCase();
}

/** The terms of a word: its stem and the stems of its parts, or its characters and their pairs. */
export function termsOfWord({ text, isRun }: Word): string[] {
  return isRun ? charactersAndPairs(text) : partsOf(text);
}

/** The pairs of neighbours in a run; a single character for itself. */
export function pairsOf(run: string): [string, string?][] {
  const characters = charactersOf(run);
  if (characters.length < 2) return characters.map((character) => [character]);
  return characters.slice(1).map((character, index) => [characters[index] ?? "", character]);
}

// Letters and digits, with the marks that stand on them. The letters taken out are separators to SQLite: a phrase
// without a token would drop out of the match and leave the scope alone, which finds everything.
const wordPattern = /(?![\u19b0-\u19c9\u1cf2\u1cf3])[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;

const asciiWord = /[A-Za-z0-9]+/g;

function charactersAndPairs(run: string): string[] {
  const characters = charactersOf(run);
  return characters.flatMap((character, index) => {
    const next = characters[index + 1];
    return next === undefined ? [character] : [character, character + next];
  });
}

function partsOf(word: string): string[] {
  return [word.toLowerCase(), ...identifierParts(word)].filter((part) => !isFunctionWord(part)).map(stem);
}

// Most text is ASCII, which the plain pattern splits ten times faster.
const beyondAscii = /[^\0-\x7f]/;

function withoutMarks(text: string): string {
  return beyondAscii.test(text) ? text.normalize("NFKD").replace(/\p{M}/gu, "").normalize("NFC") : text;
}
