// What an observation refers to: the raw events it was made from or cites, and the commands it is a known fix for.
import type { DraftObservation } from "../../core/records/drafts.ts";
import type { Sqlite } from "./open.ts";

export interface LinkedObservation {
  draft: Pick<DraftObservation, "statement">;
  /** Null for a rule that the user wrote outside of any session. */
  session_id: number | null;
  /** Raw events it was made from; empty for one that was recorded by hand. */
  sources: readonly number[];
  /** Other raw events that it cites; those that the session does not have are left out. */
  cited?: readonly number[];
}

/** Writers of the links; they run in the transaction of the record. */
export function createObservationLinks(db: Sqlite) {
  const addSource = db.prepare<[number, number]>(
    "insert into observation_sources (observation_id, raw_event_id) values (?, ?) on conflict do nothing",
  );
  const cite = db.prepare<{ id: number; event: number; session: number | null }>(
    `insert into observation_sources (observation_id, raw_event_id, cited)
     select @id, id, 1
     from raw_events
     where id = @event and session_id = @session
     on conflict do nothing`,
  );
  const addFamily = db.prepare<[string, number]>(
    "insert into fix_commands (family, observation_id) values (?, ?) on conflict do nothing",
  );
  const dropSources = db.prepare<[number]>("delete from observation_sources where observation_id = ?");
  const dropFamilies = db.prepare<[number]>("delete from fix_commands where observation_id = ?");

  return {
    add(id: number, { draft, session_id, sources, cited = [] }: LinkedObservation): void {
      for (const source of sources) addSource.run(id, source);
      for (const event of cited) cite.run({ id, event, session: session_id });
      for (const family of draft.statement?.families ?? []) addFamily.run(family, id);
    },
    drop(id: number): void {
      dropSources.run(id);
      dropFamilies.run(id);
    },
  };
}
