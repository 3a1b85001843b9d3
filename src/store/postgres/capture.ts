// One step of a session in one transaction: read under its lock, decide, store.

import type { ProjectScope } from "../../core/records/tenancy.ts";
import type { Json, JsonObject } from "../../text/json.ts";
import { epochMs } from "./epoch-ms.ts";
import { batchItem, type NewEvent, storeEvents } from "./event-batch.ts";
import type { Connections, Queryable } from "./open.ts";
import { holdProject, queueSummary } from "./sessions.ts";
import { inTenant, rowsIn } from "./tenant.ts";
import { holdOpenJobs, withdraw } from "./withdrawal.ts";

/** The session of a step, and the prompts it may refer to. */
export interface AskedSession {
  content_session_id: string;
  promptKey: string | null;
  promptNumbers: readonly number[];
  /** True for a step that may withdraw stored events. */
  mayWithdraw: boolean;
}

export interface KnownSession {
  id: string;
  seq: number;
  content_session_id: string;
  status: "active" | "completed";
  prompt_count: number;
  last_active_at_epoch: number;
  ended_at_epoch: number | null;
  /** State kept by earlier steps. */
  kept: Json;
}

export interface KnownPrompt {
  number: Json;
  key: Json;
  isPrivate: boolean;
  text: string;
  at: number;
}

export interface Known {
  session: KnownSession | undefined;
  /** The number for a new session. */
  freshSeq: number;
  prompts: KnownPrompt[];
}

/** Changes of a step; `session` creates an unknown session. */
export interface Changes {
  session: SessionChange | null;
  /** Events of this session; those in `summaries` queue a summary, others the job of their `job_id`. */
  events: readonly NewEvent[];
  /** Summary jobs by the id of their event. */
  summaries: ReadonlyMap<string, string>;
  /** Prompt keys whose events, and all records made of them, are deleted. */
  withdrawn: readonly string[];
}

export interface SessionChange {
  id: string;
  platform_source: string;
  cwd: string | null;
  status: "active" | "completed" | null;
  prompt_count: number;
  kept: JsonObject;
  at: number;
}

export type Step<T> = (known: Known) => { answer: T; changes: Changes };

/** The answer of a step, and the number of its new events. */
interface Done<T> {
  answer: T;
  stored: number;
}

/** Runs the step; undefined when the project is gone. */
export async function inSession<T>(
  app: Connections,
  scope: ProjectScope,
  asked: AskedSession,
  step: Step<T>,
): Promise<Done<T> | undefined> {
  for (;;) {
    const done = await inTenant(app, scope, (connection) => runStep(connection, scope, asked, step));
    // The session was created meanwhile: repeat with its present state.
    if (done !== "again") return done;
  }
}

async function runStep<T>(
  connection: Queryable,
  scope: ProjectScope,
  asked: AskedSession,
  step: Step<T>,
): Promise<Done<T> | "again" | undefined> {
  const epoch = await holdProject(connection, scope);
  if (epoch === undefined) return undefined;
  if (asked.mayWithdraw) await holdOpenJobs(connection, scope, asked.content_session_id);
  const known = await readKnown(connection, scope, asked);
  const { answer, changes } = step(known);
  if (changes.session !== null) {
    const step = { asked, known, epoch, change: changes.session };
    if (!(await keepSession(connection, scope, step))) return "again";
  }
  if (changes.withdrawn.length > 0 && known.session !== undefined) {
    await withdraw(connection, scope, { session: known.session.id, keys: changes.withdrawn });
  }
  return { answer, stored: await storeStep(connection, scope, { changes, epoch }) };
}

