// The range of ids of the observations of a span of time. Inside a full-text match an id range costs next to nothing;
// reading the time of each matching row took 45 ms at 100,000 observations.
import type { RecordFilter } from "../../core/records/search.ts";
import type { Sqlite } from "./open.ts";
import { createSql } from "./sql.ts";

export interface IdRange {
  first: number;
  last: number;
  /** True when no record of another time has an id in the range. */
  isExact: boolean;
}

/** The range without dates. */
export const everything: IdRange = {
  first: Number.MIN_SAFE_INTEGER,
  last: Number.MAX_SAFE_INTEGER,
  isExact: true,
};

type Dates = Pick<RecordFilter, "dateStart" | "dateEnd">;
type Span = { start: number; end: number };
type Ends = { first: number | null; last: number | null };

/** Null when the span has no observation. Both statements read the index of times: 4 ms at 100,000 observations. */
export function createDateRange(db: Sqlite): (dates: Dates) => IdRange | null {
  const sql = createSql(db);
  const inside = sql.get<[Span], Ends>(
    `select min(id) as first, max(id) as last
     from observations indexed by observations_time
     where created_at_epoch between @start and @end`,
  );
  const exists = (condition: string) =>
    `exists (
       select 1
       from observations indexed by observations_time
       where ${condition} and id between @first and @last)`;
  const others = sql.value<[Span & Ends], number>(
    `select ${exists("created_at_epoch < @start")} or ${exists("created_at_epoch > @end")}`,
  );
  return ({ dateStart, dateEnd }) => {
    if (dateStart === null && dateEnd === null) return everything;
    const span = { start: dateStart ?? Number.MIN_SAFE_INTEGER, end: dateEnd ?? Number.MAX_SAFE_INTEGER };
    const { first, last } = inside(span) ?? { first: null, last: null };
    if (first === null || last === null) return null;
    return { first, last, isExact: others({ ...span, first, last }) === 0 };
  };
}
