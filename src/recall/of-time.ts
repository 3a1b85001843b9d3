// What a question for all of a time is answered with.
import { type Span, within } from "./named-times.ts";
import type { AllOfTime, RatherOfTime } from "./read-time.ts";
import type { SearchResults } from "./search.ts";
import { allOfThen, besideTime, newestInstead, noneOfThen } from "./time-notes.ts";
import type { Asked } from "./ways.ts";

/** What the filters of a search let through, newest first. */
export type ListNewest = (asked: Asked) => Promise<SearchResults>;

/** The records of the time, newest first; of one without any the newest from before it, and a note that says so. */
export async function recordsOfTime(
  asked: Asked,
  time: AllOfTime | RatherOfTime,
  list: ListNewest,
): Promise<SearchResults> {
  const { span } = time;
  if (span === null) {
    const newest = await list(asked);
    return isEmpty(newest) ? newest : foundByTime(newest, newestInstead);
  }
  return recordsOfSpan(asked, { ...time, span }, list);
}

async function recordsOfSpan(
  asked: Asked,
  time: (AllOfTime | RatherOfTime) & { span: Span },
  list: ListNewest,
): Promise<SearchResults> {
  const { filter } = asked;
  const ofThen = { ...asked, filter: { ...filter, ...within(time.span, filter) } };
  const found = await list(ofThen);
  if (!isEmpty(found)) return foundByTime(found, allOfThen(time));
  // A page behind the last one.
  if (!isEmpty(await list({ ...ofThen, page: { limit: 1, offset: 0 } }))) return found;
  const before = await list({ ...asked, filter: { ...filter, dateEnd: ofThen.filter.dateStart - 1 } });
  return { ...before, notes: [...before.notes, noneOfThen(time, !isEmpty(before))] };
}

/** The answer to words beside which a time was named, with how that was read. */
export function withTimeNote(found: SearchResults, time: RatherOfTime): SearchResults {
  const { start, end } = time.span;
  const { observations, sessions, prompts } = found;
  const isAny = [...observations, ...sessions, ...prompts].some(
    ({ created_at_epoch: at }) => at >= start && at <= end,
  );
  return { ...found, notes: [...found.notes, besideTime(time, isAny)] };
}

export function isEmpty({ observations, sessions, prompts }: SearchResults): boolean {
  return observations.length === 0 && sessions.length === 0 && prompts.length === 0;
}

function foundByTime({ observations, sessions, prompts, notes }: SearchResults, note: string): SearchResults {
  const ofTime = <H extends object>(hit: H) => ({ ...hit, matched_by: ["time" as const] });
  return {
    observations: observations.map(ofTime),
    sessions: sessions.map(ofTime),
    prompts: prompts.map(ofTime),
    notes: [...notes, note],
  };
}
