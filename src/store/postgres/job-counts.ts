// How many generation jobs wait, over all teams, and for how long the oldest has.
import type { Connections } from "./open.ts";
import { inTransaction } from "./tenant.ts";

/** Completed jobs are not counted: that would read all of them, while the others have indexes of their own. */
export interface JobCounts {
  queued: number;
  processing: number;
  failed: number;
  cancelled: number;
  /** Age of the oldest queued job in seconds, 0 without one. */
  oldest_queued_seconds: number;
}

/** As `mem_system`; the database itself gives up after `timeoutMs`. */
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
