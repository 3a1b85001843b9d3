// Chinese, Japanese and Korean text, indexed by character: the tokenizer would make one token of a whole run, and find
// nothing shorter in it.

/** `text` with a space around every character of such a script, for the index. */
export function spaceCharacters(text: string): string {
  return unspaced.test(text) ? text.replace(character, " $& ") : text;
}

/** The characters of a run. */
export function charactersOf(run: string): string[] {
  return [...run.matchAll(character)].map(([found]) => found);
}

/** A word, or a run of characters that are words by themselves. */
export interface Word {
  text: string;
  isRun: boolean;
}

/** A token of letters and digits, split where such a script begins or ends. */
export function splitRuns(token: string): Word[] {
  if (!unspaced.test(token)) return [{ text: token, isRun: false }];
  const words: Word[] = [];
  let end = 0;
  for (const { 0: text, index } of token.matchAll(run)) {
    if (index > end) words.push({ text: token.slice(end, index), isRun: false });
    words.push({ text, isRun: true });
    end = index + text.length;
  }
  if (end < token.length) words.push({ text: token.slice(end), isRun: false });
  return words;
}

const letter =
  "(?=\\p{L})[\\p{Script_Extensions=Han}\\p{Script_Extensions=Hiragana}\\p{Script_Extensions=Katakana}\\p{Script=Hangul}]";
const unspaced = new RegExp(letter, "u");
const character = new RegExp(`${letter}\\p{M}*`, "gu");
const run = new RegExp(`(?:${letter}\\p{M}*)+`, "gu");
