// Events of a session that a turn is read from.
import type { ProjectScope } from "../../core/records/tenancy.ts";
import { closingEventPattern, promptEventPattern } from "../../core/tools/event-message.ts";
import type { Json } from "../../text/json.ts";
import type { Queryable } from "./open.ts";
import { rowsIn } from "./tenant.ts";

export interface TurnEvent {
  id: string;
  seq: number;
  event_type: string;
  payload: Json;
  /** Number of its generation job; null without one. */
  job_seq: number | null;
}

/** Events before a message of the session, oldest first: the end of the previous turn, prompts, and tool uses. */
export function eventsOfTurn(
  connection: Queryable,
  scope: ProjectScope,
  { session_id, before }: { session_id: string; before: number | null },
): Promise<TurnEvent[]> {
  return rowsIn(connection, scope, {
    name: "events-of-turn",
    text: turnText,
    values: [session_id, before],
  });
}

// A longer turn is a night of work; its summary is about the newest tool uses.
const mostEvents = 2_000;
const mostUses = 150;
const mostUseBytes = 400_000;
// Prompts during the previous turn, also an interrupted one.
const mostPrompts = 50;

// Sizes on disk: computing others would decompress payloads that are not used.
const turnText = `
  with walked as materialized (
    select e.seq, e.event_type ~* '${closingEventPattern}' as is_end, e.event_type ~* '${promptEventPattern}' as is_prompt,
      pg_column_size(e.payload) as size
    from agent_events e
    where e.team_id = $1 and e.project_id = $2 and e.session_id = $3 and ($4::float8 is null or e.seq < $4::bigint)
    order by e.seq desc
    limit ${mostEvents}),
  ended as (select max(seq) as seq from walked where is_end),
  uses as (
    select seq, sum(size) over (order by seq desc) - size as newer
    from walked
    where not is_end and not is_prompt
    order by seq desc
    limit ${mostUses}),
  chosen as (
    select seq from ended
    union all
    select max(w.seq) from walked w, ended e where w.is_prompt and w.seq < e.seq
    union all
    (select w.seq
    from walked w
    where w.is_prompt and w.seq > coalesce((select seq from ended), 0)
    order by w.seq desc
    limit ${mostPrompts})
    union all
    select seq from uses where newer < ${mostUseBytes})
  select e.id, e.seq::float8 as seq, e.event_type, e.payload, j.seq::float8 as job_seq
  from chosen c
  join agent_events e on e.team_id = $1 and e.project_id = $2 and e.session_id = $3 and e.seq = c.seq
  left join generation_jobs j on j.team_id = $1 and j.project_id = $2 and j.source_type = 'agent_event'
    and j.source_id = e.id and j.job_type = 'observation'
  order by e.seq`;
