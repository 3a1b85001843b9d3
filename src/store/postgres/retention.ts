// Deletes expired raw events and idempotency keys.
import type { Queryable } from "./open.ts";

/**
 * Deletes at most `limit` raw events, prompts among them, that are older than their team's retention; returns how many. An
 * event with an open job stays, and so do observations. Teams without their own retention share one scan by age. As
 * `mem_system`.
 */
export async function deleteOldEvents(
  system: Queryable,
  { defaultDays, limit }: { defaultDays: number; limit: number },
): Promise<number> {
  const { rowCount } = await system.query({
    name: "delete-old-events",
    text: `delete from agent_events
      where id in (
        (select e.id
          from agent_events e
          join teams t on t.id = e.team_id
          where t.retention_days is null and e.received_at < now() - $1 * interval '1 day' and ${isSettled}
          limit $2)
        union all
        (select own.id
          from teams t
          cross join lateral (
            select e.id
            from agent_events e
            where e.team_id = t.id and e.received_at < now() - t.retention_days * interval '1 day' and ${isSettled}
            limit $2) own
          where t.retention_days is not null
          limit $2)
        limit $2)`,
    values: [defaultDays, limit],
  });
  return rowCount ?? 0;
}

const isSettled = `not exists (
  select 1 from generation_jobs j
  where j.team_id = e.team_id and j.project_id = e.project_id and j.source_id = e.id
    and j.status in ('queued', 'processing'))`;

/** Deletes idempotency keys after two days; clients repeat a request within minutes. */
export async function deleteOldIdempotencyKeys(system: Queryable, limit: number): Promise<number> {
  const { rowCount } = await system.query({
    name: "delete-old-idempotency-keys",
    text: `delete from idempotency_keys
      where ctid in (
        select ctid from idempotency_keys
        where created_at < now() - interval '48 hours'
        limit $1)`,
    values: [limit],
  });
  return rowCount ?? 0;
}
