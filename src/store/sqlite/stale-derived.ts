// Derived rows of an older form, made anew a few at a time. The list of them is a table, so a stopped worker goes on.
import type { Observation, SessionSummary, UserPrompt } from "../../core/records/records.ts";
import { createDerivedRows } from "./derived-rows.ts";
import type { Sqlite } from "./open.ts";

export interface StaleDerived {
  /** Makes the rows of at most `limit` records anew, in the caller's transaction; how many it took off the list. */
  renew(limit: number): number;
}

/**
 * 100,000 observations take about 20 s of work: too long for a start, nothing for a worker that does 50 now and then.
 * What waits is found meanwhile by its old row, but for single characters of scripts without spaces.
 */
export function createStaleDerived(db: Sqlite): StaleDerived {
  const derived = createDerivedRows(db);
  const next = db.prepare<[number], { kind: string; id: number }>(
    "select kind, id from stale_derived order by kind, id limit ?",
  );
  const done = db.prepare<[string, number]>("delete from stale_derived where kind = ? and id = ?");
  const observation = db.prepare<[number], Observation>("select * from observations where id = ?");
  const summary = db.prepare<[number], SessionSummary>("select * from session_summaries where id = ?");
  const prompt = db.prepare<[number], UserPrompt & { private: 0 | 1 }>(
    "select * from user_prompts where id = ?",
  );

  function renewOne(kind: string, id: number): void {
    if (kind === "observations") {
      derived.dropObservation(id);
      const found = observation.get(id);
      if (found !== undefined) derived.ofObservation(found);
    } else if (kind === "session_summaries") {
      derived.dropSummary(id);
      const found = summary.get(id);
      if (found !== undefined) derived.ofSummary(found);
    } else {
      derived.dropPrompt(id);
      const found = prompt.get(id);
      if (found !== undefined && found.private === 0) derived.ofPrompt(found);
    }
  }

  return {
    renew(limit) {
      const rows = next.all(limit);
      for (const { kind, id } of rows) {
        renewOne(kind, id);
        done.run(kind, id);
      }
      return rows.length;
    },
  };
}
