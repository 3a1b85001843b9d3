// What is kept for a while only: raw events whose days are over, answers to repeated requests, counters of old minutes.
import type { Queryable } from "./open.ts";

/**
 * Deletes raw events, prompts among them, older than their team keeps them, `limit` at most; how many. An event whose job
 * is not done stays, and so does everything that was made of it. Teams that say nothing are not walked one by one: their
 * old events are found by age. As `mem_system`.
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
