// Counts of generation jobs, of all teams or one tenant, and the age of the oldest.
import type { QueueCounts } from "../../core/records/queue.ts";
import type { Tenant } from "../../core/records/tenancy.ts";
import type { Connections } from "./open.ts";
import { inTransaction, rowsInTenant } from "./tenant.ts";

/** Without completed jobs: counting them would read all, while the others have indexes. */
export interface JobCounts {
  queued: number;
  processing: number;
  failed: number;
  cancelled: number;
  /** Age of the oldest queued job in seconds, 0 without one. */
  oldest_queued_seconds: number;
}

/** As `mem_system`; the database cancels the query after `timeoutMs`. */
export async function countJobs(system: Connections, timeoutMs: number): Promise<JobCounts> {
  const { rows } = await inTransaction(system, async (connection) => {
    await connection.query({ text: `set local statement_timeout = ${Math.ceil(timeoutMs)}` });
    return connection.query<JobCounts>({
      text: `select queued.n as queued,
          (select count(*)::int from generation_jobs where status = 'processing') as processing,
          (select count(*)::int from generation_jobs where status = 'failed') as failed,
          (select count(*)::int from generation_jobs where status = 'cancelled') as cancelled,
          coalesce(extract(epoch from now() - queued.oldest), 0)::float8 as oldest_queued_seconds
        from (
          select count(*)::int as n, min(created_at) as oldest from generation_jobs where status = 'queued') queued`,
    });
  });
  return rows[0] ?? { queued: 0, processing: 0, failed: 0, cancelled: 0, oldest_queued_seconds: 0 };
}

export async function countTenantJobs(app: Connections, tenant: Tenant): Promise<QueueCounts> {
  const count = (status: string): string => `(
      select count(*)::int from generation_jobs
      where team_id = $1 and ($2::uuid is null or project_id = $2) and status = '${status}')`;
  const rows = await rowsInTenant<QueueCounts>(app, tenant, {
    name: "tenant-jobs",
    text: `select ${count("queued")} as pending, ${count("processing")} as processing, ${count("failed")} as dead,
        (select floor(extract(epoch from now() - min(created_at)) * 1000)::float8 from generation_jobs
          where team_id = $1 and ($2::uuid is null or project_id = $2) and status = 'queued')
          as "oldestPendingAgeMs"`,
  });
  return rows[0] ?? { pending: 0, processing: 0, dead: 0, oldestPendingAgeMs: null };
}
