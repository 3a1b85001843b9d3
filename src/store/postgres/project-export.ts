// Reads a project as lines of JSON, all from one snapshot; the database builds the JSON.
import {
  columnName,
  type ExportCounts,
  type ExportKind,
  exportedFields,
  type FieldType,
} from "../../core/records/project-export.ts";
import type { ProjectScope } from "../../core/records/tenancy.ts";
import { stillHolds } from "./observations.ts";
import type { Connections, Queryable } from "./open.ts";
import { inTenantSnapshot } from "./tenant.ts";

/** The project with these names; undefined when there is none. As `mem_system`. */
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
  begin(counts: ExportCounts): Promise<void>;
  /** Takes some lines; the next ones are read when it resolves. */
  lines(texts: readonly string[]): Promise<void>;
}

// An event has at most 2 MB, so memory stays bounded for a project of any size.
const linesPerFetch = 100;
// A reader may be slow.
const maxPauseMs = 600_000;
const maxStatementMs = 300_000;

/** Reads the records of each kind in the order they were stored. */
export function readProject(app: Connections, scope: ProjectScope, reader: Reader): Promise<ExportCounts> {
  return inTenantSnapshot(app, scope, async (connection) => {
    await connection.query({ text: `set local idle_in_transaction_session_timeout = ${maxPauseMs}` });
    await connection.query({ text: `set local statement_timeout = ${maxStatementMs}` });
    const counts = await countRecords(connection, scope);
    await reader.begin(counts);
    for (const text of lineTexts) await readLines(connection, scope, text, reader);
    return counts;
  });
}

async function countRecords(
  connection: Queryable,
  { team_id, project_id }: ProjectScope,
): Promise<ExportCounts> {
  const { rows } = await connection.query<ExportCounts>({
    text: `select
        (select count(*)::int from sessions where team_id = $1 and project_id = $2) as sessions,
        (select count(*)::int from agent_events where team_id = $1 and project_id = $2) as events,
        (select count(*)::int from observations where team_id = $1 and project_id = $2) as observations`,
    values: [team_id, project_id],
    timeoutMs: maxStatementMs,
  });
  return rows[0] ?? { sessions: 0, events: 0, observations: 0 };
}

// A cursor: pages by `seq` would read the events of every team, or sort the project again for each page.
async function readLines(
  connection: Queryable,
  { team_id, project_id }: ProjectScope,
  text: string,
  reader: Reader,
): Promise<void> {
  await connection.query({
    text: `declare lines no scroll cursor for ${text}`,
    values: [team_id, project_id],
    timeoutMs: maxStatementMs,
  });
  for (;;) {
    const { rows } = await connection.query<{ line: string }>({
      text: `fetch ${linesPerFetch} from lines`,
      timeoutMs: maxStatementMs,
    });
    if (rows.length === 0) break;
    await reader.lines(rows.map(({ line }) => line));
  }
  await connection.query({ text: "close lines" });
}

const sessionName = `left join sessions s on s.team_id = $1 and s.project_id = $2 and s.id = o.session_id`;

const lineTexts = [
  linesOf("session", "select * from sessions o"),
  linesOf("event", `select o.*, s.content_session_id from agent_events o ${sessionName}`),
  linesOf(
    "observation",
    `select o.*, o.obs_type as type, s.content_session_id from observations o ${sessionName}`,
    {
      ended: `not (${stillHolds})`,
      statement: `case when o.said_by is not null then json_build_object(
        'saidBy', o.said_by, 'kind', o.statement_kind, 'standing', o.standing, 'reach', o.reach, 'salience', coalesce(o.salience, 0),
        'families', (
          select coalesce(json_agg(f.family order by f.family), '[]')
          from fix_commands f
          where f.team_id = $1 and f.project_id = $2 and f.observation_id = o.id)) end`,
      sources: `(
        select coalesce(
          json_agg(json_build_object('type', s.source_type, 'id', s.source_id) order by s.created_at, s.id), '[]')
        from observation_sources s
        where s.team_id = $1 and s.project_id = $2 and s.observation_id = o.id)`,
    },
  ),
];

// `offset 0`: the rows are sorted before their JSON, which is much larger, is built.
function linesOf(kind: ExportKind, rows: string, computed: Readonly<Record<string, string>> = {}): string {
  const stored = Object.entries<FieldType>(exportedFields[kind]).map(([field, type]) => [
    field,
    selected(field, type),
  ]);
  const values = { ...Object.fromEntries(stored), ...computed };
  return `
    select json_build_object('${kind}', json_build_object(
      ${Object.entries(values)
        .map(([field, value]) => `'${field}', ${value}`)
        .join(", ")}))::text as line
    from (${rows} where o.team_id = $1 and o.project_id = $2 order by o.seq offset 0) o`;
}

function selected(field: string, type: FieldType): string {
  const column = `o.${columnName(field)}`;
  return type === "time" || type === "time?"
    ? `floor(extract(epoch from ${column.replace("_epoch", "")}) * 1000)::bigint`
    : column;
}
