// Kinds of hosted records in the worker's shapes, and the statements that read them. Integer ids are `seq`s, lists are JSON
// text.
import type { Observation, Session, SessionSummary, UserPrompt } from "../../core/records/records.ts";
import { promptOfEvent } from "../../core/tools/event-message.ts";
import type { Json } from "../../text/json.ts";
import { epochMs } from "./epoch-ms.ts";
import { stillHolds } from "./observations.ts";

export interface RecordOf {
  observations: Observation;
  /** An observation in a list, with the host agent of its session. */
  listed: ListedObservation;
  summaries: SessionSummary;
  prompts: UserPrompt;
  sessions: Session;
}

type ListedObservation = Observation & { host: string | null };

export type RecordKind = keyof RecordOf;

/** How a kind is read: its rows `o`, their projects `p`, and what `join` adds. */
export interface Source<R> {
  table: "observations" | "agent_events" | "sessions";
  columns: string;
  /** Condition of the kind. */
  is: string;
  time: "created_at" | "occurred_at" | "started_at";
  join: string;
  recordOf(row: object): R;
}

/**
 * Text for a page of the rows in an order. Reads `most` rows per project along its index: sorting a whole team would read
 * all of it. The reach is `$1` and `$2`.
 */
export function orderedText(
  { columns, table, is, join }: Source<unknown>,
  asked: { where: string; order: string; most: string; pageOrder?: string; page: string },
): string {
  const { where, order, most, pageOrder = order, page } = asked;
  return `select ${columns}
    from projects p
    cross join lateral (
      select o.*
      from ${table} o
      where o.team_id = $1 and o.project_id = p.id and ${is} and ${where}
      order by ${order}
      limit ${most}) o
    ${join}
    where p.team_id = $1 and ($2::uuid is null or p.id = $2)
    order by ${pageOrder}
    ${page}`;
}

/** Text for the rows that pass a condition. The reach is `$1` and `$2`. */
export function matchingText({ columns, table, is, join }: Source<unknown>, condition: string): string {
  return `select ${columns}
    from ${table} o
    join projects p on p.team_id = $1 and p.id = o.project_id
    ${join}
    where o.team_id = $1 and ($2::uuid is null or o.project_id = $2) and ${is} and ${condition}`;
}

// No client says on which branch it works.
const placeColumns = "null::text as branch, null::text as commit";

// Server rows are not synced between devices.
const syncColumns = `null::float8 as synced_at, null::text as origin_device_id, null::float8 as origin_local_id,
  1 as revision, ${placeColumns}`;

const listColumns = `to_json(o.facts)::text as facts, to_json(o.concepts)::text as concepts,
  to_json(array(
    select u.path
    from unnest(o.files_modified || o.files_read) with ordinality as u(path, place)
    group by u.path
    order by min(u.place)))::text as files_touched,
  to_json(o.files_read)::text as files_read, to_json(o.files_modified)::text as files_modified`;

const recordColumns = `o.seq::float8 as id, coalesce(o.session_id::text, '') as sdk_session_id, p.name as project,
  o.prompt_number, o.generator, ${epochMs("o.created_at")} as created_at_epoch`;

const itsSession =
  "left join sessions s on s.team_id = $1 and s.project_id = o.project_id and s.id = o.session_id";

const hostOf = (session: string) => `coalesce(nullif(${session}.platform_source, ''), 'api')`;

const observations: Source<Observation> = {
  table: "observations",
  columns: `${recordColumns}, o.obs_type, o.title, o.subtitle, o.summary, o.narrative,
    null::text as text, ${listColumns},
    case when o.provenance in ('user', 'file', 'command', 'agent', 'web', 'mcp') then o.provenance else 'agent' end
      as provenance,
    null::text as agent_id, null::text as agent_type, o.discovery_tokens,
    case when ${stillHolds} then 'active' else 'superseded' end as status, 0 as pinned,
    (select n.seq::float8
      from observations n
      where n.team_id = o.team_id and n.project_id = o.project_id and n.id = o.superseded_by) as superseded_by,
    o.said_by, o.statement_kind, o.standing::integer as standing, o.reach, o.salience, o.routine::integer as routine, ${syncColumns}`,
  is: "o.kind <> 'session_summary'",
  time: "created_at",
  join: "",
  recordOf: (row) => row as Observation,
};

