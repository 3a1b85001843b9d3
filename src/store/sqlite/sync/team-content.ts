// What a team gets of a record: its texts, and paths relative to the folder of its project.
import { relative } from "node:path";
import type { Observation, SessionSummary } from "../../../core/records/records.ts";
import { parseLists } from "../../../core/records/records.ts";
import { summaryPartsOf } from "../../../core/records/summary-parts.ts";
import type { JsonObject } from "../../../text/json.ts";
import type { Sqlite } from "../open.ts";
import { createSql } from "../sql.ts";

interface TeamContent {
  project: string;
  /** As `POST /v1/memories/shared` takes them. */
  fields: JsonObject;
}

type WithFolder<R> = R & { folder: string | null };

/** Each returns undefined for a record that is gone or not accepted: rejected, replaced, or routine work. */
export function createTeamContent(db: Sqlite) {
  const sql = createSql(db);
  const columns = "r.*, coalesce(p.folder, s.cwd) as folder";
  const folder = `left join sessions s on s.sdk_session_id = r.sdk_session_id
     left join projects p on p.label = r.project`;
  const observation = sql.get<[id: number], WithFolder<Observation>>(
    `select ${columns}
     from observations r
     ${folder}
     where r.id = ? and r.status = 'active' and r.routine = 0`,
  );
  const summary = sql.get<[id: number], WithFolder<SessionSummary>>(
    `select ${columns} from session_summaries r ${folder} where r.id = ?`,
  );
  return {
    observation(id: number): TeamContent | undefined {
      const found = observation(id);
      return found && { project: found.project, fields: observationFields(found) };
    },
    summary(id: number): TeamContent | undefined {
      const found = summary(id);
      return found && { project: found.project, fields: summaryFields(found) };
    },
  };
}

function observationFields(record: WithFolder<Observation>): JsonObject {
  const { said_by, salience } = record;
  return {
    ...sharedFields(record),
    type: record.obs_type,
    title: record.title,
    subtitle: record.subtitle,
    summary: record.summary,
    narrative: record.narrative ?? record.text,
    provenance: record.provenance,
    statement:
      said_by === null
        ? null
        : {
            saidBy: said_by,
            kind: record.statement_kind,
            standing: record.standing === 1,
            reach: record.reach,
            salience: salience ?? 0,
          },
  };
}

function summaryFields(record: WithFolder<SessionSummary>): JsonObject {
  const { request, learned, completed, summary_text } = record;
  return {
    ...sharedFields(record),
    type: "session_summary",
    title: request ?? "Session summary",
    summary: completed ?? learned ?? request ?? "",
    narrative: summary_text,
    parts: { ...summaryPartsOf(record) },
  };
}

function sharedFields(record: WithFolder<Observation | SessionSummary>): JsonObject {
  const { facts, concepts, files_read, files_modified } = parseLists(record);
  const inFolder = (paths: string[]) => paths.map((path) => pathIn(record.folder, path));
  return {
    facts,
    concepts,
    filesRead: inFolder(files_read),
    filesModified: inFolder(files_modified),
    generator: record.generator,
    createdAtEpoch: record.created_at_epoch,
  };
}

// A colleague has other folders, and the name of a home folder is the user's.
function pathIn(folder: string | null, path: string): string {
  if (folder !== null && path.startsWith(`${folder.replace(/\/$/, "")}/`)) return relative(folder, path);
  return path.replace(/^\/(?:home|Users)\/[^/]+(?=\/)/, "~");
}
