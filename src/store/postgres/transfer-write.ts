// Records that come from an export, a page in one transaction; those that are there already stay as they are.

import { MemError } from "../../core/errors.ts";
import type { HostedEvent } from "../../core/records/hosted-event.ts";
import type { NewHostedObservation } from "../../core/records/hosted-record.ts";
import type { ProjectScope } from "../../core/records/tenancy.ts";
import type { JsonObject } from "../../text/json.ts";
import { storableJson } from "../../text/storable.ts";
import { type AuditRow, insertAudit } from "./audit.ts";
import { insertObservations } from "./observations.ts";
import type { Connections, Queryable } from "./open.ts";
import { inTenant } from "./tenant.ts";
import type { TransferCounts } from "./transfer-read.ts";

export interface TransferSession {
  id: string;
  content_session_id: string;
  platform_source: string;
  agent_id: string | null;
  agent_type: string | null;
  title: string | null;
  status: "active" | "completed";
  prompt_count: number;
  metadata: JsonObject;
  started_at_epoch: number;
  last_active_at_epoch: number;
  ended_at_epoch: number | null;
  last_generated_at_epoch: number | null;
}

/** Names its session as its host does: the session's id here may be another one. */
export type TransferEvent = Omit<HostedEvent, "team_id" | "project_id" | "session_id"> & {
  content_session_id: string | null;
};

export type TransferObservation = Omit<
  NewHostedObservation,
  "team_id" | "project_id" | "session_id" | "memory_epoch" | "created_by_job_id"
> & { content_session_id: string | null };

export interface TransferPage {
  sessions: readonly TransferSession[];
  events: readonly TransferEvent[];
  observations: readonly TransferObservation[];
}

/** The project's epoch, and the import written down; undefined when the project is gone. */
export function beginImport(
  app: Connections,
  scope: ProjectScope,
  audit: AuditRow,
): Promise<string | undefined> {
  return inTenant(app, scope, async (connection) => {
    const epoch = await holdEpoch(connection, scope);
    if (epoch !== undefined) await insertAudit(connection, audit);
    return epoch;
  });
}

/**
 * Stores a page under the epoch that the import began with; how many records of it are new. Throws `conflict` when the
 * project was purged since, `export_invalid` for a session that is neither there nor in the page.
 */
export function importPage(
  app: Connections,
  scope: ProjectScope,
  { epoch, page }: { epoch: string; page: TransferPage },
): Promise<TransferCounts> {
  return inTenant(app, scope, async (connection) => {
    // Alone: a second import of the same records waits, and then finds them.
    await connection.query({ text: "select hold_project($1)", values: [scope.project_id] });
    if ((await holdEpoch(connection, scope)) !== epoch) throw purged();
    const sessions = await insertSessions(connection, { scope, epoch, sessions: page.sessions });
    const ids = await sessionIds(connection, scope, [...page.events, ...page.observations]);
    const events = await insertEvents(connection, { scope, epoch, events: page.events, ids });
    const fresh = await missingObservations(connection, scope, page.observations);
    const observations = await insertObservations(
      connection,
      fresh.map(({ content_session_id, ...observation }) => {
        const session_id = content_session_id === null ? null : (ids.get(content_session_id) ?? null);
        const sources = observation.sources.map((source) =>
          source.source_type === "session_summary" && session_id !== null
            ? { ...source, source_id: session_id }
            : source,
        );
        return {
          ...observation,
          ...scope,
          session_id,
          sources,
          memory_epoch: epoch,
          created_by_job_id: null,
        };
      }),
    );
    return { sessions, events, observations: observations.length };
  });
}

// Until the transaction ends no purge begins.
async function holdEpoch(
  connection: Queryable,
  { team_id, project_id }: ProjectScope,
): Promise<string | undefined> {
  const { rows } = await connection.query<{ memory_epoch: string }>({
    text: "select memory_epoch::text from projects where team_id = $1 and id = $2 for share",
    values: [team_id, project_id],
  });
  return rows[0]?.memory_epoch;
}

interface Part {
  scope: ProjectScope;
  epoch: string;
}

