// Date-filtered search: words that name a time list records of that period, or rank them first, with a note.
import type { ObservationFilter } from "../../core/records/hosted-record.ts";
import type { ProjectScope } from "../../core/records/tenancy.ts";
import type { SearchAnswer } from "../../http/v1/recall.ts";
import type { Span } from "../../recall/named-times.ts";
import {
  boostNote,
  type DateBoost,
  type DateFilter,
  filterNote,
  newestNote,
  noneNote,
  type TimeRead,
  wordsNote,
} from "../../recall/read-time.ts";
import { observationsOfTime, recentObservations, seqsOfTime } from "../../store/postgres/observations.ts";
import type { Queryable } from "../../store/postgres/open.ts";

/** Results by words; `isWhole`: one of them matches every word. */
export interface FoundByWords {
  answer: SearchAnswer;
  isWhole: boolean;
}

/** A period that ranks first, with its newest records. */
export interface OfThen {
  span: Span;
  seqs: readonly number[];
}

export interface TimedSearch {
  words: string;
  filter: ObservationFilter;
  limit: number;
  /** Searches by words. */
  byWords(words: string, ofThen: OfThen | null): Promise<FoundByWords>;
}

// As many as the candidates of all times, so that a large project compares records of the period too.
const comparedOfThen = 60;

/** The answer to words that name a time, inside the caller's transaction. */
export function searchWithTime(
  connection: Queryable,
  scope: ProjectScope,
  asked: TimedSearch & { time: TimeRead },
): Promise<SearchAnswer> {
  const { time } = asked;
  if (time.is === "boost") return besideWords(connection, scope, { ...asked, time });
  const { span } = time;
  return span === null
    ? newestOrWords(connection, scope, asked)
    : listOfTime(connection, scope, { ...asked, time: { ...time, span } });
}

async function besideWords(
  connection: Queryable,
  scope: ProjectScope,
  asked: TimedSearch & { time: DateBoost },
): Promise<SearchAnswer> {
  const { time, filter, byWords } = asked;
  const { span } = time;
  const seqs = await seqsOfTime(connection, scope, { filter, limit: comparedOfThen, ...span });
  // A period without records cannot rank anything; its words are searched as text.
  const { answer } =
    seqs.length === 0 ? await byWords(asked.words, null) : await byWords(time.words.trim(), { span, seqs });
  if (answer.found.length === 0 || answer.listed !== undefined) return listOfTime(connection, scope, asked);
  const isAny = answer.found.some(({ created_at_epoch: at }) => at >= span.start && at <= span.end);
  return { ...answer, notes: [...answer.notes, boostNote(time, isAny)] };
}

async function newestOrWords(
  connection: Queryable,
  scope: ProjectScope,
  { words, filter, limit, byWords }: TimedSearch,
): Promise<SearchAnswer> {
  const { answer, isWhole } = await byWords(words, null);
  if (isWhole) return { ...answer, notes: [...answer.notes, wordsNote] };
  const found = await recentObservations(connection, scope, { filter, limit });
  return { found, listed: "time", notes: found.length === 0 ? [] : [newestNote] };
}

async function listOfTime(
  connection: Queryable,
  scope: ProjectScope,
  { time, filter, limit }: TimedSearch & { time: (DateFilter | DateBoost) & { span: Span } },
): Promise<SearchAnswer> {
  const { span } = time;
  const ofThen = await observationsOfTime(connection, scope, { filter, limit, ...span });
  if (ofThen.length > 0) return { found: ofThen, listed: "time", notes: [filterNote(time)] };
  const before = { start: 0, end: span.start - 1 };
  const found = await observationsOfTime(connection, scope, { filter, limit, ...before });
  return { found, listed: "filters", notes: [noneNote(time, found.length > 0)] };
}