const listed: Source<ListedObservation> = {
  ...observations,
  columns: `${observations.columns}, case when s.id is not null then ${hostOf("s")} end as host`,
  join: itsSession,
  recordOf: (row) => row as ListedObservation,
};

// The parts of a summary are in its metadata.
const summaries: Source<SessionSummary> = {
  table: "observations",
  columns: `${recordColumns}, coalesce(o.narrative, o.content) as summary_text,
    coalesce(o.metadata #>> '{parts,request}', nullif(o.title, 'Session summary')) as request,
    o.metadata #>> '{parts,investigated}' as investigated, o.metadata #>> '{parts,learned}' as learned,
    coalesce(o.metadata #>> '{parts,completed}', nullif(nullif(o.summary, ''), o.title)) as completed,
    o.metadata #>> '{parts,next_steps}' as next_steps, o.metadata #>> '{parts,notes}' as notes,
    ${listColumns}, ${syncColumns}`,
  is: "o.kind = 'session_summary'",
  time: "created_at",
  join: "",
  recordOf: (row) => row as SessionSummary,
};

const isPublicPrompt = (row: string) =>
  `${row}.event_type = 'user_prompt' and not ${row}.metadata @> '{"private":true}'`;

const prompts: Source<UserPrompt> = {
  table: "agent_events",
  columns: `o.seq::float8 as id, coalesce(s.content_session_id, '') as claude_session_id,
    coalesce(o.session_id::text, '') as sdk_session_id, p.name as project, o.event_type, o.payload,
    o.metadata -> 'promptNumber' as number, ${epochMs("o.occurred_at")} as created_at_epoch, ${syncColumns}`,
  is: isPublicPrompt("o"),
  time: "occurred_at",
  join: itsSession,
  recordOf: (row) => promptOf(row as PromptRow),
};

const sessions: Source<Session> = {
  table: "sessions",
  columns: `o.seq::float8 as id, o.content_session_id as claude_session_id, o.id::text as sdk_session_id,
    p.name as project,
    coalesce((
      select e.payload ->> 'prompt'
      from agent_events e
      where e.team_id = o.team_id and e.project_id = o.project_id and e.session_id = o.id
        and ${isPublicPrompt("e")}
      order by e.seq
      limit 1), '') as user_prompt,
    ${hostOf("o")} as host, o.metadata ->> 'cwd' as cwd, o.title, o.status,
    o.prompt_count, ${epochMs("o.started_at")} as created_at_epoch,
    ${epochMs("o.last_active_at")} as last_active_at_epoch, ${epochMs("o.ended_at")} as completed_at_epoch,
    ${placeColumns}`,
  is: "true",
  time: "started_at",
  join: "",
  recordOf: (row) => row as Session,
};

/** Record kinds, in the worker's shapes. A private prompt is in none of them. */
export const sources: { readonly [K in RecordKind]: Source<RecordOf[K]> } = {
  observations,
  listed,
  summaries,
  prompts,
  sessions,
};

interface PromptRow extends Omit<UserPrompt, "prompt_number" | "prompt_text"> {
  event_type: string;
  payload: Json;
  number: Json;
}

/** The prompt of an event; 0 without a number. */
function promptOf({ event_type, payload, number, ...row }: PromptRow): UserPrompt {
  return {
    ...row,
    prompt_number: typeof number === "number" && Number.isSafeInteger(number) ? number : 0,
    prompt_text: promptOfEvent({ event_type, payload }) ?? "",
  };
}
