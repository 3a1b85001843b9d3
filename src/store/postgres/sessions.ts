// Sessions of agents: started, read, ended with one summary job.
import type { HostedSession, JobMention } from "../../core/records/hosted-event.ts";
import type { ProjectScope, Tenant } from "../../core/records/tenancy.ts";
import type { JsonObject } from "../../text/json.ts";
import { epochMs } from "./epoch-ms.ts";
import type { Connections, Queryable } from "./open.ts";
import { inTenant, rowsIn } from "./tenant.ts";

/** A session to start; null is unknown. */
export interface NewSession extends ProjectScope {
  id: string;
  content_session_id: string;
  platform_source: string;
  agent_id: string | null;
  agent_type: string | null;
  title: string | null;
  metadata: JsonObject;
}

/**
 * The session with this name, created if missing; fills in fields that an earlier event left unknown. Undefined when the
 * project is gone.
 */
export function startSession(
  app: Connections,
  session: NewSession,
): Promise<{ created: boolean; session: HostedSession } | undefined> {
  return inTenant(app, session, async (connection) => {
    const epoch = await holdProject(connection, session);
    if (epoch === undefined) return undefined;
    const { rows } = await connection.query<HostedSession & { created: boolean }>({
      text: `insert into sessions as s (id, team_id, project_id, content_session_id, platform_source, agent_id,
          agent_type, title, metadata, memory_epoch)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9::jsonb, $10)
        on conflict (team_id, project_id, content_session_id) do update set
          platform_source = case when s.platform_source = '' then excluded.platform_source else s.platform_source end,
          agent_id = coalesce(s.agent_id, excluded.agent_id),
          agent_type = coalesce(s.agent_type, excluded.agent_type),
          title = coalesce(s.title, excluded.title),
          metadata = excluded.metadata || s.metadata,
          last_active_at = now()
        returning ${columns}, (xmax = 0) as created`,
      values: [
        session.id,
        session.team_id,
        session.project_id,
        session.content_session_id,
        session.platform_source,
        session.agent_id,
        session.agent_type,
        session.title,
        JSON.stringify(session.metadata),
        epoch,
      ],
    });
    const [row] = rows;
    if (row === undefined) return undefined;
    const { created, ...stored } = row;
    return { created, session: stored };
  });
}

export function findSession(
  app: Connections,
  tenant: Tenant,
  id: string,
): Promise<HostedSession | undefined> {
  return inTenant(app, tenant, (connection) => readSession(connection, tenant, id));
}

/** Ends the session and requests its summary; idempotent. */
export function endSession(
  app: Connections,
  tenant: Tenant,
  id: string,
  jobId: string,
): Promise<{ session: HostedSession; job: JobMention | null } | undefined> {
  return inTenant(app, tenant, async (connection) => {
    const known = await readSession(connection, tenant, id);
    if (known === undefined) return undefined;
    const epoch = await holdProject(connection, known);
    const { rows } = await connection.query<HostedSession>({
      text: `update sessions s
        set status = 'completed', ended_at = coalesce(ended_at, now())
        where s.team_id = $1 and s.project_id = $2 and s.id = $3
        returning ${columns}`,
      values: [known.team_id, known.project_id, id],
    });
    const [session] = rows;
    // Deleted by a purge meanwhile.
    if (session === undefined || epoch === undefined) return undefined;
    await queueSummary(connection, known, { id: jobId, session_id: id, source_id: id, epoch });
    return { session, job: await summaryJob(connection, known, id) };
  });
}

/** Queues the summary of a session, once for each source: the session itself, or an event of it. */
export async function queueSummary(
  connection: Queryable,
  { team_id, project_id }: ProjectScope,
  job: { id: string; session_id: string; source_id: string; epoch: string },
): Promise<void> {
  const added = await connection.query({
    text: `insert into generation_jobs (id, team_id, project_id, session_id, source_type, source_id, job_type,
        memory_epoch)
      values ($1, $2, $3, $4, 'session_summary', $5, 'session_summary', $6)
      on conflict (team_id, project_id, source_type, source_id, job_type) do nothing`,
    values: [job.id, team_id, project_id, job.session_id, job.source_id, job.epoch],
  });
  if (added.rowCount === 1) {
    await connection.query({ text: "select request_turn($1)", values: [team_id] });
  }
}

async function summaryJob(
  connection: Queryable,
  scope: ProjectScope,
  source_id: string,
): Promise<JobMention | null> {
  const [job] = await rowsIn<JobMention>(connection, scope, {
    text: `select id, status, source_type, source_id,
        ${epochMs("created_at")} as created_at_epoch, ${epochMs("updated_at")} as updated_at_epoch
      from generation_jobs
      where team_id = $1 and project_id = $2 and source_type = 'session_summary' and source_id = $3`,
    values: [source_id],
  });
  return job ?? null;
}

async function readSession(
  connection: Queryable,
  tenant: Tenant,
  id: string,
): Promise<HostedSession | undefined> {
  const [session] = await rowsIn<HostedSession>(connection, tenant, {
    name: "session by id",
    text: `select ${columns}
      from sessions s
      where s.team_id = $1 and ($2::uuid is null or s.project_id = $2) and s.id = $3`,
    values: [id],
  });
  return session;
}

/** Blocks a purge until the transaction ends; returns the project's epoch, undefined when the project is gone. */
export async function holdProject(connection: Queryable, scope: ProjectScope): Promise<string | undefined> {
  await connection.query({
    name: "share-project",
    text: "select share_project($1)",
    values: [scope.project_id],
  });
  const [project] = await rowsIn<{ memory_epoch: string }>(connection, scope, {
    name: "project-epoch",
    text: "select memory_epoch::text from projects where team_id = $1 and id = $2 for share",
  });
  return project?.memory_epoch;
}

const columns = `s.id, s.team_id, s.project_id, s.content_session_id, s.platform_source, s.agent_id, s.agent_type,
  s.title, s.status, s.metadata, ${epochMs("s.started_at")} as started_at_epoch,
  ${epochMs("s.last_active_at")} as last_active_at_epoch, ${epochMs("s.ended_at")} as ended_at_epoch,
  ${epochMs("s.last_generated_at")} as last_generated_at_epoch`;
