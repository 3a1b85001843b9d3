// Counts over all teams, for `mem server status`.
import type { Queryable } from "./open.ts";

export interface ServerCounts {
  teams: number;
  projects: number;
  /** Neither expired nor revoked. */
  active_keys: number;
  /** Exact up to 100,000, then the planner's estimate: counting a million takes a second. */
  observations: number;
  jobs_queued: number;
  jobs_processing: number;
  jobs_failed: number;
  /** Teams with their own retention of raw events. */
  teams_with_retention: number;
}

/** As `mem_system`. */
export async function serverCounts(system: Queryable): Promise<ServerCounts> {
  const { rows } = await system.query<{ counts: ServerCounts }>({
    text: `select json_build_object(
        'teams', (select count(*) from teams),
        'projects', (select count(*) from projects),
        'active_keys', (select count(*) from api_keys where revoked_at is null and expires_at > now()),
        'observations', ${about("observations")},
        'jobs_queued', (select count(*) from generation_jobs where status = 'queued'),
        'jobs_processing', (select count(*) from generation_jobs where status = 'processing'),
        'jobs_failed', (select count(*) from generation_jobs where status = 'failed'),
        'teams_with_retention', (select count(*) from teams where retention_days is not null)
      ) as counts`,
  });
  const [row] = rows;
  return row?.counts ?? none;
}

/** SQL for the rows of a table: exact up to 100,000, then the planner's estimate. */
function about(table: string): string {
  return `(
    select case when few.n < 100000 then few.n else greatest(few.n, c.reltuples)::bigint end
    from (select count(*) as n from (select 1 from ${table} limit 100000) first) few, pg_class c
    where c.oid = 'mem.${table}'::regclass)`;
}

const none: ServerCounts = {
  teams: 0,
  projects: 0,
  active_keys: 0,
  observations: 0,
  jobs_queued: 0,
  jobs_processing: 0,
  jobs_failed: 0,
  teams_with_retention: 0,
};
