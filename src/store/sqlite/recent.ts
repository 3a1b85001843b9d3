// The newest observations of a project's last sessions, the agent's last message, and what prompts are compared with.
import { RecentMap } from "../../core/recent-map.ts";
import {
  type Observation,
  parseLists,
  type QuotedRecord,
  type SessionSummary,
  type UserPrompt,
} from "../../core/records/records.ts";
import { isProposal } from "../../core/records/statement.ts";
import { observationColumns } from "./observations.ts";
import type { Sqlite } from "./open.ts";
import { createSql } from "./sql.ts";
import { createStanding, notProposed, type RulesRequest, type StatementsRequest } from "./statements.ts";
import { endsTurn } from "./turns.ts";

/** All, those that are not routine work, or of these the active ones that a model or a user wrote, without statements. */
type ContextRecords = "all" | "telling" | "written";

interface ContextRequest {
  project: string;
  limit: number;
  /** How many of the newest sessions are read. */
  sessions: number;
  /** Null for every type; concepts likewise, else at least one of them. */
  types: readonly string[] | null;
  concepts: readonly string[] | null;
  of: ContextRecords;
}

export function createRecent(db: Sqlite) {
  const sql = createSql(db);
  const newest = (from: string) =>
    sql.all<[project: string, limit: number, offset: number], Observation>(
      `select ${observationColumns}
       from observations ${from}
       order by created_at_epoch desc, id desc
       limit ? offset ?`,
    );
  // Left out before their texts are read: routine work is most of the newest rows.
  const readers = {
    all: newest("where project = ?"),
    telling: newest("where project = ? and routine = 0"),
    written: newest(
      `indexed by observations_telling
       where project = ? and status = 'active' and routine = 0 and generator <> 'local' and salience is null`,
    ),
  };
  const lastMessage = sql.value<[project: string, sessions: number], unknown>(
    `select json_extract(e.payload, '$.last_assistant_message')
     from (select id from sessions where project = ? order by id desc limit ?) s
     join raw_events e on e.session_id = s.id
     where ${endsTurn("e")} and json_valid(e.payload)
     order by e.id desc
     limit 1`,
  );
  const rejected = sql.get<[sdkSessionId: string, at: number], { id: number }>(
    `select id
     from observations
     where sdk_session_id = ? and status = 'rejected' and created_at_epoch <= ?
     limit 1`,
  );
  return {
    /** Newest first, without rejected ones. */
    forContext: (request: ContextRequest) => readForContext(readers[request.of], request),
    /** Pinned and still active, newest first. Without the index every record of the project would be read. */
    pinned: sql.all<[project: string, limit: number], Observation>(
      `select ${observationColumns}
       from observations indexed by observations_pinned
       where project = ? and pinned = 1 and status = 'active'
       order by created_at_epoch desc, id desc
       limit ?`,
    ),
    /** The agent's last message of the project's newest session that ended a turn. */
    lastMessage(project: string): string | undefined {
      const message = lastMessage(project, sessionsForMessage);
      return typeof message === "string" && message !== "" ? message : undefined;
    },
    /** True when an earlier observation of the summary's session was rejected. */
    isDoubted: ({
      sdk_session_id,
      created_at_epoch,
    }: Pick<SessionSummary, "sdk_session_id" | "created_at_epoch">) =>
      rejected(sdk_session_id, created_at_epoch) !== undefined,
  };
}

// The reads end as soon as enough is found; a filter that matches nothing ends here, not at the first row of a year.
const mostRowsRead = 2000;
const pageRows = 250;
const sessionsForMessage = 10;

function readForContext(
  newest: (project: string, limit: number, offset: number) => Observation[],
  request: ContextRequest,
): Observation[] {
  const chosen: Observation[] = [];
  const sessions = new Set<string>();
  // By pages: rows one by one take twice as long. Mostly the first page has enough.
  for (let read = 0; read < mostRowsRead && chosen.length < request.limit; ) {
    const page = newest(request.project, read === 0 ? request.limit : pageRows, read);
    if (page.length === 0) break;
    read += page.length;
    for (const observation of page) {
      if (chosen.length >= request.limit) return chosen;
      if (!isWanted(observation, request)) continue;
      if (!sessions.has(observation.sdk_session_id) && sessions.size >= request.sessions) continue;
      sessions.add(observation.sdk_session_id);
      chosen.push(observation);
    }
  }
  return chosen;
}

