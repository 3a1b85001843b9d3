// Reads the time that a question names: as a filter, or as a boost beside other words. Writes the notes about it.
import { dayName, localTime, zoneName } from "../core/local-days.ts";
import { datesIn, localSpanOf, namedDates } from "./named-dates.ts";
import { namedTime, negatedBefore, type Span } from "./named-times.ts";
import { topicWords } from "./query.ts";

export type TimeRead = DateFilter | DateBoost;

/**
 * The question has no other topic ("what did we do yesterday"): the records of the time are the answer. Without a span the
 * newest are, unless a record has all the words.
 */
export interface DateFilter {
  is: "filter";
  said: string;
  span: Span | null;
}

/** The question has other words: these are searched, and records of the time come first. */
export interface DateBoost {
  is: "boost";
  said: string;
  span: Span;
  /** The words to search. */
  words: string;
}

/** Null when the words name no time, or only as part of a topic. */
export function readTime(words: string, now: number): TimeRead | null {
  if (words.length > longestQuestion) return null;
  // "The last week of August 2023" is counted from that date, not from now.
  const named = namedDates(words).length > 0 ? null : namedTime(words, now);
  if (named === null) return readDates(words, now) ?? readLatest(words);
  const { said, at, span } = named;
  const others = `${words.slice(0, at)} ${words.slice(at + said.length)}`;
  if (!hasTopic(others, sayingNothing(words))) return { is: "filter", said, span };
  if (span === null) return null;
  // "Last week" says only the time, and is in every text; "yesterday" may be a word of the code as well.
  return { is: "boost", said, span, words: said.includes(" ") ? others : words };
}

type SpanRead = TimeRead & { span: Span };

/** The answer holds all records of the time. */
export function filterNote(time: SpanRead): string {
  return `${unfound(time)}${readingOf(time)}: all records from that time, newest first.`;
}

/** The time has no record; `isBefore`: the answer holds earlier ones. */
export function noneNote(time: SpanRead, isBefore: boolean): string {
  const instead = isBefore ? " These are the newest from before." : "";
  return `${unfound(time)}${readingOf(time)}: no record is from that time.${instead}`;
}

/** The answer was found by the other words; `isAny`: some of it is from the time. */
export function boostNote(time: SpanRead, isAny: boolean): string {
  return `${readingOf(time)}: ${isAny ? "matches from that time come first." : "no match is from that time."}`;
}

/** No record has all the words of a question for the newest. */
export const newestNote = "Read as a question for the newest records, which these are.";

/** Some record has all the words. */
export const wordsNote =
  "Searched for the words, because some records contain all of them. A search without words lists the newest.";

function unfound({ is }: SpanRead): string {
  return is === "boost" ? "No record matches the other words. " : "";
}

function readingOf({ said, span }: SpanRead): string {
  const read = spanInWords(span);
  return `${said === read ? "Read as" : `"${said}" is read as`} ${read}, ${zoneName()}`;
}

/** `2026-01-31`, `2026-01-26 to 2026-02-01`, `2026-01-31 00:00 to 2026-01-31 12:00`: by the user's calendar. */
export function spanInWords({ start, end }: Span): string {
  const after = end + 1;
  const isDays = isMidnight(start) && isMidnight(after);
  if (!isDays) return `${localTime(start)} to ${localTime(after)}`;
  const [first, last] = [dayName(start), dayName(end)];
  return first === last ? first : `${first} to ${last}`;
}

// The days in a longer text are part of its story.
const longestQuestion = 300;

function readDates(words: string, now: number): TimeRead | null {
  const text = words.replaceAll(/\s+/g, " ");
  const dates = datesIn(text);
  const [first] = dates;
  if (first === undefined || dates.some(({ at }, place) => isNegated(text.slice(0, at), place))) return null;
  const others = dates.reduceRight((left, { at, end }) => `${left.slice(0, at)} ${left.slice(end)}`, text);
  if (hasTopic(others, sayingNothing(words))) return null;
  const spans = dates.map(({ date }) => localSpanOf(date, now));
  const isSince = /\bsince $/i.test(text.slice(0, first.at));
  // "Between 3 March and 5 March": from the first to the last.
  const span = {
    start: Math.min(...spans.map(({ start }) => start)),
    end: isSince ? now : Math.max(...spans.map(({ end }) => end)),
  };
  return span.start > span.end ? null : { is: "filter", said: spanInWords(span), span };
}

const negated = new RegExp(`${negatedBefore}$`, "i");

function isNegated(before: string, place: number): boolean {
  return negated.test(before) && !(place > 0 && /\b(?:until|till) $/i.test(before));
}

// "What did we do", "what happened": every prompt has the words of such a question.
function readLatest(words: string): TimeRead | null {
  return latestAsked.test(words) && !hasTopic(words, ofAllWork)
    ? { is: "filter", said: words, span: null }
    : null;
}

const latestAsked =
  /^\W*(?:(?:so|ok|okay|and|hey)\W+)?what\b(?:.*\b(?:we|i|you|us)\b.*\b(?:do|did|done|doing|been|work(?:ed|ing)?)\b|.*\b(?:did|have|has|had|were|was|are|am)\W+(?:we|i|you)\b|.*\b(?:happened|changed)\b)/i;

function hasTopic(words: string, without: ReadonlySet<string>): boolean {
  return ofCode.test(words) || topicWords(words).some((word) => !without.has(word));
}

/** A joined or called word is a name of the code: `session_list`, `todayList`, `report()`. */
const ofCode = /[\p{L}\p{N}](?:[_./-][\p{L}\p{N}]|[([])|\p{Ll}\p{Lu}/u;

/** No topic in any question. */
const ofAllWork: ReadonlySet<string> = new Set(
  "change changed happened project repo repository session work worked working".split(" "),
);

/** Words about any work: beside a time they are no topic. */
const ofAnyWork: ReadonlySet<string> = new Set(
  `accomplish accomplished achieve achieved activities activity anything been change changed changes changing
  codebase complete completed continue display entries everything find finish finished gave give go goes going happen happened
  happening happens know learn learned learnt left look made make making memories new news past
  previous progress project projects read recall recap recent recently recorded records remember remind repo repository
  resume see seen session sessions show since something start started status stuff summarise summarize summary
  tell thing things today's updated update updates week went work worked working works write written wrote
  yesterday's`.split(/\s+/),
);

// "Latest report", "code review of last week": without a request these words are the topic.
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
