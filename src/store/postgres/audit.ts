// The audit log: who did what to which thing, without its content.

import { newId } from "../../core/ids.ts";
import type { JsonObject } from "../../text/json.ts";
import type { Queryable } from "./open.ts";

/** One thing that was done. */
export interface AuditRow {
  team_id: string;
  project_id: string | null;
  /** Null for what was done on the server's host. */
  api_key_id: string | null;
  /** What it was done to and what was done: `key.created`, `project.memory_purged`. */
  action: string;
  resource_type: string;
  resource_id: string | null;
  /** Counts and ids; never content, never a key. */
  details: JsonObject;
  request_id: string | null;
}

/** Writes it down, in the transaction of what was done. */
export async function insertAudit(connection: Queryable, row: AuditRow): Promise<void> {
  await connection.query({
    text: `insert into audit_log
        (id, team_id, project_id, api_key_id, action, resource_type, resource_id, details, request_id)
      values ($1, $2, $3, $4, $5, $6, $7, $8::jsonb, $9)`,
    values: [
      newId(),
      row.team_id,
      row.project_id,
      row.api_key_id,
      row.action,
      row.resource_type,
      row.resource_id,
      JSON.stringify(row.details),
      row.request_id,
    ],
  });
}
