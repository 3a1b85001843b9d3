// Tenants, sessions, events and jobs as the ingest of the hosted server leaves them, for tests of what comes after.

import { newId } from "../../src/core/ids.ts";
import type { ProjectScope } from "../../src/core/records/tenancy.ts";
import type { Database } from "../../src/store/postgres/open.ts";
import type { Json } from "../../src/text/json.ts";

/** A team with one project. */
export async function makeTenant({ system }: Pick<Database, "system">): Promise<ProjectScope> {
  const [team_id, project_id] = [newId(), newId()];
  await system.query({
    text: "insert into teams (id, name) values ($1, $2)",
    values: [team_id, `team ${team_id}`],
  });
  await system.query({
    text: "insert into projects (id, team_id, name) values ($1, $2, 'project')",
    values: [project_id, team_id],
  });
  return { team_id, project_id };
}

interface Enqueued {
  event_type?: string;
  payload?: Json;
  session?: string | null;
  /** False leaves the turn to the sweep. */
  turn?: boolean;
}

/** One event with its job, in one transaction with the request of a turn; the job's id. */
export async function enqueueEvent(
  { system }: Pick<Database, "system">,
  { team_id, project_id }: ProjectScope,
  { event_type = "tool_use", payload = toolUse("ls", "a.ts"), session = null, turn = true }: Enqueued = {},
): Promise<string> {
  const [event, job] = [newId(), newId()];
  await system.query({
    text: `with owner as (select memory_epoch from projects where team_id = $1 and id = $2),
      stored as (
        insert into agent_events
          (id, team_id, project_id, session_id, source_type, event_type, payload, memory_epoch, occurred_at)
        select $3, $1, $2, $4::uuid, 'hook', $5, $6::jsonb, memory_epoch, now() from owner),
      queued as (
        insert into generation_jobs (id, team_id, project_id, session_id, source_type, source_id, memory_epoch)
        select $7, $1, $2, $4::uuid, 'agent_event', $3, memory_epoch from owner)
      select case when $8 then request_turn($1) end`,
    values: [team_id, project_id, event, session, event_type, JSON.stringify(payload), job, turn],
  });
  return job;
}

/** Queues tool uses in one statement, without asking for a turn: for a backlog. */
export async function enqueueToolUses(
  { system }: Pick<Database, "system">,
  { team_id, project_id }: ProjectScope,
  uses: readonly { session: string | null; payload: Json }[],
): Promise<void> {
  const rows = uses.map((use) => ({ ...use, event: newId(), job: newId() }));
  await system.query({
    text: `with given as (
        select e.*, p.memory_epoch
        from projects p, jsonb_to_recordset($3::jsonb) as e(event uuid, job uuid, session uuid, payload jsonb)
        where p.team_id = $1 and p.id = $2),
      stored as (
        insert into agent_events
          (id, team_id, project_id, session_id, source_type, event_type, payload, memory_epoch, occurred_at)
        select event, $1, $2, session, 'hook', 'tool_use', payload, memory_epoch, now() from given)
      insert into generation_jobs (id, team_id, project_id, session_id, source_type, source_id, memory_epoch)
      select job, $1, $2, session, 'agent_event', event, memory_epoch from given`,
    values: [team_id, project_id, JSON.stringify(rows)],
  });
}

/** How many jobs were done before this one; null while it is not. */
export async function doneBefore(
  { system }: Pick<Database, "system">,
  { team_id }: ProjectScope,
  job: string,
): Promise<number | null> {
  const { rows } = await system.query<{ n: number | null }>({
    text: `select case when own.completed_at is not null then (
          select count(*)::int
          from generation_jobs j
          where j.team_id = $1 and j.completed_at < own.completed_at) end as n
      from generation_jobs own
      where own.id = $2`,
    values: [team_id, job],
  });
  return rows[0]?.n ?? null;
}

/** A session of the project; its id. */
export async function makeSession(
  { system }: Pick<Database, "system">,
  { team_id, project_id }: ProjectScope,
  status: "active" | "completed" = "active",
): Promise<string> {
  const id = newId();
  await system.query({
    text: `insert into sessions (id, team_id, project_id, content_session_id, status, memory_epoch)
      select $3, $1, $2, $4, $5, memory_epoch from projects where team_id = $1 and id = $2`,
    values: [team_id, project_id, id, `content-${id}`, status],
  });
  return id;
}

/** The payload of a shell command. */
export function toolUse(command: string, output: string): Json {
  return { tool_name: "Bash", tool_input: { command }, tool_response: { stdout: output } };
}

/** A summary of the session, asked for with an event that says what was said last. */
export async function enqueueSummary(
  { system }: Pick<Database, "system">,
  { team_id, project_id }: ProjectScope,
  session: string,
  payload: Json,
): Promise<void> {
  const event = newId();
  await system.query({
    text: `with owner as (select memory_epoch from projects where team_id = $1 and id = $2),
      stored as (
        insert into agent_events
          (id, team_id, project_id, session_id, source_type, event_type, payload, memory_epoch, occurred_at)
        select $3, $1, $2, $4, 'hook', 'stop', $5::jsonb, memory_epoch, now() from owner),
      queued as (
        insert into generation_jobs
          (id, team_id, project_id, session_id, source_type, source_id, job_type, memory_epoch)
        select $6, $1, $2, $4, 'session_summary', $3, 'session_summary', memory_epoch from owner)
      select request_turn($1)`,
    values: [team_id, project_id, event, session, JSON.stringify(payload), newId()],
  });
}
