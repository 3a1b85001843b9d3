// Deletion: one record, or everything that was captured in a project; what was done is written down in the same transaction.
import type { Tenant } from "../../core/records/tenancy.ts";
import { type AuditRow, insertAudit } from "./audit.ts";
import type { Connections, Queryable } from "./open.ts";
import { inTenant } from "./tenant.ts";

/** Who deletes, for the audit log. */
export type Deleter = Pick<AuditRow, "api_key_id" | "request_id">;

/** Deletes the record with its sources and its row of the index; false when the tenant has none of that id. */
export function deleteObservation(
  app: Connections,
  { tenant, id, by }: { tenant: Tenant; id: string; by: Deleter },
): Promise<boolean> {
  return inTenant(app, tenant, async (connection) => {
    const place = await placeOf(connection, tenant, id);
    if (place === undefined) return false;
    // A purge deletes the sources first, this the record: without the line they could wait for each other for ever.
    await connection.query({ text: "select share_project($1)", values: [place.project_id] });
    const { rows } = await connection.query<{ project_id: string }>({
      text: `delete from observations
        where team_id = $1 and project_id = $2 and id = $3
        returning project_id`,
      values: [place.team_id, place.project_id, id],
    });
    const [deleted] = rows;
    if (deleted === undefined) return false;
    await insertAudit(connection, {
      ...by,
      team_id: tenant.team_id,
      project_id: deleted.project_id,
      action: "observation.deleted",
      resource_type: "observation",
      resource_id: id,
      details: {},
    });
    return true;
  });
}

async function placeOf(
  connection: Queryable,
  { team_id, project_id }: Tenant,
  id: string,
): Promise<Place | undefined> {
  const { rows } = await connection.query<Place>({
    text: `select team_id, project_id
      from observations
      where team_id = $1 and ($2::uuid is null or project_id = $2) and id = $3`,
    values: [team_id, project_id, id],
  });
  return rows[0];
}

/** Rows that a purge deleted, by table. */
export interface PurgeCounts {
  observations: number;
  observationSources: number;
  agentEvents: number;
  sessions: number;
  jobs: number;
  idempotencyKeys: number;
}

// A project of a million records takes minutes; a statement of a request may take seconds.
const purgeTimeoutMs = 15 * 60_000;

/**
 * Deletes what was captured in the project and keeps its shell, in one transaction; undefined when the tenant has no such
 * project. What was begun under the older epoch writes nothing after it. Usage and audit rows stay: they hold no content.
 */
export function purgeProject(
  app: Connections,
  { tenant, project_id, by }: { tenant: Tenant; project_id: string; by: Deleter },
): Promise<PurgeCounts | undefined> {
  const { team_id } = tenant;
  return inTenant(app, tenant, async (connection) => {
    if (!(await hasProject(connection, tenant, project_id))) return undefined;
    // Before the row itself: writers that come from several nodes without a pause would keep it from us for ever.
    await connection.query({ text: "select hold_project($1)", values: [project_id] });
    const epoch = await raiseEpoch(connection, { team_id, project_id });
    if (epoch === undefined) return undefined;
    await connection.query({ text: `set local statement_timeout = ${purgeTimeoutMs}` });
    const counts = await deleteAll(connection, { team_id, project_id });
    await insertAudit(connection, {
      ...by,
      team_id,
      project_id,
      action: "project.memory_purged",
      resource_type: "project",
      resource_id: project_id,
      details: { counts: { ...counts }, memoryEpoch: epoch },
    });
    return counts;
  });
}

interface Place {
  team_id: string;
  project_id: string;
}

async function hasProject(connection: Queryable, tenant: Tenant, project_id: string): Promise<boolean> {
  const { rowCount } = await connection.query({
    text: "select 1 from projects where team_id = $1 and ($2::uuid is null or id = $2) and id = $3",
    values: [tenant.team_id, tenant.project_id, project_id],
  });
  return rowCount === 1;
}

// Waits for those who write under the older epoch, and keeps new ones out until the purge is committed.
async function raiseEpoch(
  connection: Queryable,
  { team_id, project_id }: Place,
): Promise<string | undefined> {
  const { rows } = await connection.query<{ memory_epoch: string }>({
    text: `update projects
      set memory_epoch = memory_epoch + 1, updated_at = now()
      where team_id = $1 and id = $2
      returning memory_epoch::text`,
    values: [team_id, project_id],
  });
  return rows[0]?.memory_epoch;
}

// Jobs first: a worker that completes one waits here and then finds it gone. Rows of a table go before those they name.
const tables = {
  jobs: "generation_jobs",
  observationSources: "observation_sources",
  observations: "observations",
  agentEvents: "agent_events",
  idempotencyKeys: "idempotency_keys",
  sessions: "sessions",
} as const satisfies Record<keyof PurgeCounts, string>;

async function deleteAll(connection: Queryable, { team_id, project_id }: Place): Promise<PurgeCounts> {
  const counts: PurgeCounts = {
    observations: 0,
    observationSources: 0,
    agentEvents: 0,
    sessions: 0,
    jobs: 0,
    idempotencyKeys: 0,
  };
  for (const name of [
    "jobs",
    "observationSources",
    "observations",
    "agentEvents",
    "idempotencyKeys",
    "sessions",
  ] as const) {
    const { rowCount } = await connection.query({
      text: `delete from ${tables[name]} where team_id = $1 and project_id = $2`,
      values: [team_id, project_id],
      timeoutMs: purgeTimeoutMs,
    });
    counts[name] = rowCount ?? 0;
  }
  return counts;
}
