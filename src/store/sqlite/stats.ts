// Counts and size of the database, for status and stats.
import type { Sqlite } from "./open.ts";

export interface DatabaseStats {
  path: string;
  /** Bytes of the database file, without its log. */
  size: number;
  observations: number;
  sessions: number;
  summaries: number;
  prompts: number;
  firstObservationAt: number | null;
}

/** A reader of the counts; counting 100,000 rows walks the smallest index, about a millisecond. */
export function createStats(db: Sqlite): () => DatabaseStats {
  const read = db.prepare<[], Omit<DatabaseStats, "path">>(
    `select
       (select count(*) from observations) as observations,
       (select count(*) from sessions) as sessions,
       (select count(*) from session_summaries) as summaries,
       (select count(*) from user_prompts where private = 0) as prompts,
       (select min(created_at_epoch) from observations) as firstObservationAt,
       (select page_count * page_size from pragma_page_count, pragma_page_size) as size`,
  );
  return () => {
    const counts = read.get();
    if (counts === undefined) throw new TypeError("a select of scalars gave no row");
    return { path: db.name, ...counts };
  };
}
