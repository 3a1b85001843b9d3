// What an answer says of how a time in its words was read: nobody gets another time than was meant without a word.
import { zoneName } from "../core/local-days.ts";
import type { Span } from "./named-times.ts";
import { spanInWords, type TimeRead } from "./read-time.ts";

/** A time with a beginning and an end, as the words said it. */
type SpanRead = TimeRead & { span: Span };

/** The answer is all that is of then. */
export function allOfThen(time: SpanRead): string {
  return `${foundByWords(time)}${readingOf(time)}: these are the records of then, newest first.`;
}

/** Nothing is of then; whether there is anything from before. */
export function noneOfThen(time: SpanRead, isBefore: boolean): string {
  const instead = isBefore ? " These are the newest from before." : "";
  return `${foundByWords(time)}${readingOf(time)}: no record is from then.${instead}`;
}

/** The answer was found by the words beside the time; whether any of it is of then. */
export function besideTime(time: SpanRead, isAny: boolean): string {
  return `${readingOf(time)}: ${isAny ? "what fits and is of then goes first." : "nothing that was found is of then."}`;
}

/** No record holds all the words of a question for the newest. */
export const newestInstead = "Read as a question for the newest records, which these are.";

/** Something does. */
export const wordsInstead =
  "Looked for as words, since there are records that hold all of them; without words the newest are listed.";

// What is not looked for is told where nothing else was found.
function foundByWords({ is }: SpanRead): string {
  return is === "rather" ? "Nothing was found by the other words. " : "";
}

function readingOf({ said, span }: SpanRead): string {
  const read = spanInWords(span);
  return `${said === read ? "Read as" : `"${said}" is read as`} ${read}, ${zoneName()}`;
}
