// Stored events with their jobs and observations, and batches with an idempotency key.
import { MemError } from "../../core/errors.ts";
import type { EventSource, EventWithJob } from "../../core/records/hosted-event.ts";
import type { HostedObservation } from "../../core/records/hosted-record.ts";
import type { ProjectScope, Tenant } from "../../core/records/tenancy.ts";
import { epochMs } from "./epoch-ms.ts";
import { type BatchItem, storeEvents, type Written } from "./event-batch.ts";
import { observationsBySeq } from "./observations.ts";
import type { Connections, Queryable } from "./open.ts";
import { inTenant, rowsInTenant } from "./tenant.ts";

/** The tenant's events of these ids, in any order. */
export function findEvents(
  app: Connections,
  tenant: Tenant,
  ids: readonly string[],
): Promise<EventWithJob[]> {
  return rowsInTenant(app, tenant, {
    name: "events by id",
    text: `select ${eventColumn} as event, ${jobColumn} as job
      from agent_events e
      left join generation_jobs j
        on j.team_id = e.team_id and j.project_id = e.project_id
          and j.source_type = 'agent_event' and j.source_id = e.id and j.job_type = 'observation'
      where e.team_id = $1 and ($2::uuid is null or e.project_id = $2) and e.id = any ($3::uuid[])`,
    values: [ids],
  });
}

/** Observations of an event, oldest first; undefined when the tenant has no such event. */
export function observationsOfEvent(
  app: Connections,
  tenant: Tenant,
  id: string,
): Promise<{ observation: HostedObservation; source: EventSource }[] | undefined> {
  return inTenant(app, tenant, async (connection) => {
    const event = await connection.query<{ project_id: string }>({
      text: `select project_id from agent_events
        where team_id = $1 and ($2::uuid is null or project_id = $2) and id = $3`,
      values: [tenant.team_id, tenant.project_id, id],
    });
    const project_id = event.rows[0]?.project_id;
    if (project_id === undefined) return undefined;
    const sources = await connection.query<{ observation_id: string; seq: number; source: EventSource }>({
      text: `select s.observation_id, o.seq::float8 as seq, ${sourceColumn} as source
        from observation_sources s
        join observations o
          on o.team_id = s.team_id and o.project_id = s.project_id and o.id = s.observation_id
        where s.team_id = $1 and s.project_id = $2 and s.source_type = 'agent_event' and s.source_id = $3
        order by o.seq`,
      values: [tenant.team_id, project_id, id],
    });
    const scope = { team_id: tenant.team_id, project_id };
    const found = await observationsBySeq(
      connection,
      scope,
      sources.rows.map(({ seq }) => seq),
    );
    const records = new Map(found.map((record) => [record.id, record]));
    return sources.rows.flatMap(({ observation_id, source }) => {
      const observation = records.get(observation_id);
      return observation === undefined ? [] : [{ observation, source }];
    });
  });
}

/** Result of a keyed batch: its events in order, null for a refused one. */
export type WrittenBatch =
  | { outcome: "created"; written: Written[] }
  | { outcome: "repeated"; event_ids: (string | null)[] }
  | { outcome: "conflict" };

/** Stores events of one project under an idempotency key, all or none. */
export function storeKeyedBatch(
  app: Connections,
  scope: ProjectScope,
  batch: { key: string; body_hash: string; items: readonly BatchItem[] },
): Promise<WrittenBatch> {
  return inTenant(app, scope, async (connection) => {
    const earlier = await claimKey(connection, scope, batch);
    if (earlier !== undefined) return earlier;
    const written = await storeEvents(connection, batch.items, true);
    if (written.some(({ outcome }) => outcome === "no_project")) {
      throw new MemError("not_found", { message: "No such project." });
    }
    await connection.query({
      text: `update idempotency_keys set event_ids = $4
        where team_id = $1 and project_id = $2 and key = $3`,
      values: [
        scope.team_id,
        scope.project_id,
        batch.key,
        written.map((item) => ("event_id" in item ? item.event_id : null)),
      ],
    });
    return { outcome: "created", written };
  });
}

// A concurrent request with the same key waits here for the first one's commit.
async function claimKey(
  connection: Queryable,
  { team_id, project_id }: ProjectScope,
  { key, body_hash }: { key: string; body_hash: string },
): Promise<WrittenBatch | undefined> {
  // The purge's lock, before the row that it deletes: the two cannot deadlock.
  await connection.query({ text: "select share_project($1)", values: [project_id] });
  const claimed = await connection.query({
    text: `insert into idempotency_keys (team_id, project_id, key, body_hash, event_ids)
      values ($1, $2, $3, decode($4, 'hex'), '{}')
      on conflict (team_id, project_id, key) do nothing`,
    values: [team_id, project_id, key, body_hash],
  });
  if (claimed.rowCount === 1) return undefined;
  const { rows } = await connection.query<{ same: boolean; event_ids: (string | null)[] }>({
    text: `select body_hash = decode($4, 'hex') as same, event_ids
      from idempotency_keys
      where team_id = $1 and project_id = $2 and key = $3`,
    values: [team_id, project_id, key, body_hash],
  });
  const [row] = rows;
  return row?.same === true ? { outcome: "repeated", event_ids: row.event_ids } : { outcome: "conflict" };
}

const eventColumn = `json_build_object(
  'id', e.id, 'team_id', e.team_id, 'project_id', e.project_id, 'session_id', e.session_id,
  'source_type', e.source_type, 'source_event_id', e.source_event_id, 'event_type', e.event_type,
  'platform_source', e.platform_source, 'payload', e.payload, 'metadata', e.metadata,
  'occurred_at_epoch', ${epochMs("e.occurred_at")}, 'received_at_epoch', ${epochMs("e.received_at")})`;

const jobColumn = `case when j.id is null then null else json_build_object(
  'id', j.id, 'status', j.status, 'source_type', j.source_type, 'source_id', j.source_id,
  'created_at_epoch', ${epochMs("j.created_at")}, 'updated_at_epoch', ${epochMs("j.updated_at")}) end`;

const sourceColumn = `json_build_object(
  'id', s.id, 'source_type', s.source_type, 'source_id', s.source_id,
  'generation_job_id', s.generation_job_id, 'created_at_epoch', ${epochMs("s.created_at")})`;
