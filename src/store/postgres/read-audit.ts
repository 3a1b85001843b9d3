// The audit log, read: newest first, a page at a time.

import type { Tenant } from "../../core/records/tenancy.ts";
import type { JsonObject } from "../../text/json.ts";
import type { Queryable } from "./open.ts";

export interface AuditEntry {
  id: string;
  seq: number;
  project_id: string | null;
  api_key_id: string | null;
  action: string;
  resource_type: string;
  resource_id: string | null;
  details: JsonObject;
  request_id: string | null;
  created_at_epoch: number;
}

export interface AuditPage {
  action: string | null;
  project_id: string | null;
  /** Epoch milliseconds. */
  since: number | null;
  /** Entries older than this one. */
  before_seq: number | null;
  limit: number;
}

export async function readAudit(
  connection: Queryable,
  { team_id, project_id }: Tenant,
  page: AuditPage,
): Promise<AuditEntry[]> {
  const { rows } = await connection.query<AuditEntry>({
    name: "read-audit",
    text: `select id, seq::float8 as seq, project_id, api_key_id, action, resource_type, resource_id, details, request_id,
        floor(extract(epoch from created_at) * 1000)::float8 as created_at_epoch
      from audit_log
      where team_id = $1
        and ($2::uuid is null or project_id = $2)
        and ($3::uuid is null or project_id = $3)
        and ($4::text is null or action = $4)
        and ($5::float8 is null or created_at >= to_timestamp($5 / 1000))
        and ($6::bigint is null or seq < $6)
      order by seq desc
      limit $7`,
    values: [team_id, project_id, page.project_id, page.action, page.since, page.before_seq, page.limit],
  });
  return rows;
}
