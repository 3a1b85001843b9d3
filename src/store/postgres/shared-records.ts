// Stores records that devices share, each under its origin: a newer revision replaces, what the team deleted stays deleted.
import { MemError } from "../../core/errors.ts";
import type { AuditRow } from "../../core/records/audit.ts";
import type { NewHostedObservation } from "../../core/records/hosted-record.ts";
import type { Origin, SharedResult } from "../../core/records/shared-record.ts";
import type { ProjectScope, Tenant } from "../../core/records/tenancy.ts";
import { insertAudit } from "./audit.ts";
import { insertObservations } from "./observations.ts";
import type { Connections, Queryable } from "./open.ts";
import { shareEpoch } from "./project-import.ts";
import { inTenant } from "./tenant.ts";

/** A revision of a record. */
export interface SharedRevision {
  origin: Origin;
  revision: number;
  /** Null when the device deleted the record. */
  observation: Omit<NewHostedObservation, "memory_epoch"> | null;
}

interface Write {
  scope: ProjectScope;
  records: readonly SharedRevision[];
  /** SHA-256 of the device's secret; null for a device without one. */
  secret_hash: Buffer | null;
  /** Written when something changed. */
  audit: AuditRow;
}

/**
 * One result per record, in order; undefined when there is no such project. All in one transaction. Throws `device_taken` for
 * a record of a device that has another secret.
 */
export function shareRecords(
  app: Connections,
  tenant: Tenant,
  { scope, records, secret_hash, audit }: Write,
): Promise<SharedResult[] | undefined> {
  return inTenant(app, tenant, async (connection) => {
    // Exclusive: two requests with the same record are stored one after the other.
    await connection.query({ text: "select hold_project($1)", values: [scope.project_id] });
    const memory_epoch = await shareEpoch(connection, scope);
    if (memory_epoch === undefined) return undefined;
    await demandDevices(connection, scope, { records, secret_hash });
    const known = await knownOf(connection, scope, records);
    const before = new Map(known);
    const changes = new Map<string, SharedRevision>();
    const results = records.map((record) => settle(record, known, changes));
    if (changes.size === 0) return results;
    const changed = [...changes.values()];
    const replaced = changed.flatMap(({ origin }) => before.get(nameOf(origin))?.observation_id ?? []);
    await removeRecords(connection, scope, replaced);
    const observations = changed.flatMap(({ observation }) => observation ?? []);
    await insertObservations(
      connection,
      observations.map((observation) => ({ ...observation, memory_epoch })),
    );
    await note(connection, scope, changed);
    const withdrawn = changed.length - observations.length;
    await insertAudit(connection, { ...audit, details: { stored: observations.length, withdrawn } });
    return results;
  });
}

/** Notes the secret of devices that share with one for the first time. */
async function demandDevices(
  connection: Queryable,
  { team_id, project_id }: ProjectScope,
  { records, secret_hash }: Pick<Write, "records" | "secret_hash">,
): Promise<void> {
  const devices = [...new Set(records.map(({ origin }) => origin.device))];
  const { rows } = await connection.query<{ device: string }>({
    text: `with noted as (
        insert into shared_devices (team_id, project_id, device, secret_hash)
        select $1, $2, device, $4 from unnest($3::text[]) as device where $4::bytea is not null
        on conflict do nothing
      )
      select device
      from shared_devices
      where team_id = $1 and project_id = $2 and device = any($3) and secret_hash is distinct from $4`,
    values: [team_id, project_id, devices, secret_hash],
  });
  const [taken] = rows;
  if (taken === undefined) return;
  const index = records.findIndex(({ origin }) => origin.device === taken.device);
  throw new MemError("device_taken", { details: { index } });
}

/** What the server has of an origin. */
interface Known {
  revision: number;
  observation_id: string | null;
  withdrawn: boolean;
}

/** Decides one record, and notes it in `known` for a later one of the same origin. */
function settle(
  record: SharedRevision,
  known: Map<string, Known>,
  changes: Map<string, SharedRevision>,
): SharedResult {
  const name = nameOf(record.origin);
  const before = known.get(name);
  if (before !== undefined && before.observation_id === null && !before.withdrawn)
    return { outcome: "deleted", memory_id: null, revision: before.revision };
  if (before !== undefined && before.revision >= record.revision)
    return { outcome: "unchanged", memory_id: before.observation_id, revision: before.revision };
  const { revision } = record;
  const kept = before?.observation_id ?? record.observation?.id ?? null;
  const observation = record.observation && { ...record.observation, id: kept ?? record.observation.id };
  changes.set(name, { ...record, observation });
  const memory_id = observation?.id ?? null;
  known.set(name, { revision, observation_id: memory_id, withdrawn: memory_id === null });
  return { outcome: memory_id === null ? "withdrawn" : "stored", memory_id, revision };
}

function nameOf({ device, kind, id }: Origin): string {
  return JSON.stringify([device, kind, id]);
}

interface FoundKnown extends Known, Omit<Origin, "id"> {
  origin_id: string;
  project_id: string;
}

async function knownOf(
  connection: Queryable,
  { team_id, project_id }: ProjectScope,
  records: readonly SharedRevision[],
): Promise<Map<string, Known>> {
  const { rows } = await connection.query<FoundKnown>({
    text: `select r.project_id, r.device, r.kind, r.origin_id, r.revision::float8 as revision, r.observation_id, r.withdrawn
      from jsonb_to_recordset($3::jsonb) as a (device text, kind text, id text)
      join shared_records r on r.team_id = $1 and r.project_id = $2
        and r.device = a.device and r.kind = a.kind and r.origin_id = a.id`,
    values: [team_id, project_id, JSON.stringify(records.map(({ origin }) => origin))],
  });
  // A name is one of its project: a row of another one would decide about this project's record.
  const own = rows.filter((row) => row.project_id === project_id);
  return new Map(
    own.map(({ device, kind, origin_id, ...known }) => [nameOf({ device, kind, id: origin_id }), known]),
  );
}

// A replaced record keeps its id; storing it again renews its search row, its vector and its links.
async function removeRecords(
  connection: Queryable,
  { team_id, project_id }: ProjectScope,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  await connection.query({
    text: "delete from observations where team_id = $1 and project_id = $2 and id = any($3::uuid[])",
    values: [team_id, project_id, ids],
  });
}

async function note(
  connection: Queryable,
  { team_id, project_id }: ProjectScope,
  changed: readonly SharedRevision[],
): Promise<void> {
  const rows = changed.map(({ origin, revision, observation }) => ({
    ...origin,
    revision,
    observation_id: observation?.id ?? null,
  }));
  await connection.query({
    text: `insert into shared_records
        (team_id, project_id, device, kind, origin_id, revision, observation_id, withdrawn)
      select $1, $2, device, kind, id, revision, observation_id, observation_id is null
      from jsonb_to_recordset($3::jsonb) as a (
        device text, kind text, id text, revision bigint, observation_id uuid)
      on conflict (team_id, project_id, device, kind, origin_id) do update
      set revision = excluded.revision, observation_id = excluded.observation_id,
        withdrawn = excluded.withdrawn, updated_at = now()`,
    values: [team_id, project_id, JSON.stringify(rows)],
  });
}
