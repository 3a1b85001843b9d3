// Marks the words of a question in text for a terminal.
import { isFunctionWord } from "../text/function-words.ts";
import { termsOf, wordsOf } from "../text/words.ts";

export type Highlight = (line: string) => string;

/** Marks each word of a line that a search for `question` matches. */
export function createHighlight(question: string, mark: (text: string) => string): Highlight {
  const terms = new Set(termsOf(question).filter((term) => !isFunctionWord(term)));
  const runs = wordsOf(question).flatMap(({ text, isRun }) => (isRun && text.length > 1 ? [text] : []));
  if (terms.size === 0) return (line) => line;
  const marked = (word: string): string => {
    const run = runs.find((one) => word.includes(one));
    if (run !== undefined) return word.replaceAll(run, mark(run));
    const isAsked =
      wordsOf(word).every(({ isRun }) => !isRun) && termsOf(word).some((term) => terms.has(term));
    return isAsked ? mark(word) : word;
  };
  return (line) => line.replace(wordPattern, marked);
}

const wordPattern = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;
