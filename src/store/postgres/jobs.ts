// Generation jobs for callers: find, list, retry, cancel.
import type { HostedJob, JobStatus } from "../../core/records/hosted-event.ts";
import type { Tenant } from "../../core/records/tenancy.ts";
import { epochMs } from "./epoch-ms.ts";
import type { Connections, Queryable } from "./open.ts";
import { inTenant } from "./tenant.ts";

/** Undefined: no restriction. */
export interface JobFilter {
  project_id: string | null;
  status: JobStatus | undefined;
  since_epoch: number;
  /** Only jobs before this one. */
  before_seq: number | undefined;
  limit: number;
}

/** `same`: the job was in that state already; `refused`: its state does not allow the change. */
export interface JobChange {
  outcome: "changed" | "same" | "refused";
  job: HostedJob;
}

export function findJob(app: Connections, tenant: Tenant, id: string): Promise<HostedJob | undefined> {
  return inTenant(app, tenant, (connection) => readJob(connection, tenant, id));
}

/** The tenant's jobs, newest first. */
export async function listJobs(app: Connections, tenant: Tenant, filter: JobFilter): Promise<HostedJob[]> {
  const { project_id, status, since_epoch, before_seq, limit } = filter;
  const { rows } = await inTenant(app, tenant, (connection) =>
    connection.query<HostedJob>({
      // Project by project, like the index: a team with few projects reads a few more pages.
      text: `select ${columns}
        from projects p
        cross join lateral (
          select *
          from generation_jobs g
          where g.team_id = $1 and g.project_id = p.id
            and ($3::text is null or g.status = $3)
            and g.created_at >= to_timestamp($4::float8 / 1000)
            and ($5::bigint is null or g.seq < $5)
          order by g.seq desc
          limit $6) j
        where p.team_id = $1 and ($2::uuid is null or p.id = $2)
        order by j.seq desc
        limit $6`,
      values: [tenant.team_id, project_id, status ?? null, since_epoch, before_seq ?? null, limit],
    }),
  );
  return rows;
}

/** Queues a failed or cancelled job again without its attempts, and requests a task. */
export function retryJob(
  app: Connections,
  tenant: Tenant,
  id: string,
  onChange: (connection: Queryable, job: HostedJob) => Promise<void>,
): Promise<JobChange | undefined> {
  return changeJob(app, tenant, id, {
    from: ["failed", "cancelled"],
    same: "queued",
    set: `status = 'queued', attempts = 0, next_attempt_at = now(), last_error = null,
      failed_at = null, cancelled_at = null`,
    async onChange(connection, job) {
      await connection.query({ text: "select request_turn($1)", values: [tenant.team_id] });
      await onChange(connection, job);
    },
  });
}

/** Cancels a queued or processing job: its worker loses the lease and stores nothing. */
export function cancelJob(
  app: Connections,
  tenant: Tenant,
  id: string,
  onChange: (connection: Queryable, job: HostedJob) => Promise<void>,
): Promise<JobChange | undefined> {
  return changeJob(app, tenant, id, {
    from: ["queued", "processing"],
    same: "cancelled",
    set: `status = 'cancelled', cancelled_at = now(),
      lease_token = null, lease_expires_at = null, locked_by = null`,
    onChange,
  });
}

interface Change {
  from: readonly JobStatus[];
  same: JobStatus;
  /** SQL of the update; never user input. */
  set: string;
  onChange(connection: Queryable, job: HostedJob): Promise<void>;
}

function changeJob(
  app: Connections,
  tenant: Tenant,
  id: string,
  { from, same, set, onChange }: Change,
): Promise<JobChange | undefined> {
  return inTenant(app, tenant, async (connection) => {
    const { rowCount } = await connection.query({
      text: `update generation_jobs
        set ${set}, updated_at = now()
        where team_id = $1 and ($2::uuid is null or project_id = $2) and id = $3 and status = any ($4::text[])`,
      values: [tenant.team_id, tenant.project_id, id, from],
    });
    const job = await readJob(connection, tenant, id);
    if (job === undefined) return undefined;
    if (rowCount === 0) return { outcome: job.status === same ? "same" : "refused", job };
    await onChange(connection, job);
    return { outcome: "changed", job };
  });
}

async function readJob(
  connection: Queryable,
  { team_id, project_id }: Tenant,
  id: string,
): Promise<HostedJob | undefined> {
  const { rows } = await connection.query<HostedJob>({
    name: "job by id",
    text: `select ${columns}
      from generation_jobs j
      where j.team_id = $1 and ($2::uuid is null or j.project_id = $2) and j.id = $3`,
    values: [team_id, project_id, id],
  });
  return rows[0];
}

const columns = `j.id, j.seq::float8 as seq, j.team_id, j.project_id, j.session_id, j.status, j.source_type,
  j.source_id, j.job_type, j.attempts, j.max_attempts, j.last_error,
  case when j.status = 'queued' then ${epochMs("j.next_attempt_at")} end as next_attempt_at_epoch,
  ${epochMs("j.completed_at")} as completed_at_epoch, ${epochMs("j.failed_at")} as failed_at_epoch,
  ${epochMs("j.cancelled_at")} as cancelled_at_epoch, ${epochMs("j.created_at")} as created_at_epoch,
  ${epochMs("j.updated_at")} as updated_at_epoch,
  coalesce((
    select json_agg(s.observation_id order by s.observation_id)
    from observation_sources s
    where s.team_id = j.team_id and s.project_id = j.project_id
      and s.source_id = j.source_id and s.generation_job_id = j.id), '[]') as observation_ids`;