async function insertSessions(
  connection: Queryable,
  { scope, epoch, sessions }: Part & { sessions: readonly TransferSession[] },
): Promise<number> {
  if (sessions.length === 0) return 0;
  const { rowCount } = await connection.query({
    text: `insert into sessions (id, team_id, project_id, content_session_id, platform_source, agent_id, agent_type,
        title, status, prompt_count, metadata, memory_epoch, started_at, last_active_at, ended_at, last_generated_at)
      select id, $1, $2, content_session_id, platform_source, agent_id, agent_type, title, status, prompt_count,
        metadata, $3, to_timestamp(started_at_epoch / 1000), to_timestamp(last_active_at_epoch / 1000),
        to_timestamp(ended_at_epoch / 1000), to_timestamp(last_generated_at_epoch / 1000)
      from rows from (jsonb_to_recordset($4::jsonb) as (
        id uuid, content_session_id text, platform_source text, agent_id text, agent_type text, title text,
        status text, prompt_count integer, metadata jsonb, started_at_epoch float8, last_active_at_epoch float8,
        ended_at_epoch float8, last_generated_at_epoch float8))
        with ordinality as s(id, content_session_id, platform_source, agent_id, agent_type, title, status,
          prompt_count, metadata, started_at_epoch, last_active_at_epoch, ended_at_epoch, last_generated_at_epoch,
          place)
      order by place
      on conflict do nothing`,
    values: [scope.team_id, scope.project_id, epoch, textOf(sessions)],
  });
  return rowCount ?? 0;
}

/** The ids of the sessions that the records name. */
async function sessionIds(
  connection: Queryable,
  { team_id, project_id }: ProjectScope,
  records: readonly { content_session_id: string | null }[],
): Promise<ReadonlyMap<string, string>> {
  const names = new Set(
    records.flatMap(({ content_session_id }) => (content_session_id === null ? [] : [content_session_id])),
  );
  if (names.size === 0) return new Map();
  const { rows } = await connection.query<{ name: string; id: string }>({
    text: `select content_session_id as name, id
      from sessions
      where team_id = $1 and project_id = $2 and content_session_id = any ($3::text[])`,
    values: [team_id, project_id, [...names]],
  });
  const ids = new Map(rows.map(({ name, id }) => [name, id]));
  const missing = [...names].find((name) => !ids.has(name));
  if (missing === undefined) return ids;
  throw new MemError("export_invalid", {
    message: `A record names the session ${JSON.stringify(missing)}, which does not come before it.`,
  });
}

function purged(): MemError {
  return new MemError("conflict", {
    message: "The project was purged or deleted while records were imported, so the import ended.",
    hint: "Run it again if the records are still wanted.",
  });
}

async function insertEvents(
  connection: Queryable,
  {
    scope,
    epoch,
    events,
    ids,
  }: Part & { events: readonly TransferEvent[]; ids: ReadonlyMap<string, string> },
): Promise<number> {
  if (events.length === 0) return 0;
  const rows = events.map((event) => ({
    ...event,
    session_id: event.content_session_id === null ? null : (ids.get(event.content_session_id) ?? null),
  }));
  const { rowCount } = await connection.query({
    text: `insert into agent_events (id, team_id, project_id, session_id, source_type, source_event_id, event_type,
        platform_source, payload, metadata, memory_epoch, occurred_at, received_at)
      select id, $1, $2, session_id, source_type, source_event_id, event_type, platform_source,
        coalesce(payload, 'null'), metadata, $3, to_timestamp(occurred_at_epoch / 1000),
        to_timestamp(received_at_epoch / 1000)
      from rows from (jsonb_to_recordset($4::jsonb) as (
        id uuid, session_id uuid, source_type text, source_event_id text, event_type text, platform_source text,
        payload jsonb, metadata jsonb, occurred_at_epoch float8, received_at_epoch float8))
        with ordinality as e(id, session_id, source_type, source_event_id, event_type, platform_source, payload,
          metadata, occurred_at_epoch, received_at_epoch, place)
      order by place
      on conflict do nothing`,
    values: [scope.team_id, scope.project_id, epoch, textOf(rows)],
  });
  return rowCount ?? 0;
}

async function missingObservations(
  connection: Queryable,
  { team_id, project_id }: ProjectScope,
  observations: readonly TransferObservation[],
): Promise<readonly TransferObservation[]> {
  if (observations.length === 0) return observations;
  const { rows } = await connection.query<{ id: string }>({
    text: "select id from observations where team_id = $1 and project_id = $2 and id = any ($3::uuid[])",
    values: [team_id, project_id, observations.map(({ id }) => id)],
  });
  const there = new Set(rows.map(({ id }) => id));
  // Twice in one page is once.
  return observations.filter(({ id }) => !there.has(id) && there.add(id));
}

function textOf(rows: readonly object[]): string {
  return JSON.stringify(storableJson(rows.map((row) => ({ ...row }))));
}
