// Deletes one record, or everything captured in a project, with an audit row in the same transaction.
import type { AuditRow } from "../../core/records/audit.ts";
import type { ProjectScope, Tenant } from "../../core/records/tenancy.ts";
import { insertAudit } from "./audit.ts";
import type { Connections, Queryable } from "./open.ts";
import { inTenant } from "./tenant.ts";

/** Who deletes, for the audit log. */
export type Deleter = Pick<AuditRow, "api_key_id" | "request_id">;

/** Deletes the record with its sources and its search index row; false when the tenant has no such record. */
export function deleteObservation(
  app: Connections,
  { tenant, id, by }: { tenant: Tenant; id: string; by: Deleter },
): Promise<boolean> {
  return inTenant(app, tenant, async (connection) => {
    const scope = await scopeOf(connection, tenant, id);
    if (scope === undefined) return false;
    // A purge deletes sources before records, this a record before its sources: without the lock the two could deadlock.
    await connection.query({ text: "select share_project($1)", values: [scope.project_id] });
    const { rowCount } = await connection.query({
      text: `delete from observations
        where team_id = $1 and project_id = $2 and id = $3`,
      values: [scope.team_id, scope.project_id, id],
    });
    if (rowCount !== 1) return false;
    await insertAudit(connection, {
      ...by,
      ...scope,
      ...{ action: "observation.deleted", resource_type: "observation", resource_id: id },
      details: {},
    });
    return true;
  });
}

async function scopeOf(
  connection: Queryable,
  { team_id, project_id }: Tenant,
  id: string,
): Promise<ProjectScope | undefined> {
  const { rows } = await connection.query<ProjectScope>({
    text: `select team_id, project_id
      from observations
      where team_id = $1 and ($2::uuid is null or project_id = $2) and id = $3`,
    values: [team_id, project_id, id],
  });
  return rows[0];
}

// In the order of deletion. Jobs first: a worker that completes one waits, and then finds it gone. Referring rows go before
// the rows that they refer to.
const purgedTables = {
  jobs: "generation_jobs",
  observationSources: "observation_sources",
  observations: "observations",
  agentEvents: "agent_events",
  idempotencyKeys: "idempotency_keys",
  sessions: "sessions",
} as const;

/** Rows that a purge deleted, by table. */
export type PurgeCounts = Record<keyof typeof purgedTables, number>;

// A project of a million records takes minutes.
const purgeTimeoutMs = 15 * 60_000;

/**
 * Deletes everything captured in the project and keeps the project, in one transaction; undefined when the tenant has no
 * such project. Work of the earlier epoch stores nothing afterwards. Usage and audit rows stay: they have no content.
 */
export function purgeProject(
  app: Connections,
  { tenant, project_id, by }: { tenant: Tenant; project_id: string; by: Deleter },
): Promise<PurgeCounts | undefined> {
  const scope = { team_id: tenant.team_id, project_id };
  return inTenant(app, tenant, async (connection) => {
    if (!(await hasProject(connection, tenant, project_id))) return undefined;
    // Before the row itself: a stream of writers from several nodes would starve the update.
    await connection.query({ text: "select hold_project($1)", values: [project_id] });
    const epoch = await raiseEpoch(connection, scope);
    if (epoch === undefined) return undefined;
    await connection.query({ text: `set local statement_timeout = ${purgeTimeoutMs}` });
    const counts = await deleteAll(connection, scope);
    await insertAudit(connection, {
      ...by,
      ...scope,
      ...{ action: "project.memory_purged", resource_type: "project", resource_id: project_id },
      details: { counts: { ...counts }, memoryEpoch: epoch },
    });
    return counts;
  });
}

async function hasProject(connection: Queryable, tenant: Tenant, project_id: string): Promise<boolean> {
  const { rowCount } = await connection.query({
    text: "select 1 from projects where team_id = $1 and ($2::uuid is null or id = $2) and id = $3",
    values: [tenant.team_id, tenant.project_id, project_id],
  });
  return rowCount === 1;
}

// Waits for writers of the earlier epoch, and blocks new ones until the purge is committed.
async function raiseEpoch(
  connection: Queryable,
  { team_id, project_id }: ProjectScope,
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

async function deleteAll(connection: Queryable, { team_id, project_id }: ProjectScope): Promise<PurgeCounts> {
  const counts: Record<string, number> = {};
  for (const [name, table] of Object.entries(purgedTables)) {
    const { rowCount } = await connection.query({
      text: `delete from ${table} where team_id = $1 and project_id = $2`,
      values: [team_id, project_id],
      timeoutMs: purgeTimeoutMs,
    });
    counts[name] = rowCount ?? 0;
  }
  return counts as PurgeCounts;
}
