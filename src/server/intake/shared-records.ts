// Stores records that devices share, cleaned.
import { MemError } from "../../core/errors.ts";
import { digestOf, newId } from "../../core/ids.ts";
import type { NewHostedObservation } from "../../core/records/hosted-record.ts";
import type { SharedResult } from "../../core/records/shared-record.ts";
import type { Caller, ProjectScope } from "../../core/records/tenancy.ts";
import type { SharedBody } from "../../http/schemas/v1-shared.ts";
import { cleanJson } from "../../privacy/clean.ts";
import type { Connections } from "../../store/postgres/open.ts";
import { type SharedRevision, shareRecords } from "../../store/postgres/shared-records.ts";
import { storableJson } from "../../text/storable.ts";

interface Write {
  caller: Caller;
  scope: ProjectScope;
  records: SharedBody["records"];
  device_secret: string | null;
  request_id: string;
}

/** One result per record, in order; all or none. Throws `not_found` when the project is gone, and `device_taken`. */
export async function addSharedRecords(
  app: Connections,
  { caller, scope, records, device_secret, request_id }: Write,
): Promise<SharedResult[]> {
  const results = await shareRecords(app, caller, {
    scope,
    records: records.map((record) => revisionOf(record, scope)),
    secret_hash: device_secret === null ? null : digestOf(device_secret),
    audit: {
      ...scope,
      api_key_id: caller.key_id,
      action: "observation.shared",
      resource_type: "project",
      resource_id: scope.project_id,
      details: {},
      request_id,
    },
  });
  if (results === undefined)
    throw new MemError("not_found", { message: "The project was deleted meanwhile." });
  return results;
}

type SharedRecord = SharedBody["records"][number];

function revisionOf(record: SharedRecord, scope: ProjectScope): SharedRevision {
  const { device, kind, id, revision } = record;
  const origin = { device, kind, id };
  return { origin, revision, observation: "deleted" in record ? null : observationOf(record, scope) };
}

function observationOf(
  record: Exclude<SharedRecord, { deleted: true }>,
  scope: ProjectScope,
): Omit<NewHostedObservation, "memory_epoch"> {
  const { device, kind, type, filesRead, filesModified, createdAtEpoch, statement, parts, ...rest } =
    cleaned(record);
  const { id, revision: _revision, ...content } = rest;
  return {
    ...content,
    ...scope,
    id: newId(),
    session_id: null,
    kind: kind === "summary" ? "session_summary" : kind,
    obs_type: type,
    files_read: filesRead,
    files_modified: filesModified,
    metadata: { origin: { device, id }, ...(parts === null ? {} : { parts }) },
    prompt_number: null,
    discovery_tokens: 0,
    generation_key: null,
    created_by_job_id: null,
    created_at_epoch: createdAtEpoch,
    sources: [],
    ...(statement === null ? {} : { statement: { ...statement, said_by: statement.saidBy } }),
  };
}

// The same shape: cleaning changes texts alone.
function cleaned<T extends Exclude<SharedRecord, { deleted: true }>>(record: T): T {
  return cleanJson(storableJson(record)) as T;
}
