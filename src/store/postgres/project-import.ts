// Stores records of an export, a page in one transaction; records that are already there stay as they are.

import { MemError } from "../../core/errors.ts";
import type { AuditRow } from "../../core/records/audit.ts";
import type { NewHostedObservation } from "../../core/records/hosted-record.ts";
import {
  columnName,
  type ExportCounts,
  type ExportRow,
  exportedFields,
  type FieldType,
} from "../../core/records/project-export.ts";
import type { ProjectScope } from "../../core/records/tenancy.ts";
import { storableJson } from "../../text/storable.ts";
import { insertAudit } from "./audit.ts";
import { insertObservations } from "./observations.ts";
import type { Connections, Queryable } from "./open.ts";
import { inTenant } from "./tenant.ts";

export type ImportedObservation = Omit<ExportRow<"observation">, "type"> &
  Pick<NewHostedObservation, "obs_type" | "sources" | "statement">;

export interface ImportPage {
  sessions: readonly ExportRow<"session">[];
  events: readonly ExportRow<"event">[];
  observations: readonly ImportedObservation[];
}

/** Writes the audit row; the project's epoch, undefined when the project is gone. */
export function beginImport(
  app: Connections,
  scope: ProjectScope,
  audit: AuditRow,
): Promise<string | undefined> {
  return inTenant(app, scope, async (connection) => {
    const epoch = await shareEpoch(connection, scope);
    if (epoch !== undefined) await insertAudit(connection, audit);
    return epoch;
  });
}

/**
 * Stores a page under the epoch that the import began with; returns how many of its records are new. Throws `conflict`
 * when the project was purged since, `export_invalid` for a session that is neither stored nor in the page.
 */
export function importPage(
  app: Connections,
  scope: ProjectScope,
  { epoch, page }: { epoch: string; page: ImportPage },
): Promise<ExportCounts> {
  return inTenant(app, scope, async (connection) => {
    // Exclusive: a concurrent import of the same records waits, and then finds them.
    await connection.query({ text: "select hold_project($1)", values: [scope.project_id] });
    if ((await shareEpoch(connection, scope)) !== epoch) throw purged();
    const target = { ...scope, epoch };
    const sessions = await insertRows(connection, target, "session", page.sessions);
    const ids = await sessionIds(connection, scope, [...page.events, ...page.observations]);
    const sessionOf = (name: string | null) => (name === null ? null : (ids.get(name) ?? null));
    const events = await insertRows(
      connection,
      target,
      "event",
      page.events.map((event) => ({ ...event, session_id: sessionOf(event.content_session_id) })),
    );
    const missing = await missingObservations(connection, scope, page.observations);
    const observations = await insertObservations(
      connection,
      missing.map(({ content_session_id, ...observation }) => {
        const session_id = sessionOf(content_session_id);
        const sources = observation.sources.map((source) =>
          source.source_type === "session_summary" && session_id !== null
            ? { ...source, source_id: session_id }
            : source,
        );
        const own = { session_id, sources, memory_epoch: epoch, created_by_job_id: null };
        return { ...observation, ...scope, ...own };
      }),
    );
    return { sessions, events, observations: observations.length };
  });
}

/** The project's epoch, undefined when it is gone. Until the transaction ends, no purge begins. */
export async function shareEpoch(
  connection: Queryable,
  { team_id, project_id }: ProjectScope,
): Promise<string | undefined> {
  const { rows } = await connection.query<{ memory_epoch: string }>({
    text: "select memory_epoch::text from projects where team_id = $1 and id = $2 for share",
    values: [team_id, project_id],
  });
  return rows[0]?.memory_epoch;
}

function purged(): MemError {
  return new MemError("conflict", {
    message: "The project was purged or deleted during the import, so the import ended.",
    hint: "Run it again if you still want the records.",
  });
}

async function insertRows(
  connection: Queryable,
  { team_id, project_id, epoch }: ProjectScope & { epoch: string },
  kind: keyof typeof insertTexts,
  rows: readonly object[],
): Promise<number> {
  if (rows.length === 0) return 0;
  const placed = rows.map((row, place) => ({ ...row, place }));
  const { rowCount } = await connection.query({
    text: insertTexts[kind],
    values: [team_id, project_id, epoch, JSON.stringify(storableJson(placed))],
  });
  return rowCount ?? 0;
}

const sqlTypes = {
  id: "uuid",
  name: "text",
  text: "text",
  "text?": "text",
  "key?": "text",
  session: "text",
  texts: "text[]",
  object: "jsonb",
  json: "jsonb",
  count: "integer",
  "count?": "integer",
  flag: "boolean",
  status: "text",
} as const satisfies Partial<Record<FieldType, string>>;

const insertTexts = {
  session: insertText("sessions", exportedFields.session),
  event: insertText("agent_events", exportedFields.event),
};

// An event refers to its session by id; the host's name is a column of the session alone.
function insertText(table: string, fields: Readonly<Record<string, FieldType>>): string {
  const columns = Object.entries(fields).map(([field, type]) => {
    const given = type === "session?" ? "session_id" : columnName(field);
    if (type === "time" || type === "time?") {
      return {
        given,
        type: "float8",
        stored: given.replace("_epoch", ""),
        value: `to_timestamp(${given} / 1000)`,
      };
    }
    const value = type === "json" ? `coalesce(${given}, 'null')` : given;
    return { given, type: type === "session?" ? "uuid" : sqlTypes[type], stored: given, value };
  });
  return `insert into ${table} (team_id, project_id, memory_epoch, ${columns.map(({ stored }) => stored).join(", ")})
    select $1, $2, $3, ${columns.map(({ value }) => value).join(", ")}
    from jsonb_to_recordset($4::jsonb) as r (
      place integer, ${columns.map(({ given, type }) => `${given} ${type}`).join(", ")})
    order by place
    on conflict do nothing`;
}

/** The ids of the sessions that the records name. */
async function sessionIds(
  connection: Queryable,
  { team_id, project_id }: ProjectScope,
  records: readonly { content_session_id: string | null }[],
): Promise<ReadonlyMap<string, string>> {
  const names = new Set(records.map(({ content_session_id }) => content_session_id));
  names.delete(null);
  if (names.size === 0) return new Map();
  const { rows } = await connection.query<{ name: string; id: string }>({
    text: `select content_session_id as name, id
      from sessions
      where team_id = $1 and project_id = $2 and content_session_id = any ($3::text[])`,
    values: [team_id, project_id, [...names]],
  });
  const ids = new Map(rows.map(({ name, id }) => [name, id]));
  const missing = [...names].find((name) => name !== null && !ids.has(name));
  if (missing === undefined) return ids;
  throw new MemError("export_invalid", {
    message: `A record refers to the session ${JSON.stringify(missing)}, which is not before it.`,
  });
}

async function missingObservations(
  connection: Queryable,
  { team_id, project_id }: ProjectScope,
  observations: readonly ImportedObservation[],
): Promise<readonly ImportedObservation[]> {
  if (observations.length === 0) return observations;
  const { rows } = await connection.query<{ id: string }>({
    text: "select id from observations where team_id = $1 and project_id = $2 and id = any ($3::uuid[])",
    values: [team_id, project_id, observations.map(({ id }) => id)],
  });
  const stored = new Set(rows.map(({ id }) => id));
  // A record that is twice in the page is stored once.
  return observations.filter(({ id }) => !stored.has(id) && stored.add(id));
}
