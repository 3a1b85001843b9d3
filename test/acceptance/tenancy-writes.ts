// Counts the writes in the tables of tenants, by triggers, so that a case that wrote nothing is known without reading rows.
import type { Database } from "../../src/store/postgres/open.ts";

/** Tables of the records of projects. */
export const tables = [
  ...["sessions", "agent_events", "generation_jobs", "observations", "idempotency_keys"],
  ...["observation_sources", "observation_search", "fix_commands"],
];

/** Counts the writes in all tables that fingerprints are of: most cases write nothing, and a fingerprint reads every row. */
export async function countWrites({ owner }: Pick<Database, "owner">): Promise<void> {
  const watched = [...tables, "api_keys", "projects", "teams"].map(
    (table) => `create trigger counted after insert or update or delete on mem.${table}
      for each row execute function traces.count()`,
  );
  await owner.query(`
    create schema traces;
    create sequence traces.writes;
    grant usage on schema traces to mem_system;
    grant select on sequence traces.writes to mem_system;
    create function traces.count() returns trigger language plpgsql security definer
      as 'begin perform nextval(''traces.writes''); return null; end';
    ${watched.join(";\n")}`);
}
