// Sessions and counts within what a key reaches.
import type { Session, SessionSummary } from "../../core/records/records.ts";
import type { ProjectScope, Tenant } from "../../core/records/tenancy.ts";
import { epochMs } from "./epoch-ms.ts";
import type { Connections } from "./open.ts";
import { matchingText, sources } from "./record-rows.ts";
import { rowsInTenant } from "./tenant.ts";

/** A session with its project and its number of open jobs. */
export interface PlacedSession {
  session: Session;
  scope: ProjectScope;
  waiting: number;
}

export async function sessionByNumber(
  app: Connections,
  tenant: Tenant,
  number: number,
): Promise<PlacedSession | undefined> {
  const columns = `${sources.sessions.columns}, o.project_id, (
      select count(*)::float8
      from generation_jobs j
      where j.team_id = $1 and j.project_id = o.project_id and j.session_id = o.id
        and j.status in ('queued', 'processing')) as waiting`;
  const [row] = await rowsInTenant<Session & { project_id: string; waiting: number }>(app, tenant, {
    name: "session-by-number",
    text: matchingText({ ...sources.sessions, columns }, "o.seq = $3"),
    values: [number],
  });
  if (row === undefined) return undefined;
  const { project_id, waiting, ...session } = row;
  return { session, scope: { team_id: tenant.team_id, project_id }, waiting };
}

/** The summaries of a session, oldest first. */
export function summariesOfSession(
  app: Connections,
  scope: ProjectScope,
  session_id: string,
): Promise<SessionSummary[]> {
  return rowsInTenant(app, scope, {
    name: "summaries-of-session",
    text: `${matchingText(sources.summaries, "o.session_id = $3")}
      order by o.seq`,
    values: [session_id],
  });
}

/** Projects in reach with a session of that name, at most two. */
export async function projectsOfSession(
  app: Connections,
  tenant: Tenant,
  content_session_id: string,
): Promise<string[]> {
  const rows = await rowsInTenant<{ project_id: string }>(app, tenant, {
    name: "projects-of-session",
    text: `select s.project_id
      from projects p
      join sessions s on s.team_id = $1 and s.project_id = p.id and s.content_session_id = $3
      where p.team_id = $1 and ($2::uuid is null or p.id = $2)
      limit 2`,
    values: [content_session_id],
  });
  return rows.map(({ project_id }) => project_id);
}

const noRecords = {
  observations: 0,
  sessions: 0,
  activeSessions: 0,
  summaries: 0,
  prompts: 0,
  firstObservationAt: null as number | null,
};

/** Counts of records within the reach. */
export async function countRecords(app: Connections, tenant: Tenant): Promise<typeof noRecords> {
  const bounds = "o.team_id = $1 and ($2::uuid is null or o.project_id = $2)";
  const { observations, summaries, prompts } = sources;
  const [row] = await rowsInTenant<typeof noRecords>(app, tenant, {
    name: "totals",
    text: `select r.*, s.*, e.*
      from (
        select count(*) filter (where ${observations.is})::float8 as observations,
          count(*) filter (where ${summaries.is})::float8 as summaries,
          ${epochMs(`min(o.created_at) filter (where ${observations.is})`)} as "firstObservationAt"
        from observations o
        where ${bounds}) r,
      (
        select count(*)::float8 as sessions,
          count(*) filter (where o.status = 'active')::float8 as "activeSessions"
        from sessions o
        where ${bounds}) s,
      (
        select count(*)::float8 as prompts
        from agent_events o
        where ${bounds} and ${prompts.is}) e`,
  });
  return row ?? noRecords;
}
