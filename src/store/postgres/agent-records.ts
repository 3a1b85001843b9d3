// What the records that an agent keeps over MCP need: the same text, how many a key kept, and the end of a record.
import type { HostedObservation } from "../../core/records/hosted-record.ts";
import type { Caller, ProjectScope } from "../../core/records/tenancy.ts";
import type { JsonObject } from "../../text/json.ts";
import { recordColumns, stillHolds } from "./observations.ts";
import type { Queryable } from "./open.ts";
import { rowsIn } from "./tenant.ts";

/** The actions of their audit rows. */
export const remembered = "observation.remembered";
export const judged = "observation.judged";

/** The active statement of the project with this text. Until the transaction ends, no other one is stored. */
export async function sameStatement(connection: Queryable, scope: ProjectScope, text: string) {
  await connection.query({ text: "select hold_project($1)", values: [scope.project_id] });
  const [same] = await rowsIn<HostedObservation>(connection, scope, {
    name: "same-statement",
    text: `select ${recordColumns}
      from observations o
      where o.team_id = $1 and o.project_id = $2 and o.salience is not null and ${stillHolds}
        and lower(o.content) = lower($3)
      order by o.standing desc, o.seq
      limit 1`,
    values: [text],
  });
  return same;
}

/** How many the key kept or judged in the last 24 hours. */
export async function callsOfDay(connection: Queryable, caller: Caller, action: string): Promise<number> {
  const rows = await rowsIn(connection, caller, {
    name: "calls-of-day",
    text: `select id
      from audit_log
      where team_id = $1 and ($2::uuid is null or project_id = $2) and action = $4
        and created_at > now() - interval '24 hours' and api_key_id is not distinct from $3::uuid`,
    values: [caller.key_id, action],
  });
  return rows.length;
}

/** Ends a record: `by` supersedes it, if any; `metadata` is added to its own. */
export async function endRecord(
  connection: Queryable,
  scope: ProjectScope,
  { id, by, metadata }: { id: string; by: string | null; metadata: JsonObject },
): Promise<void> {
  await rowsIn(connection, scope, {
    name: "end-record",
    text: `update observations o
      set superseded_by = coalesce($4::uuid, o.superseded_by), ended = o.ended or $4::uuid is null,
        metadata = o.metadata || $5::jsonb, updated_at = now()
      where o.team_id = $1 and o.project_id = $2 and o.id = $3`,
    values: [id, by, JSON.stringify(metadata)],
  });
}
