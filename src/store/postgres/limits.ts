// The counters behind the guards: one statement counts and decides for all requests of a key that arrived together.
import type { Queryable } from "./open.ts";

export interface AdmissionQuery {
  team_id: string;
  /** Null where the server runs without keys: no rate then. */
  key_id: string | null;
  /** Requests that ask together. */
  wanted: number;
  /** 0 is no limit. */
  per_minute: number;
  /** 0 is no cap. */
  month_cap: number;
}

export interface Admission {
  /** How many of them the rate lets through, and how many of those the month's cap does. */
  rate_granted: number;
  month_granted: number;
  /** Requests counted in the minute before this one, in this one, and how far this one is. */
  previous: number;
  counted: number;
  elapsed_ms: number;
  month_used: number;
  tokens_used: number;
}

/** As `mem_system`, bounded by the team in the function's own text. */
export async function admitRequests(system: Queryable, query: AdmissionQuery): Promise<Admission> {
  const { rows } = await system.query<Admission>({
    name: "admit-requests",
    text: `select rate_granted, month_granted, previous, counted, elapsed_ms,
        month_used::float8 as month_used, tokens_used::float8 as tokens_used
      from admit_requests($1, $2, $3, $4, $5)`,
    values: [query.team_id, query.key_id, query.wanted, query.per_minute, query.month_cap],
  });
  const [row] = rows;
  if (row === undefined) throw new TypeError("a function returned no row");
  return row;
}

/** Requests of one team, project and key that were answered, to be recorded. */
export interface MeteredRequest {
  team_id: string;
  project_id: string | null;
  api_key_id: string | null;
}

/**
 * One `request` event for each, in one statement; the month's totals with them unless a cap's guard has counted already.
 * As `mem_system`.
 */
export async function recordRequests(
  system: Queryable,
  requests: readonly MeteredRequest[],
  countTotals: boolean,
): Promise<void> {
  await system.query({
    name: "record-requests",
    text: `with request as (
        select team_id, project_id, api_key_id
        from jsonb_to_recordset($1::jsonb) as r (team_id uuid, project_id uuid, api_key_id uuid)),
      event as (
        insert into usage_events (team_id, project_id, api_key_id, kind, quantity)
        select team_id, project_id, api_key_id, 'request', 1 from request)
      insert into usage_rollups as r (team_id, month, kind, total)
      select team_id, date_trunc('month', now() at time zone 'UTC')::date, 'request', count(*)
      from request
      where $2
      group by team_id
      order by team_id
      on conflict (team_id, month, kind) do update set total = r.total + excluded.total`,
    values: [JSON.stringify(requests), countTotals],
  });
}

/** Forgets the counters of minutes that are over. */
export async function forgetOldCounters(system: Queryable): Promise<number> {
  const { rowCount } = await system.query({
    name: "forget-old-counters",
    text: "delete from rate_limit_counters where window_start < now() - interval '5 minutes'",
  });
  return rowCount ?? 0;
}

/** The team's totals of this UTC month by kind, and the month's first moment. */
export async function usageThisMonth(
  connection: Queryable,
  team_id: string,
): Promise<{ since_epoch: number; totals: Record<string, number> }> {
  const { rows } = await connection.query<{ since_epoch: number; totals: Record<string, number> }>({
    name: "usage-this-month",
    text: `select
        (extract(epoch from date_trunc('month', now() at time zone 'UTC') at time zone 'UTC') * 1000)::float8
          as since_epoch,
        coalesce((
          select json_object_agg(kind, total)
          from usage_rollups
          where team_id = $1 and month = date_trunc('month', now() at time zone 'UTC')::date), '{}') as totals`,
    values: [team_id],
  });
  return rows[0] ?? { since_epoch: 0, totals: {} };
}
