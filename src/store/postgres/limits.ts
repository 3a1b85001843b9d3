// Counters of the limits: one statement counts and decides for a batch of requests of a team.
import type { Queryable } from "./open.ts";

/** A batch of requests of one team. */
export interface AdmissionQuery {
  team_id: string;
  /** One entry for each key. */
  keys: readonly AskingKey[];
  /** 0 is no limit. */
  per_minute: number;
  /** 0 is no cap. */
  month_cap: number;
  /** The time, for tests; default: the database's clock. */
  at_epoch?: number;
}

export interface AskingKey {
  /** Null on a server without keys, which has no rate limit. */
  key_id: string | null;
  wanted: number;
  /** How many of them pass the monthly caps; they come first. */
  open: number;
}

export interface Admission {
  /** In the order of the keys. */
  rates: KeyRate[];
  /** How many requests that passed the rate, and are not open, pass the monthly cap. */
  month_granted: number;
  month_used: number;
  tokens_used: number;
}

export interface KeyRate {
  granted: number;
  remaining: number;
  /** When the whole limit is available again. */
  reset_epoch_seconds: number;
  /** Seconds until one request may pass; 0 when one may. */
  retry_after_seconds: number;
}

interface AdmissionRow extends Omit<Admission, "rates"> {
  granted: number[];
  remaining: number[];
  reset_at: number[];
  retry_after: number[];
}

/** As `mem_system`; the SQL function is bound to the team. */
export async function admitRequests(system: Queryable, query: AdmissionQuery): Promise<Admission> {
  const { team_id, keys, per_minute, month_cap, at_epoch } = query;
  const { rows } = await system.query<AdmissionRow>({
    name: "admit-together",
    text: `select granted, remaining, reset_at, retry_after, month_granted,
        month_used::float8 as month_used, tokens_used::float8 as tokens_used
      from admit_together($1, $2, $3, $4, $5, $6, to_timestamp($7::float8 / 1000))`,
    values: [
      team_id,
      keys.map(({ key_id }) => key_id),
      keys.map(({ wanted }) => wanted),
      keys.map(({ open }) => open),
      per_minute,
      month_cap,
      at_epoch ?? null,
    ],
  });
  const [row] = rows;
  if (row === undefined) throw new TypeError("a function returned no row");
  const { granted, remaining, reset_at, retry_after, ...month } = row;
  return {
    ...month,
    rates: granted.map((count, at) => ({
      granted: count,
      remaining: remaining[at] ?? 0,
      reset_epoch_seconds: reset_at[at] ?? 0,
      retry_after_seconds: retry_after[at] ?? 0,
    })),
  };
}

/** An answered request to record. */
export interface MeteredRequest {
  team_id: string;
  project_id: string | null;
  api_key_id: string | null;
}

/** Records one `request` event for each; with `countTotals` also the monthly totals. As `mem_system`. */
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

/** Deletes counters of past minutes, also of nodes with an older version. */
export async function forgetOldCounters(system: Queryable): Promise<number> {
  const { rowCount } = await system.query({
    name: "forget-old-windows",
    text: `delete from rate_limit_windows
      where newest_second < extract(epoch from now() - interval '5 minutes')`,
  });
  await system.query({
    name: "forget-old-counters",
    text: "delete from rate_limit_counters where window_start < now() - interval '5 minutes'",
  });
  return rowCount ?? 0;
}

/** The team's totals of this UTC month by kind, and the start of the month. */
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
