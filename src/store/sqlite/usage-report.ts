// Reads what a report on injected records needs: what was shown, what sessions touched, ran and fetched afterwards.
import type { InjectionMoment } from "../../core/records/injection.ts";
import type { PendingMessage } from "../../core/records/messages.ts";
import { reportReader } from "../../core/records/usage-report.ts";
import type { Sqlite } from "./open.ts";
import { readPayload } from "./raw-events.ts";
import { createSql } from "./sql.ts";

export interface ReportFilter {
  since: number;
  /** Null for all projects. */
  project: string | null;
}

/** A record that was shown to a session, the first time. */
export interface ShownRecord {
  session: string;
  /** Null before the first prompt of the session. */
  session_id: number | null;
  project: string | null;
  name: string;
  at: number;
  moment: InjectionMoment;
  cause: string | null;
}

export interface ReportedRecord {
  obs_type: string;
  said_by: string | null;
  standing: 0 | 1;
  created_at_epoch: number;
}

export type UsageRows = ReturnType<typeof createUsageRows>;

const wanted = "i.at_epoch >= @since and (@project is null or s.project = @project)";

export function createUsageRows(db: Sqlite) {
  return { ...createInjected(db), ...createRecords(db), ...createSessionUses(db) };
}

function createInjected(db: Sqlite) {
  const sql = createSql(db);
  return {
    moments: sql.all<[ReportFilter], { moment: InjectionMoment; injections: number; tokens: number }>(
      `select i.moment, count(*) as injections, sum(i.tokens) as tokens
       from injections i
       left join sessions s on s.claude_session_id = i.session
       where ${wanted}
       group by i.moment
       order by i.moment`,
    ),
    /** Tokens and sessions of each project. */
    projects: sql.all<[ReportFilter], { project: string | null; sessions: number; tokens: number }>(
      `select s.project, count(distinct i.session) as sessions, sum(i.tokens) as tokens
       from injections i
       left join sessions s on s.claude_session_id = i.session
       where ${wanted}
       group by s.project
       order by tokens desc, s.project`,
    ),
    // With min() SQLite takes the other columns from the row of the minimum.
    /** Ordered by session. */
    shown: sql.all<[ReportFilter], ShownRecord>(
      `select i.session, s.id as session_id, s.project, n.value as name, min(i.at_epoch) as at, i.moment, i.cause
       from injections i
       cross join json_each('["' || replace(trim(i.records, ','), ',', '","') || '"]') n
       left join sessions s on s.claude_session_id = i.session
       where ${wanted} and n.value <> ''
       group by i.session, n.value
       order by i.session, n.value`,
    ),
  };
}

function createRecords(db: Sqlite) {
  const sql = createSql(db);
  return {
    observation: sql.get<[id: number], ReportedRecord>(
      "select obs_type, said_by, standing, created_at_epoch from observations where id = ?",
    ),
    filesOf: sql.values<[id: number], string>("select path from observation_files where observation_id = ?"),
    filesOfSummary: sql.value<[id: number], string>(
      "select files_touched from session_summaries where id = ?",
    ),
    hasPrompt: sql.value<[id: number], number>("select 1 from user_prompts where id = ?"),
    familiesOf: sql.values<[id: number], string>("select family from fix_commands where observation_id = ?"),
  };
}

function createSessionUses(db: Sqlite) {
  const sql = createSql(db);
  const touched = sql.all<[session: number], { path: string; last: number }>(
    `select f.path, max(o.created_at_epoch) as last
     from sessions s
     cross join observations o on o.sdk_session_id = s.sdk_session_id
     cross join observation_files f on f.observation_id = o.id
     where s.id = ?
     group by f.path`,
  );
  const events = sql.all<[session: number], { id: number; payload: string; at: number }>(
    `select id, payload, created_at_epoch as at
     from raw_events
     where session_id = ? and kind = 'observation'
     order by id`,
  );
  const items = sql.all<[{ session: string; reader: string }], { item: string; at: number }>(
    "select item, at_epoch as at from context_ledger where session = @session and reader = @reader",
  );
  return {
    /** Paths in the session's observations, with the time of the last one. */
    touched: (session: number) => new Map(touched(session).map(({ path, last }) => [path, last])),
    /** The session's tool uses that are still stored. */
    toolUses: (session: number) =>
      events(session).map(({ id, payload, at }) => ({
        ...{ id, at, isOfTurn: true },
        message: { type: "observation", ...readPayload(payload) } as PendingMessage,
      })),
    /** Items of the session for the report, with their times. */
    items: (session: string) =>
      new Map(items({ session, reader: reportReader }).map(({ item, at }) => [item, at])),
    /** Sessions of the project that were active since then, the newest first. */
    sessionsOf: sql.all<[{ project: string; since: number; limit: number }], { id: number; created: number }>(
      `select id, created_at_epoch as created
       from sessions
       where project = @project and last_active_at_epoch >= @since
       order by id desc
       limit @limit`,
    ),
  };
}
