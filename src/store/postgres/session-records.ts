// Sessions and counts within what a key reaches.
import type { Session, SessionSummary } from "../../core/records/records.ts";
import type { ProjectScope, Tenant } from "../../core/records/tenancy.ts";
import { epochMs } from "./epoch-ms.ts";
import type { Connections } from "./open.ts";
import { sessionColumns, summaryColumns } from "./record-rows.ts";
import type { ListPage } from "./records.ts";
import { inTenant } from "./tenant.ts";

/** A session with its project and its number of open jobs. */
export interface PlacedSession {
  session: Session;
  scope: ProjectScope;
  waiting: number;
}

export function sessionByNumber(
  app: Connections,
  tenant: Tenant,
  number: number,
): Promise<PlacedSession | undefined> {
  return inTenant(app, tenant, async (connection) => {
    const { rows } = await connection.query<Session & { project_id: string; waiting: number }>({
      name: "session-by-number",
      text: `select ${sessionColumns}, s.project_id, (
          select count(*)::float8
          from generation_jobs j
          where j.team_id = $1 and j.project_id = s.project_id and j.session_id = s.id
            and j.status in ('queued', 'processing')) as waiting
        from sessions s
        join projects p on p.team_id = $1 and p.id = s.project_id
        where s.team_id = $1 and ($2::uuid is null or s.project_id = $2) and s.seq = $3`,
      values: [tenant.team_id, tenant.project_id, number],
    });
    const [row] = rows;
    if (row === undefined) return undefined;
    const { project_id, waiting, ...session } = row;
    return { session, scope: { team_id: tenant.team_id, project_id }, waiting };
  });
}

export function newestSessions(app: Connections, tenant: Tenant, page: ListPage): Promise<Session[]> {
  return inTenant(app, tenant, async (connection) => {
    const { rows } = await connection.query<Session>({
      name: "sessions",
      text: `select ${sessionColumns}
        from projects p
        cross join lateral (
          select r.*
          from sessions r
          where r.team_id = $1 and r.project_id = p.id
          order by r.seq desc
          limit $3) s
        where p.team_id = $1 and ($2::uuid is null or p.id = $2)
        order by s.seq desc
        limit $4 offset $5`,
      values: [
        tenant.team_id,
        tenant.project_id,
        Math.min(page.offset + page.limit, Number.MAX_SAFE_INTEGER),
        page.limit,
        page.offset,
      ],
    });
    return rows;
  });
}

/** The summaries of a session, oldest first. */
export function summariesOfSession(
  app: Connections,
  { team_id, project_id }: ProjectScope,
  session_id: string,
): Promise<SessionSummary[]> {
  return inTenant(app, { team_id, project_id }, async (connection) => {
    const { rows } = await connection.query<SessionSummary>({
      name: "summaries-of-session",
      text: `select ${summaryColumns}
        from observations o
        join projects p on p.team_id = $1 and p.id = o.project_id
        where o.team_id = $1 and o.project_id = $2 and o.session_id = $3 and o.kind = 'session_summary'
        order by o.seq`,
      values: [team_id, project_id, session_id],
    });
    return rows;
  });
}

/** Projects in reach with a session of that name, at most two. */
export function projectsOfSession(
  app: Connections,
  tenant: Tenant,
  content_session_id: string,
): Promise<string[]> {
  return inTenant(app, tenant, async (connection) => {
    const { rows } = await connection.query<{ project_id: string }>({
      name: "projects-of-session",
      text: `select s.project_id
        from projects p
        join sessions s on s.team_id = $1 and s.project_id = p.id and s.content_session_id = $3
        where p.team_id = $1 and ($2::uuid is null or p.id = $2)
        limit 2`,
      values: [tenant.team_id, tenant.project_id, content_session_id],
    });
    return rows.map(({ project_id }) => project_id);
  });
}

export interface RecordCounts {
  observations: number;
  sessions: number;
  activeSessions: number;
  summaries: number;
  prompts: number;
  firstObservationAt: number | null;
}

/** Counts of records within the reach. */
export function countRecords(app: Connections, tenant: Tenant): Promise<RecordCounts> {
  return inTenant(app, tenant, async (connection) => {
    const bounds = (row: string) => `${row}.team_id = $1 and ($2::uuid is null or ${row}.project_id = $2)`;
    const { rows } = await connection.query<RecordCounts>({
      name: "totals",
      text: `select o.*, s.*, e.*
        from (
          select count(*) filter (where o.kind <> 'session_summary')::float8 as observations,
            count(*) filter (where o.kind = 'session_summary')::float8 as summaries,
            ${epochMs("min(o.created_at) filter (where o.kind <> 'session_summary')")} as "firstObservationAt"
          from observations o
          where ${bounds("o")}) o,
        (
          select count(*)::float8 as sessions,
            count(*) filter (where s.status = 'active')::float8 as "activeSessions"
          from sessions s
          where ${bounds("s")}) s,
        (
          select count(*)::float8 as prompts
          from agent_events e
          where ${bounds("e")} and e.event_type = 'user_prompt' and not e.metadata @> '{"private":true}') e`,
      values: [tenant.team_id, tenant.project_id],
    });
    return (
      rows[0] ?? {
        observations: 0,
        sessions: 0,
        activeSessions: 0,
        summaries: 0,
        prompts: 0,
        firstObservationAt: null,
      }
    );
  });
}

/** The project of a record within the reach. */
export function projectOfRecord(
  app: Connections,
  tenant: Tenant,
  { kind, record }: { kind: "observation" | "session" | "prompt"; record: { id: number } },
): Promise<ProjectScope | undefined> {
  const table = kind === "prompt" ? "agent_events" : "observations";
  return inTenant(app, tenant, async (connection) => {
    const { rows } = await connection.query<ProjectScope>({
      name: `project-of-${table}`,
      text: `select team_id, project_id
        from ${table}
        where team_id = $1 and ($2::uuid is null or project_id = $2) and seq = $3`,
      values: [tenant.team_id, tenant.project_id, record.id],
    });
    return rows[0];
  });
}
