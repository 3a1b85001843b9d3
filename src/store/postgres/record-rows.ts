// Columns of hosted rows in the worker's record shapes: integer ids are `seq`s, lists are JSON text.

import type { UserPrompt } from "../../core/records/records.ts";
import { promptOfEvent } from "../../core/tools/event-message.ts";
import type { Json } from "../../text/json.ts";
import { epochMs } from "./epoch-ms.ts";
import { stillHolds } from "./observations.ts";

// Server rows are not synced between devices.
const syncColumns = `null::float8 as synced_at, null::text as origin_device_id, null::float8 as origin_local_id,
  1 as revision`;

const listColumns = `to_json(o.facts)::text as facts, to_json(o.concepts)::text as concepts,
  to_json(array(
    select u.path
    from unnest(o.files_modified || o.files_read) with ordinality as u(path, place)
    group by u.path
    order by min(u.place)))::text as files_touched,
  to_json(o.files_read)::text as files_read, to_json(o.files_modified)::text as files_modified`;

const recordColumns = `o.seq::float8 as id, coalesce(o.session_id::text, '') as sdk_session_id, p.name as project,
  o.prompt_number, o.generator, ${epochMs("o.created_at")} as created_at_epoch`;

/** An `Observation`, of `observations o` and its `projects p`. */
export const observationColumns = `${recordColumns}, o.obs_type, o.title, o.subtitle, o.summary, o.narrative,
  null::text as text, ${listColumns},
  case when o.provenance in ('user', 'file', 'command', 'agent', 'web', 'mcp') then o.provenance else 'agent' end
    as provenance,
  null::text as agent_id, null::text as agent_type, o.discovery_tokens, case when ${stillHolds} then 'active' else 'superseded' end as status,
  0 as pinned,
  (select n.seq::float8
    from observations n
    where n.team_id = o.team_id and n.project_id = o.project_id and n.id = o.superseded_by) as superseded_by, o.said_by, o.standing::integer as standing, o.reach, o.salience,
  o.routine::integer as routine, ${syncColumns}`;

/** A `SessionSummary`, of the same tables; its parts are in its metadata. */
export const summaryColumns = `${recordColumns}, coalesce(o.narrative, o.content) as summary_text,
  coalesce(o.metadata #>> '{parts,request}', nullif(o.title, 'Session summary')) as request, o.metadata #>> '{parts,investigated}' as investigated,
  o.metadata #>> '{parts,learned}' as learned, coalesce(o.metadata #>> '{parts,completed}', nullif(nullif(o.summary, ''), o.title)) as completed,
  o.metadata #>> '{parts,next_steps}' as next_steps, o.metadata #>> '{parts,notes}' as notes,
  ${listColumns}, ${syncColumns}`;

/** A `Session`, of `sessions s` and its `projects p`. */
export const sessionColumns = `s.seq::float8 as id, s.content_session_id as claude_session_id,
  s.id::text as sdk_session_id, p.name as project,
  coalesce((
    select e.payload ->> 'prompt'
    from agent_events e
    where e.team_id = s.team_id and e.project_id = s.project_id and e.session_id = s.id
      and e.event_type = 'user_prompt' and not e.metadata @> '{"private":true}'
    order by e.seq
    limit 1), '') as user_prompt,
  coalesce(nullif(s.platform_source, ''), 'api') as host, s.metadata ->> 'cwd' as cwd, s.title, s.status,
  s.prompt_count, ${epochMs("s.started_at")} as created_at_epoch,
  ${epochMs("s.last_active_at")} as last_active_at_epoch, ${epochMs("s.ended_at")} as completed_at_epoch`;

/** A `PromptRow`, of `agent_events e`, its `projects p` and its optional `sessions s`. */
export const promptColumns = `e.seq::float8 as id, coalesce(s.content_session_id, '') as claude_session_id,
  coalesce(e.session_id::text, '') as sdk_session_id, p.name as project, e.event_type, e.payload,
  e.metadata -> 'promptNumber' as number, ${epochMs("e.occurred_at")} as created_at_epoch`;

export interface PromptRow {
  id: number;
  claude_session_id: string;
  sdk_session_id: string;
  project: string;
  event_type: string;
  payload: Json;
  number: Json | null;
  created_at_epoch: number;
}

/** The prompt of an event; 0 without a number. */
export function promptOf({ event_type, payload, number, ...row }: PromptRow): UserPrompt {
  return {
    ...row,
    prompt_number: typeof number === "number" && Number.isSafeInteger(number) ? number : 0,
    prompt_text: promptOfEvent({ event_type, payload }) ?? "",
    synced_at: null,
    origin_device_id: null,
    origin_local_id: null,
    revision: 1,
  };
}