async function readKnown(
  connection: Queryable,
  scope: ProjectScope,
  { content_session_id, promptKey, promptNumbers }: AskedSession,
): Promise<Known> {
  const [session] = await rowsIn<KnownSession>(connection, scope, {
    name: "capture-known-session",
    text: `select s.id, s.seq::float8 as seq, s.content_session_id, s.status, s.prompt_count,
        ${epochMs("s.last_active_at")} as last_active_at_epoch, ${epochMs("s.ended_at")} as ended_at_epoch,
        s.metadata -> 'intake' as kept
      from sessions s
      where s.team_id = $1 and s.project_id = $2 and s.content_session_id = $3
      for no key update`,
    values: [content_session_id],
  });
  if (session === undefined) {
    const fresh = await connection.query<{ seq: number }>({
      name: "capture-fresh-session",
      text: "select nextval('sessions_seq_seq')::float8 as seq",
    });
    return { session, freshSeq: fresh.rows[0]?.seq ?? 0, prompts: [] };
  }
  const prompts = await rowsIn<KnownPrompt>(connection, scope, {
    name: "capture-known-prompts",
    text: `select e.metadata -> 'promptNumber' as number, e.metadata -> 'promptKey' as key,
        e.metadata @> '{"private":true}' as "isPrivate", coalesce(e.payload ->> 'prompt', '') as text,
        ${epochMs("e.occurred_at")} as at
      from agent_events e
      where e.team_id = $1 and e.project_id = $2 and e.session_id = $3 and e.event_type = 'user_prompt'
        and (e.metadata ->> 'promptKey' = $4 or starts_with(e.metadata ->> 'promptKey', $4 || ':')
          or e.metadata ->> 'promptNumber' = any ($5::text[])
          or e.metadata ->> 'promptNumber' = $6)
      order by e.seq`,
    values: [session.id, promptKey, promptNumbers.map(String), numberOfNewest(session.kept)],
  });
  return { session, freshSeq: session.seq, prompts };
}

function numberOfNewest(kept: Json): string | null {
  if (typeof kept !== "object" || kept === null || Array.isArray(kept)) return null;
  const { number } = kept;
  return typeof number === "number" ? String(number) : null;
}

/** False when the session was created meanwhile. */
async function keepSession(
  connection: Queryable,
  { team_id, project_id }: ProjectScope,
  step: { asked: AskedSession; known: Known; epoch: string; change: SessionChange },
): Promise<boolean> {
  const { asked, known, epoch, change } = step;
  const metadata = JSON.stringify({
    intake: change.kept,
    ...(change.cwd === null ? {} : { cwd: change.cwd }),
  });
  if (known.session === undefined) {
    const made = await connection.query({
      name: "capture-make-session",
      text: `insert into sessions (id, seq, team_id, project_id, content_session_id, platform_source, prompt_count,
          metadata, memory_epoch, started_at, last_active_at)
        overriding system value
        values ($1, $2, $3, $4, $5, $6, $7, $8::jsonb, $9, to_timestamp($10::float8 / 1000),
          to_timestamp($10::float8 / 1000))
        on conflict (team_id, project_id, content_session_id) do nothing`,
      values: [
        change.id,
        known.freshSeq,
        team_id,
        project_id,
        asked.content_session_id,
        change.platform_source,
        change.prompt_count,
        metadata,
        epoch,
        change.at,
      ],
    });
    return made.rowCount === 1;
  }
  await connection.query({
    name: "capture-keep-session",
    text: `update sessions
      set status = coalesce($4, status),
        ended_at = case $4 when 'completed' then to_timestamp($5::float8 / 1000) when 'active' then null else ended_at end,
        last_active_at = case $4 when 'completed' then last_active_at
          else greatest(last_active_at, to_timestamp($5::float8 / 1000)) end,
        prompt_count = greatest(prompt_count, $6),
        metadata = $7::jsonb || metadata || jsonb_build_object('intake', $8::jsonb)
      where team_id = $1 and project_id = $2 and id = $3`,
    values: [
      team_id,
      project_id,
      known.session.id,
      change.status,
      change.at,
      change.prompt_count,
      metadata,
      JSON.stringify(change.kept),
    ],
  });
  return true;
}

async function storeStep(
  connection: Queryable,
  scope: ProjectScope,
  { changes: { events, summaries }, epoch }: { changes: Changes; epoch: string },
): Promise<number> {
  if (events.length === 0) return 0;
  const written = await storeEvents(connection, events.map(batchItem), true);
  const created = events.filter((_, index) => written[index]?.outcome === "created");
  for (const { id: source_id, session_id } of created) {
    const id = summaries.get(source_id);
    if (id === undefined || session_id === null) continue;
    await queueSummary(connection, scope, { id, session_id, source_id, epoch });
  }
  return created.length;
}
