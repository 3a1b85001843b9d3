// How a question is read that names a time: as one for all of that time, or for its topic and rather of then.
import { dayName, localTime } from "../core/local-days.ts";
import { datesIn, localSpanOf, namedDates } from "./named-dates.ts";
import { meantOtherwise, namedTime, type Span } from "./named-times.ts";
import { topicWords } from "./query.ts";

/**
 * `all`: there is nothing else to look for ("what did we do yesterday"), so that the records of the time are the answer;
 * of no time (null) the newest are, unless a record holds all the words. `rather`: the other words are looked for, what fits them and is of then goes first.
 */
export type TimeRead = AllOfTime | RatherOfTime;

export interface AllOfTime {
  is: "all";
  said: string;
  span: Span | null;
}

export interface RatherOfTime {
  is: "rather";
  said: string;
  span: Span;
  /** What is looked for. */
  words: string;
}

/** Null for words that are looked for as they are. */
export function readTime(words: string, now: number): TimeRead | null {
  if (words.length > longestQuestion) return null;
  // "The last week of August 2023" is counted from that date, not from now.
  const named = namedDates(words).length > 0 ? null : namedTime(words, now);
  if (named === null) return readDates(words, now) ?? readLatest(words);
  const { said, at, span } = named;
  const others = `${words.slice(0, at)} ${words.slice(at + said.length)}`;
  if (!hasTopic(others, sayingNothing(words))) return { is: "all", said, span };
  if (span === null) return null;
  // "Last week" says nothing but the time, and is in every text; "yesterday" may be a word of the code as well.
  return { is: "rather", said, span, words: said.includes(" ") ? others : words };
}

/** `2026-01-31`, `2026-01-26 to 2026-02-01`, `2026-01-31 00:00 to 2026-01-31 12:00`: by the person's calendar. */
export function spanInWords({ start, end }: Span): string {
  const after = end + 1;
  const isDays = isMidnight(start) && isMidnight(after);
  if (!isDays) return `${localTime(start)} to ${localTime(after)}`;
  const [first, last] = [dayName(start), dayName(end)];
  return first === last ? first : `${first} to ${last}`;
}

// A longer text tells a story, and the days in it are part of that.
const longestQuestion = 300;

function readDates(words: string, now: number): TimeRead | null {
  const text = words.replaceAll(/\s+/g, " ");
  const dates = datesIn(text);
  const [first] = dates;
  if (first === undefined || dates.some(({ at }, place) => isOtherwise(text.slice(0, at), place)))
    return null;
  const others = dates.reduceRight((left, { at, end }) => `${left.slice(0, at)} ${left.slice(end)}`, text);
  if (hasTopic(others, sayingNothing(words))) return null;
  const spans = dates.map(({ date }) => localSpanOf(date, now));
  const isSince = /\bsince $/i.test(text.slice(0, first.at));
  // "Between 3 March and 5 March": from the first to the last.
  const span = {
    start: Math.min(...spans.map(({ start }) => start)),
    end: isSince ? now : Math.max(...spans.map(({ end }) => end)),
  };
  return span.start > span.end ? null : { is: "all", said: spanInWords(span), span };
}

function isOtherwise(before: string, place: number): boolean {
  return otherwiseBehind.test(before) && !(place > 0 && /\b(?:until|till) $/i.test(before));
}

const otherwiseBehind = new RegExp(`${meantOtherwise}$`, "i");

// "What did we do", "what happened": the words of such a question are in every prompt, and say nothing.
function readLatest(words: string): TimeRead | null {
  return latestAsked.test(words) && !hasTopic(words, ofAllWork)
    ? { is: "all", said: words, span: null }
    : null;
}

const latestAsked =
  /^\W*(?:(?:so|ok|okay|and|hey)\W+)?what\b(?:.*\b(?:we|i|you|us)\b.*\b(?:do|did|done|doing|been|work(?:ed|ing)?)\b|.*\b(?:did|have|has|had|were|was|are|am)\W+(?:we|i|you)\b|.*\b(?:happened|changed)\b)/i;

function hasTopic(words: string, without: ReadonlySet<string>): boolean {
  return ofCode.test(words) || topicWords(words).some((word) => !without.has(word));
}

/** A word that others are joined to, or that is called, is a name of the code: `session_list`, `todayList`, `report()`. */
const ofCode = /[\p{L}\p{N}](?:[_./-][\p{L}\p{N}]|[([])|\p{Ll}\p{Lu}/u;

/** No topic in any question. */
const ofAllWork: ReadonlySet<string> = new Set(
  "change changed happened project repo repository session work worked working".split(" "),
);

/** What can be said of any work at all: beside a time it is no topic. */
const ofAnyWork: ReadonlySet<string> = new Set(
  `accomplish accomplished achieve achieved activities activity anything been change changed changes changing
  codebase complete completed continue display entries everything find finish finished gave give go goes going happen happened
  happening happens know learn learned learnt left look made make making memories new news past
  previous progress project projects read recall recap recent recently recorded records remember remind repo repository
  resume see seen session sessions show since something start started status stuff summarise summarize summary
  tell thing things today's updated update updates week went work worked working works write written wrote
  yesterday's`.split(/\s+/),
);

// "Latest report", "code review of last week": without a request about them such are what is looked for.
const ofAnyRequest: ReadonlySet<string> = new Set([
  ...ofAnyWork,
  ..."code history list log memory report review".split(" "),
]);

function sayingNothing(words: string): ReadonlySet<string> {
  return request.test(words) ? ofAnyRequest : ofAnyWork;
}

/** A question word or a verb leads. */
const request =
  /^\W*(?:(?:so|ok|okay|and|hey|please|can you|could you)\W+)*(?:what|which|how|where|when|who|why|is|are|was|were|do|does|did|has|have|show|list|tell|give|find|display|recall|recap|remind|summari[sz]e|review|look|see|let)\b(?![_./([-])/i;

function isMidnight(epochMs: number): boolean {
  const at = new Date(epochMs);
  // Where a change of the clock skips midnight, the day begins at one.
  return at.getTime() === new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime();
}
