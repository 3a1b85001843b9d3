// Records and earlier prompts of a project that a prompt is ranked against.
import type { QuotedRecord } from "../../core/records/records.ts";
import type { ProjectScope } from "../../core/records/tenancy.ts";
import { promptEventPattern, promptOfEvent } from "../../core/tools/event-message.ts";
import type { Json } from "../../text/json.ts";
import { epochMs } from "./epoch-ms.ts";
import { quotedColumns, stillHolds } from "./observations.ts";
import type { Queryable } from "./open.ts";
import { notProposed } from "./statements.ts";
import { rowsIn } from "./tenant.ts";

/** An earlier prompt; `id` is the number of its event. */
export interface AskedPrompt {
  id: number;
  sdk_session_id: string;
  prompt_text: string;
  created_at_epoch: number;
}

/** Active records of the project, newest first, without routine ones and summaries. */
export function rankableRecords(
  connection: Queryable,
  scope: ProjectScope,
  limit: number,
): Promise<QuotedRecord[]> {
  return rowsIn(connection, scope, {
    name: "rankable-records",
    text: `select ${quotedColumns},
        case when o.kind = 'observation' then o.summary else left(o.content, ${maxChars}) end as summary
      from observations o
      where o.team_id = $1 and o.project_id = $2 and not o.routine and o.kind <> 'session_summary'
        and ${stillHolds} and ${notProposed}
      order by o.seq desc
      limit $3`,
    values: [limit],
  });
}

/** Prompts of the project's sessions that are not private, newest first. */
export async function askedPrompts(
  connection: Queryable,
  { team_id, project_id }: ProjectScope,
  limit: number,
): Promise<AskedPrompt[]> {
  const { rows } = await connection.query<Omit<AskedPrompt, "prompt_text"> & PromptEvent>({
    name: "asked-prompts",
    text: `select e.seq::float8 as id, e.session_id::text as sdk_session_id, e.event_type, e.payload,
        ${epochMs("e.occurred_at")} as created_at_epoch
      from agent_events e
      where e.team_id = $1 and e.project_id = $2 and e.event_type ~* '${promptEventPattern}'
        and e.session_id is not null and not e.metadata @> '{"private":true}'
      order by e.seq desc
      limit $3`,
    values: [team_id, project_id, limit],
  });
  return rows.map(({ event_type, payload, ...row }) => ({
    ...row,
    prompt_text: promptOfEvent({ event_type, payload }) ?? "",
  }));
}

interface PromptEvent {
  event_type: string;
  payload: Json;
}

// The ranking reads at most this much of a text.
const maxChars = 2_000;
