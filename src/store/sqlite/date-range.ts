// Between which ids the observations of a span of time are: inside a full-text match that costs next to nothing, while
// to look at the time of each row that matches took 45 ms at 100,000 observations.
import type { RecordFilter } from "../../core/records/search.ts";
import type { Sqlite } from "./open.ts";

export interface IdRange {
  first: number;
  last: number;
  /** True when no other record has an id in between: the ids alone say what the dates say. */
  isExact: boolean;
}

type Dates = Pick<RecordFilter, "dateStart" | "dateEnd">;

/** Null when no observation is of that time. Both statements walk the index of times: 4 ms at 100,000 observations. */
export function createDateRange(db: Sqlite): (dates: Dates) => IdRange | null {
  const inside = db.prepare<Span, Ends>(
    `select min(id) as first, max(id) as last
     from observations indexed by observations_time
     where created_at_epoch between @start and @end`,
  );
  const others = db
    .prepare<Span & Ends, number>(
      `select exists (
         select 1
         from observations indexed by observations_time
         where created_at_epoch < @start and id between @first and @last) or exists (
         select 1
         from observations indexed by observations_time
         where created_at_epoch > @end and id between @first and @last)`,
    )
    .pluck();
  return ({ dateStart, dateEnd }) => {
    if (dateStart === null && dateEnd === null) return everything;
    const span = { start: dateStart ?? Number.MIN_SAFE_INTEGER, end: dateEnd ?? Number.MAX_SAFE_INTEGER };
    const { first, last } = inside.get(span) ?? none;
    if (first === null || last === null) return null;
    return { first, last, isExact: others.get({ ...span, first, last }) === 0 };
  };
}

interface Span {
  start: number;
  end: number;
}

interface Ends {
  first: number | null;
  last: number | null;
}

const none: Ends = { first: null, last: null };
/** Of no dates at all. */
export const everything: IdRange = {
  first: Number.MIN_SAFE_INTEGER,
  last: Number.MAX_SAFE_INTEGER,
  isExact: true,
};
