// Stores an observation written by hand, with its audit row, and reads it back.
import type { AuditRow } from "../../core/records/audit.ts";
import type { HostedObservation, NewHostedObservation } from "../../core/records/hosted-record.ts";
import type { ProjectScope, Tenant } from "../../core/records/tenancy.ts";
import { insertAudit } from "./audit.ts";
import { insertObservations, observationById } from "./observations.ts";
import type { Connections, Queryable } from "./open.ts";
import { inTenant } from "./tenant.ts";

interface Write {
  observation: Omit<NewHostedObservation, "memory_epoch">;
  audit: AuditRow;
}

/** The stored observation; undefined when there is no such project or session. */
export function addObservation(
  app: Connections,
  tenant: Tenant,
  write: Write,
): Promise<HostedObservation | undefined> {
  return inTenant(app, tenant, (connection) => storeManual(connection, write));
}

/** The same inside the caller's transaction. */
export async function storeManual(
  connection: Queryable,
  { observation, audit }: Write,
): Promise<HostedObservation | undefined> {
  const memory_epoch = await holdEpoch(connection, observation, observation.session_id);
  if (memory_epoch === undefined) return undefined;
  await insertObservations(connection, [{ ...observation, memory_epoch }]);
  await insertAudit(connection, audit);
  return observationById(connection, observation, observation.id);
}

// The lock keeps a purge out until the transaction ends.
async function holdEpoch(
  connection: Queryable,
  { team_id, project_id }: ProjectScope,
  session_id: string | null,
): Promise<string | undefined> {
  const { rows } = await connection.query<{ memory_epoch: string }>({
    text: `select p.memory_epoch::text
      from projects p
      where p.team_id = $1 and p.id = $2
        and ($3::uuid is null or exists (
          select 1 from sessions s where s.team_id = $1 and s.project_id = $2 and s.id = $3))
      for share of p`,
    values: [team_id, project_id, session_id],
  });
  return rows[0]?.memory_epoch;
}
