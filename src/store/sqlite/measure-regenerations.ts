// How much is to be made again, before anything is: the records, their sessions, and the size of each message.
import { setImmediate } from "node:timers/promises";
import type { Sqlite } from "./open.ts";
import type { RegenerationSelection } from "./regenerations.ts";
import type { ChosenRow, SelectRegenerations } from "./select-regenerations.ts";

export interface RegenerationSize {
  observations: number;
  summaries: number;
  /** Of each session the bytes of each of its messages. */
  sessions: number[][];
}

// As many rows as a step of the choice reads.
const listedAtOnce = 1_000;

interface ListedRow extends Omit<ChosenRow, "record"> {
  observation: number | null;
  summary: number | null;
}

/** Measures what is listed, given up excepted, and what the selection would add to it; without one only what is listed. */
export function createMeasureRegenerations(
  db: Sqlite,
  { look, maxFailures }: { look: SelectRegenerations["look"]; maxFailures: number },
): (selection: RegenerationSelection | null) => Promise<RegenerationSize> {
  const listed = db.prepare<{ after: number; limit: number }, ListedRow>(
    `select g.raw_event_id as event, g.session_id as session, octet_length(r.payload) as size,
       s.observation_id as observation, u.id as summary
     from (
       select raw_event_id, session_id
       from regenerations
       where raw_event_id > @after and failures < ${maxFailures}
       order by raw_event_id
       limit @limit
     ) g
     cross join raw_events r on r.id = g.raw_event_id
     left join observation_sources s on s.raw_event_id = g.raw_event_id and s.cited = 0
     left join session_summaries u on u.generation_key = g.raw_event_id || ':0'
     order by g.raw_event_id`,
  );

  return async (selection) => {
    const records = { observation: new Set<number>(), summary: new Set<number>() };
    // By session from the start: to sort 100,000 at the end held up the worker for 90 ms.
    const sessions = new Map<number, Map<number, number>>();
    const note = ({ session, event, size }: Omit<ChosenRow, "record">): void => {
      const sizes = sessions.get(session);
      if (sizes === undefined) sessions.set(session, new Map([[event, size]]));
      else sizes.set(event, size);
    };
    for (let after = 0; ; ) {
      const rows = listed.all({ after, limit: listedAtOnce });
      for (const row of rows) {
        note(row);
        if (row.observation !== null) records.observation.add(row.observation);
        if (row.summary !== null) records.summary.add(row.summary);
      }
      const last = rows.at(-1);
      if (last === undefined) break;
      after = last.event;
      await setImmediate();
    }
    if (selection !== null) {
      for await (const { kind, rows } of look(selection))
        for (const row of rows) {
          records[kind].add(row.record);
          note(row);
        }
    }
    return {
      observations: records.observation.size,
      summaries: records.summary.size,
      sessions: [...sessions.values()].map((sizes) => [...sizes.values()]),
    };
  };
}
