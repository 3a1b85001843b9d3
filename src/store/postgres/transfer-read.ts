// All of a project as lines of JSON, made by the database, as it is at one moment.
import type { ProjectScope } from "../../core/records/tenancy.ts";
import { stillHolds } from "./observations.ts";
import type { Connections, Queryable } from "./open.ts";
import { inTenantSnapshot } from "./tenant.ts";

/** How many records of each kind. */
export interface TransferCounts {
  sessions: number;
  events: number;
  observations: number;
}

/** The project of those names; undefined when there is none. As `mem_system`. */
export async function projectByNames(
  system: Queryable,
  names: { team: string; project: string },
): Promise<ProjectScope | undefined> {
  const { rows } = await system.query<ProjectScope>({
    text: `select p.team_id, p.id as project_id
      from projects p
      join teams t on t.id = p.team_id
      where t.name = $1 and p.name = $2`,
    values: [names.team, names.project],
  });
  return rows[0];
}

interface Reader {
  begin(counts: TransferCounts): Promise<void>;
  /** Some lines; the next ones are read when it resolves. */
  lines(texts: readonly string[]): Promise<void>;
}

// An event is at most 2 MB: what is held at once stays bounded however large the project is.
const linesAtOnce = 100;
// Of a reader of the lines that takes its time.
const longestPauseMs = 600_000;
const longestStatementMs = 300_000;

/** Sessions first, since the others name them; each kind in its own order. */
export function readProject(app: Connections, scope: ProjectScope, reader: Reader): Promise<TransferCounts> {
  return inTenantSnapshot(app, scope, async (connection) => {
    await connection.query({ text: `set local idle_in_transaction_session_timeout = ${longestPauseMs}` });
    await connection.query({ text: `set local statement_timeout = ${longestStatementMs}` });
    const counts = await countRecords(connection, scope);
    await reader.begin(counts);
    for (const text of [sessionLines, eventLines, observationLines])
      await readLines(connection, scope, text, reader);
    return counts;
  });
}

async function countRecords(
  connection: Queryable,
  { team_id, project_id }: ProjectScope,
): Promise<TransferCounts> {
  const { rows } = await connection.query<TransferCounts>({
    text: `select
        (select count(*)::int from sessions where team_id = $1 and project_id = $2) as sessions,
        (select count(*)::int from agent_events where team_id = $1 and project_id = $2) as events,
        (select count(*)::int from observations where team_id = $1 and project_id = $2) as observations`,
    values: [team_id, project_id],
    timeoutMs: longestStatementMs,
  });
  return rows[0] ?? { sessions: 0, events: 0, observations: 0 };
}

// A cursor: pages by number would read the events of every team, or sort the project's anew for each page.
async function readLines(
  connection: Queryable,
  { team_id, project_id }: ProjectScope,
  text: string,
  reader: Reader,
): Promise<void> {
  await connection.query({
    text: `declare lines no scroll cursor for ${text}`,
    values: [team_id, project_id],
    timeoutMs: longestStatementMs,
  });
  for (;;) {
    const { rows } = await connection.query<{ line: string }>({
      text: `fetch ${linesAtOnce} from lines`,
      timeoutMs: longestStatementMs,
    });
    if (rows.length === 0) break;
    await reader.lines(rows.map(({ line }) => line));
  }
  await connection.query({ text: "close lines" });
}

const epochMs = (column: string) => `floor(extract(epoch from ${column}) * 1000)::bigint`;

// The rows are brought into order before their texts are made, which are much larger than they are.
const sessionLines = `
  select json_build_object('session', json_build_object(
    'id', s.id, 'contentSessionId', s.content_session_id, 'platformSource', s.platform_source,
    'agentId', s.agent_id, 'agentType', s.agent_type, 'title', s.title, 'status', s.status,
    'promptCount', s.prompt_count, 'metadata', s.metadata, 'startedAtEpoch', ${epochMs("s.started_at")},
    'lastActiveAtEpoch', ${epochMs("s.last_active_at")}, 'endedAtEpoch', ${epochMs("s.ended_at")},
    'lastGeneratedAtEpoch', ${epochMs("s.last_generated_at")}))::text as line
  from (select * from sessions where team_id = $1 and project_id = $2 order by seq offset 0) s`;

const eventLines = `
  select json_build_object('event', json_build_object(
    'id', e.id, 'contentSessionId', e.content_session_id, 'sourceType', e.source_type,
    'sourceEventId', e.source_event_id, 'eventType', e.event_type, 'platformSource', e.platform_source,
    'payload', e.payload, 'metadata', e.metadata, 'occurredAtEpoch', ${epochMs("e.occurred_at")},
    'receivedAtEpoch', ${epochMs("e.received_at")}))::text as line
  from (
    select e.*, s.content_session_id
    from agent_events e
    left join sessions s on s.team_id = $1 and s.project_id = $2 and s.id = e.session_id
    where e.team_id = $1 and e.project_id = $2
    order by e.seq
    offset 0) e`;

const observationLines = `
  select json_build_object('observation', json_build_object(
    'id', o.id, 'contentSessionId', o.content_session_id, 'kind', o.kind, 'type', o.obs_type, 'title', o.title,
    'subtitle', o.subtitle, 'summary', o.summary, 'narrative', o.narrative, 'facts', o.facts,
    'concepts', o.concepts, 'filesRead', o.files_read, 'filesModified', o.files_modified, 'content', o.content,
    'metadata', o.metadata, 'generator', o.generator, 'provenance', o.provenance,
    'promptNumber', o.prompt_number, 'discoveryTokens', o.discovery_tokens,
    'generationKey', o.generation_key, 'createdAtEpoch', ${epochMs("o.created_at")}, 'routine', o.routine,
    'ended', not (${stillHolds}),
    'statement', case when o.said_by is not null then json_build_object(
      'saidBy', o.said_by, 'standing', o.standing, 'reach', o.reach, 'salience', coalesce(o.salience, 0),
      'families', (
        select coalesce(json_agg(f.family order by f.family), '[]')
        from fix_commands f
        where f.team_id = $1 and f.project_id = $2 and f.observation_id = o.id)) end,
    'sources', (
      select coalesce(
        json_agg(json_build_object('type', s.source_type, 'id', s.source_id) order by s.created_at, s.id), '[]')
      from observation_sources s
      where s.team_id = $1 and s.project_id = $2 and s.observation_id = o.id)))::text as line
  from (
    select o.*, s.content_session_id
    from observations o
    left join sessions s on s.team_id = $1 and s.project_id = $2 and s.id = o.session_id
    where o.team_id = $1 and o.project_id = $2
    order by o.seq
    offset 0) o`;
