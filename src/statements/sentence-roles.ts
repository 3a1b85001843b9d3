// What a sentence does to the rules beside it in a prompt: takes back, replaces, goes on.
import { isExcluded } from "./standing.ts";
import { nameMark, pathMark, readSentence } from "./standing-clauses.ts";

/** True for a rule about what the agent writes to the user. */
export function isOnAnswers(rule: string): boolean {
  return readSentence(rule).some(({ whole }) => whole.has("answer"));
}

/** True for a sentence on the order in an answer: "cause first, then the change". It says so only after such a rule. */
export function ordersAnswer(sentence: string): boolean {
  return readSentence(sentence).some((read) => !isExcluded(read) && read.whole.has("order"));
}

/**
 * True for words in parentheses that name what they are about: "tests live beside the code". Not for "lies in old/" and
 * "the new ones too", which speak of the sentence around them, and not for where one file is.
 */
export function namesItsSubject(inner: string): boolean {
  return readSentence(inner).some(({ whole }) => whole.has("artifact") && !oneFile.test(whole.text));
}

/** True for a sentence that gives the words of somebody else. */
export function isReported(sentence: string): boolean {
  return readSentence(sentence).some(({ whole }) => whole.has("reported"));
}

/** True for a sentence that withdraws what was said just before it: "nah, forget it". */
export function withdrawsLast(sentence: string): boolean {
  return readSentence(sentence).some(({ clauses }) => clauses.some(({ has }) => has("takenBack")));
}

/** True for a sentence that gives up a habit: "drop the prefixes". Not for one that names a file to change. */
export function withdrawsHabit(sentence: string): boolean {
  return readSentence(sentence).some(
    ({ whole, clauses }) =>
      !whole.text.includes(pathMark) &&
      clauses.some(({ has }) => has("withdraws")) &&
      (whole.has("artifact") || whole.text.includes(nameMark)),
  );
}

/** True for a sentence that says what comes in place of a habit: "instead start the subject with the ticket". */
export function givesReplacement(sentence: string): boolean {
  return readSentence(sentence).some(
    (read) =>
      !isExcluded(read) && read.clauses.some(({ has }) => has("instead")) && read.whole.has("artifact"),
  );
}

const oneFile = new RegExp(`(?<!${pathMark})${pathMark}(?!${pathMark})`);
