// Completes a batch: stores its records in the transaction that verifies the lease of its jobs.
import type { NewHostedObservation } from "../../core/records/hosted-record.ts";
import type { ProjectScope } from "../../core/records/tenancy.ts";
import { insertObservations } from "./observations.ts";
import type { Connections, Queryable } from "./open.ts";
import { type EndedTurn, markOutdated } from "./outdated.ts";
import { markSettled } from "./statements.ts";
import { inTenant } from "./tenant.ts";

export interface Lease extends ProjectScope {
  lease_token: string;
  session_id: string | null;
}

/** A record with its jobs, oldest first; the epoch is the project's. */
export type DraftRecord = Omit<
  NewHostedObservation,
  "team_id" | "project_id" | "session_id" | "memory_epoch"
>;

/**
 * Stores the drafts whose first job is still held and completes the jobs; `draftsOf` gets the ids of the held ones. A job
 * that was cancelled, purged or claimed by another worker stores nothing. `turn` marks earlier records as routine or
 * outdated. Returns the ids of the stored records.
 */
export function completeJobs(
  app: Connections,
  lease: Lease,
  draftsOf: (held: ReadonlySet<string>) => DraftRecord[],
  turn?: EndedTurn,
): Promise<string[]> {
  const { team_id, project_id, session_id } = lease;
  return inTenant(app, { team_id, project_id }, async (connection) => {
    const epoch = await holdProject(connection, lease);
    const held = await holdJobs(connection, lease, epoch);
    if (epoch === undefined || held.size === 0) return [];
    const drafts = draftsOf(held);
    const stored = await insertObservations(
      connection,
      drafts.map((draft) => ({ ...draft, team_id, project_id, session_id, memory_epoch: epoch })),
    );
    if (turn !== undefined) {
      const isStored = new Set(stored.map(({ id }) => id));
      await markOutdated(
        connection,
        lease,
        drafts.filter(({ id }) => isStored.has(id)),
        turn,
      );
      await markSettled(connection, lease, turn.settled);
    }
    await endJobs(connection, lease, [...held]);
    if (stored.length > 0) await countObservations(connection, lease, stored.length);
    return stored.map(({ id }) => id);
  });
}

// Locks against a purge, so that the epoch stays valid.
async function holdProject(
  connection: Queryable,
  { team_id, project_id }: Lease,
): Promise<string | undefined> {
  const { rows } = await connection.query<{ memory_epoch: string }>({
    name: "hold-project",
    text: `select memory_epoch::text
      from projects
      where team_id = $1 and id = $2
      for share`,
    values: [team_id, project_id],
  });
  return rows[0]?.memory_epoch;
}

async function holdJobs(
  connection: Queryable,
  { team_id, project_id, lease_token }: Lease,
  epoch: string | undefined,
): Promise<Set<string>> {
  const { rows } = await connection.query<{ id: string }>({
    name: "hold-jobs",
    text: `select id
      from generation_jobs
      where team_id = $1 and project_id = $2 and lease_token = $3 and status = 'processing'
        and memory_epoch = $4::bigint
      order by seq
      for update`,
    values: [team_id, project_id, lease_token, epoch ?? null],
  });
  return new Set(rows.map(({ id }) => id));
}

async function endJobs(
  connection: Queryable,
  { team_id, project_id, session_id }: Lease,
  ids: readonly string[],
): Promise<void> {
  await connection.query({
    name: "end-jobs",
    text: `with done as (
        update generation_jobs
        set status = 'completed', completed_at = now(), last_error = null,
          lease_token = null, lease_expires_at = null, locked_by = null, updated_at = now()
        where team_id = $1 and project_id = $2 and id = any($3::uuid[]))
      update sessions
      set last_generated_at = now()
      where team_id = $1 and project_id = $2 and id = $4`,
    values: [team_id, project_id, ids, session_id],
  });
}

async function countObservations(
  connection: Queryable,
  { team_id, project_id }: Lease,
  count: number,
): Promise<void> {
  await connection.query({
    name: "count-observations",
    text: `with event as (
        insert into usage_events (team_id, project_id, kind, quantity)
        values ($1, $2, 'observation', $3))
      insert into usage_rollups as r (team_id, month, kind, total)
      values ($1, date_trunc('month', now() at time zone 'UTC')::date, 'observation', $3)
      on conflict (team_id, month, kind) do update set total = r.total + excluded.total`,
    values: [team_id, project_id, count],
  });
}
