// What a question for all of a time is answered with, and what an answer says of how a time was read.
import { type Span, within } from "./named-times.ts";
import { type AllOfTime, type RatherOfTime, spanInWords } from "./read-time.ts";
import type { SearchResults } from "./search.ts";
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
    return isEmpty(newest)
      ? newest
      : foundByTime(newest, "Nothing to look for: these are the newest records.");
  }
  const { filter } = asked;
  const ofThen = { ...asked, filter: { ...filter, ...within(span, filter) } };
  const found = await list(ofThen);
  const read = `${time.is === "rather" ? "Nothing was found by the other words. " : ""}${readingOf(time.said, span)}`;
  if (!isEmpty(found)) return foundByTime(found, `${read}: these are the records of then, newest first.`);
  // A page behind the last one.
  if (!isEmpty(await list({ ...ofThen, page: { limit: 1, offset: 0 } }))) return found;
  const before = await list({ ...asked, filter: { ...filter, dateEnd: ofThen.filter.dateStart - 1 } });
  const instead = isEmpty(before) ? "" : " These are the newest from before.";
  return { ...before, notes: [...before.notes, `${read}: no record is from then.${instead}`] };
}

/** The answer to words beside which a time was named, with how that was read. */
export function withTimeNote(found: SearchResults, { said, span }: RatherOfTime): SearchResults {
  const isOfThen = ({ created_at_epoch: at }: { created_at_epoch: number }) =>
    at >= span.start && at <= span.end;
  const { observations, sessions, prompts } = found;
  const isAny = [...observations, ...sessions, ...prompts].some(isOfThen);
  const note = isAny ? "what fits and is of then goes first." : "nothing that was found is of then.";
  return { ...found, notes: [...found.notes, `${readingOf(said, span)}: ${note}`] };
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

function readingOf(said: string, span: Span): string {
  const read = spanInWords(span);
  return `${said === read ? "Read as" : `"${said}" is read as`} ${read} (local time)`;
}
