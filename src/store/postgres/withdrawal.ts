// Takes back what was stored under a prompt that was not known yet and then turned out to be private.
import type { ProjectScope } from "../../core/records/tenancy.ts";
import type { Queryable } from "./open.ts";

/**
 * Holds the jobs of a session that wait or are worked on: none is claimed meanwhile. Called before the session's row is
 * held: who completes jobs holds them first too, and the row after.
 */
export async function holdOpenJobs(
  connection: Queryable,
  { team_id, project_id }: ProjectScope,
  content_session_id: string,
): Promise<void> {
  await connection.query({
    text: `select j.id
      from sessions s
      join generation_jobs j on j.team_id = $1 and j.project_id = $2 and j.session_id = s.id
      where s.team_id = $1 and s.project_id = $2 and s.content_session_id = $3 and j.status in ('queued', 'processing')
      order by j.seq
      for update of j`,
    values: [team_id, project_id, content_session_id],
  });
}

/** Removes what awaited one of the prompts, and all records made of it, inside the transaction of the prompt. */
export async function withdraw(
  connection: Queryable,
  { team_id, project_id }: ProjectScope,
  { session, keys }: { session: string; keys: readonly string[] },
): Promise<void> {
  const bounds = [team_id, project_id];
  const { rows } = await connection.query<{ id: string }>({
    text: `select id
      from agent_events
      where team_id = $1 and project_id = $2 and session_id = $3 and event_type <> 'user_prompt'
        and metadata ->> 'awaitedPrompt' = any ($4::text[])`,
    values: [...bounds, session, keys],
  });
  const events = rows.map(({ id }) => id);
  if (events.length === 0) return;
  // Jobs first: a worker that is about to store what it made of one waits here, or has stored it when the records go.
  await connection.query({
    text: `delete from generation_jobs
      where team_id = $1 and project_id = $2 and source_id = any ($3::uuid[])`,
    values: [...bounds, events],
  });
  await connection.query({
    text: `delete from observations o
      using observation_sources s
      where s.team_id = $1 and s.project_id = $2 and s.source_id = any ($3::uuid[])
        and o.team_id = $1 and o.project_id = $2 and o.id = s.observation_id`,
    values: [...bounds, events],
  });
  await connection.query({
    text: "delete from agent_events where team_id = $1 and project_id = $2 and id = any ($3::uuid[])",
    values: [...bounds, events],
  });
  // A model was shown the whole batch, and with the end of a turn what came before it as well: its answer is worth nothing,
  // and the other events are worked on again.
  await connection.query({
    text: `update generation_jobs
      set status = 'queued', attempts = greatest(attempts - 1, 0), lease_token = null, lease_expires_at = null,
        locked_by = null, updated_at = now()
      where team_id = $1 and project_id = $2 and session_id = $3 and status = 'processing'`,
    values: [...bounds, session],
  });
  await connection.query({ text: "select request_turn($1)", values: [team_id] });
}
