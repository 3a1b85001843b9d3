// The audit log: who did what to which resource, without its content.
import { newId } from "../../core/ids.ts";
import type { AuditEntry, AuditPage, AuditRow } from "../../core/records/audit.ts";
import type { Tenant } from "../../core/records/tenancy.ts";
import { epochMs } from "./epoch-ms.ts";
import type { Queryable } from "./open.ts";
import { rowsIn } from "./tenant.ts";

/** Inserts a row, in the transaction of the action. */
export async function insertAudit(connection: Queryable, row: AuditRow): Promise<void> {
  await insertAudits(connection, [{ ...row, id: newId() }]);
}

export async function insertAudits(
  connection: Queryable,
  rows: readonly (AuditRow & { id: string })[],
): Promise<void> {
  await connection.query({
    name: "write-audit",
    text: `insert into audit_log
        (id, team_id, project_id, api_key_id, action, resource_type, resource_id, details, request_id)
      select id, team_id, project_id, api_key_id, action, resource_type, resource_id, details, request_id
      from jsonb_to_recordset($1::jsonb) as a (
        id uuid, team_id uuid, project_id uuid, api_key_id uuid, action text, resource_type text, resource_id text,
        details jsonb, request_id text)`,
    values: [JSON.stringify(rows)],
  });
}

/** A page of the tenant's entries, newest first. */
export function readAudit(connection: Queryable, tenant: Tenant, page: AuditPage): Promise<AuditEntry[]> {
  return rowsIn(connection, tenant, {
    name: "read-audit",
    text: `select id, seq::float8 as seq, project_id, api_key_id, action, resource_type, resource_id, details, request_id,
        ${epochMs("created_at")} as created_at_epoch
      from audit_log
      where team_id = $1
        and ($2::uuid is null or project_id = $2)
        and ($3::uuid is null or project_id = $3)
        and ($4::text is null or action = $4)
        and ($5::float8 is null or created_at >= to_timestamp($5 / 1000))
        and ($6::bigint is null or seq < $6)
      order by seq desc
      limit $7`,
    values: [page.project_id, page.action, page.since, page.before_seq, page.limit],
  });
}
