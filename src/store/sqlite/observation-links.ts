// References of an observation: its raw events, the events it cites, and the commands it is a known fix for.
import type { DraftObservation } from "../../core/records/drafts.ts";
import type { Sqlite } from "./open.ts";
import { createSql } from "./sql.ts";

export interface LinkedObservation {
  draft: Pick<DraftObservation, "statement">;
  /** Null for a rule written outside of a session. */
  session_id: number | null;
  /** Raw events it was made from; empty for a manual record. */
  sources: readonly number[];
  /** Other raw events that it cites; events of other sessions are left out. */
  cited?: readonly number[];
}

/** Runs in the transaction of the record. */
export function createObservationLinks(db: Sqlite) {
  const sql = createSql(db);
  const addSource = sql.run<[id: number, event: number]>(
    "insert into observation_sources (observation_id, raw_event_id) values (?, ?) on conflict do nothing",
  );
  const cite = sql.run<[{ id: number; event: number; session: number | null }]>(
    `insert into observation_sources (observation_id, raw_event_id, cited)
     select @id, id, 1
     from raw_events
     where id = @event and session_id = @session
     on conflict do nothing`,
  );
  const addFamily = sql.run<[family: string, id: number]>(
    "insert into fix_commands (family, observation_id) values (?, ?) on conflict do nothing",
  );
  const drops = ["observation_sources", "fix_commands"].map((table) =>
    sql.run<[id: number]>(`delete from ${table} where observation_id = ?`),
  );
  return {
    add(id: number, { draft, session_id, sources, cited = [] }: LinkedObservation): void {
      for (const source of sources) addSource(id, source);
      for (const event of cited) cite({ id, event, session: session_id });
      for (const family of draft.statement?.families ?? []) addFamily(family, id);
    },
    drop(id: number): void {
      for (const drop of drops) drop(id);
    },
  };
}