function isWanted(observation: Observation, { types, concepts }: ContextRequest): boolean {
  const { status, superseded_by } = observation;
  if (status === "rejected" || isProposal(observation)) return false;
  // Closed, or taken back.
  if (status === "superseded" && superseded_by === null) return false;
  if (types !== null && !types.includes(observation.obs_type)) return false;
  return concepts === null || parseLists(observation).concepts.some((concept) => concepts.includes(concept));
}

// A change of the user has another revision; a pulled one can have the same, with another time.
type Version = Pick<Observation, "id" | "revision" | "synced_at">;
const versionColumns = "id, revision, synced_at";
const quotedColumns = `id, sdk_session_id, prompt_number, obs_type, title, subtitle, summary, narrative, said_by, statement_kind,
  standing, reach, salience, created_at_epoch, revision, provenance, generator, files_read, pinned, branch,
  git_commit as "commit"`;

// Of two projects, about 5 MB.
const maxKnown = 4_000;

/** The records and prompts of a project that a start and a prompt quote or are compared with. */
export function createRankable(db: Sqlite) {
  const sql = createSql(db);
  const rankable = sql.all<[project: string, limit: number], Version>(
    `select ${versionColumns}
     from observations
     where project = ? and status = 'active' and routine = 0 and (salience is not null or generator <> 'local')
       and ${notProposed}
     order by created_at_epoch desc, id desc
     limit ?`,
  );
  const { standingRules, statements } = createStanding<Version>(db, versionColumns);
  const byId = sql.get<[id: number], QuotedRecord>(`select ${quotedColumns} from observations where id = ?`);
  const known = new RecentMap<number, { version: Version; record: QuotedRecord }>(maxKnown);
  // Every prompt needs thousands, which takes 10 ms: the records that have not changed are kept.
  const quoted = (versions: readonly Version[]): QuotedRecord[] =>
    versions.flatMap((version) => {
      const before = known.get(version.id);
      if (before?.version.revision === version.revision && before.version.synced_at === version.synced_at)
        return before.record;
      const record = byId(version.id);
      if (record !== undefined) known.set(version.id, { version, record });
      return record ?? [];
    });
  return {
    standingRules: (request: RulesRequest) => quoted(standingRules(request)),
    statements: (request: StatementsRequest) => quoted(statements(request)),
    /** Active records without routine work, newest first; records that `local` wrote of one tool use are left out. */
    rankable: (project: string, limit: number) => quoted(rankable(project, limit)),
    /** Prompts that are not private, newest first. */
    asked: sql.all<
      [project: string, limit: number],
      Pick<UserPrompt, "id" | "sdk_session_id" | "prompt_number" | "prompt_text">
    >(
      `select id, sdk_session_id, prompt_number, prompt_text
       from user_prompts
       where project = ? and private = 0
       order by created_at_epoch desc, id desc
       limit ?`,
    ),
    /** The completion of a session ends its unfinished turn, which then has a request to summarize of that key. */
    interrupted: sql.get<
      [project: string, exceptSession: string],
      Pick<UserPrompt, "prompt_text" | "created_at_epoch"> & { is_active: 0 | 1 }
    >(
      `select p.prompt_text, p.created_at_epoch, s.status = 'active' as is_active
       from (
         select id, session_id, prompt_number, prompt_text, created_at_epoch
         from user_prompts
         where project = ? and private = 0 and sdk_session_id <> ?
         order by created_at_epoch desc, id desc
         limit 1) p
       join sessions s on s.id = p.session_id
       where s.host <> 'api'
         and (s.status = 'active'
           or exists (
             select 1
             from raw_events e
             where e.session_id = s.id and e.kind = 'summarize' and e.event_key = 'unfinished:' || p.prompt_number))
         and not exists (
           select 1
           from raw_events e
           where e.session_id = s.id and ${endsTurn("e")} and e.created_at_epoch >= p.created_at_epoch
             and e.event_key not like 'unfinished:%')`,
    ),
  };
}
