// What is kept for a while only: raw events whose days are over, answers to repeated requests, counters of old minutes.
import type { Queryable } from "./open.ts";

/**
 * Deletes raw events older than their team keeps them, `limit` at most; how many. An event whose job is not done stays, and
 * so does everything that was made of it. As `mem_system`.
 */
export async function deleteOldEvents(
  system: Queryable,
  { defaultDays, limit }: { defaultDays: number; limit: number },
): Promise<number> {
  const { rowCount } = await system.query({
    name: "delete-old-events",
    text: `delete from agent_events
      where id in (
        select e.id
        from teams t
        cross join lateral (
          select e.id
          from agent_events e
          where e.team_id = t.id
            and e.received_at < now() - coalesce(t.retention_days, $1) * interval '1 day'
            and not exists (
              select 1 from generation_jobs j
              where j.team_id = e.team_id and j.project_id = e.project_id and j.source_id = e.id
                and j.status in ('queued', 'processing'))
          limit $2) e
        limit $2)`,
    values: [defaultDays, limit],
  });
  return rowCount ?? 0;
}

/** Forgets idempotency keys after two days: a client that repeats a request does so within minutes. */
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
