// Deletes events stored before their prompt turned out to be private.
import type { ProjectScope } from "../../core/records/tenancy.ts";
import type { Queryable } from "./open.ts";
import { rowsIn } from "./tenant.ts";

/**
 * Locks the open jobs of a session, so that none is claimed meanwhile. Call it before locking the session's row:
 * completion locks in the same order.
 */
export async function holdOpenJobs(
  connection: Queryable,
  scope: ProjectScope,
  content_session_id: string,
): Promise<void> {
  await rowsIn(connection, scope, {
    text: `select j.id
      from sessions s
      join generation_jobs j on j.team_id = $1 and j.project_id = $2 and j.session_id = s.id
      where s.team_id = $1 and s.project_id = $2 and s.content_session_id = $3 and j.status in ('queued', 'processing')
      order by j.seq
      for update of j`,
    values: [content_session_id],
  });
}

/** Deletes events that awaited one of the prompts, and their records, inside the prompt's transaction. */
export async function withdraw(
  connection: Queryable,
  scope: ProjectScope,
  { session, keys }: { session: string; keys: readonly string[] },
): Promise<void> {
  const found = await rowsIn<{ id: string }>(connection, scope, {
    text: `select id
      from agent_events
      where team_id = $1 and project_id = $2 and session_id = $3 and event_type <> 'user_prompt'
        and metadata ->> 'awaitedPrompt' = any ($4::text[])`,
    values: [session, keys],
  });
  if (found.length === 0) return;
  const values = [found.map(({ id }) => id)];
  // Jobs first: a completion either waits for this lock, or has stored its records before they are deleted.
  await rowsIn(connection, scope, {
    text: `delete from generation_jobs
      where team_id = $1 and project_id = $2 and source_id = any ($3::uuid[])`,
    values,
  });
  await rowsIn(connection, scope, {
    text: `delete from observations o
      using observation_sources s
      where s.team_id = $1 and s.project_id = $2 and s.source_id = any ($3::uuid[])
        and o.team_id = $1 and o.project_id = $2 and o.id = s.observation_id`,
    values,
  });
  await rowsIn(connection, scope, {
    text: "delete from agent_events where team_id = $1 and project_id = $2 and id = any ($3::uuid[])",
    values,
  });
  // The model saw the whole batch, and for the end of a turn earlier events too: its answer is discarded and the other
  // jobs are requeued.
  await rowsIn(connection, scope, {
    text: `update generation_jobs
      set status = 'queued', attempts = greatest(attempts - 1, 0), lease_token = null, lease_expires_at = null,
        locked_by = null, updated_at = now()
      where team_id = $1 and project_id = $2 and session_id = $3 and status = 'processing'`,
    values: [session],
  });
  await connection.query({ text: "select request_turn($1)", values: [scope.team_id] });
}
