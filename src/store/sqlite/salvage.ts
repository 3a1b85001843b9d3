// Copies the readable rows of a damaged database into a new one, without holding a table in memory.

import type { Statement } from "better-sqlite3";
import { type DamagedTables, type FoundRow, openDamagedTables } from "./damaged-tables.ts";
import { rebuildDerived } from "./derived-rebuild.ts";
import { Database } from "./library.ts";
import type { Sqlite } from "./open.ts";
import { storageError } from "./storage-error.ts";

export interface Salvaged {
  /** Number of copied rows by table. */
  rows: Record<string, number>;
  /** Number of unreadable pages and rows by table, if any. */
  unreadable: Record<string, number>;
}

/**
 * Copies every readable row of `aside` into the unused database `db` and rebuilds the derived data. Throws without a change
 * when `db` cannot be written (such as `storage_full`). Close `db` and open it again afterwards.
 */
export function salvage(aside: string, db: Sqlite): Salvaged {
  try {
    const damaged = openDamagedTables(aside, db);
    try {
      // An unfinished file is deleted, so its journal need not survive the process.
      db.pragma("journal_mode = memory");
      db.pragma("foreign_keys = off");
      return db.transaction(() => copy(damaged, db)).immediate();
    } finally {
      damaged.close();
    }
  } catch (cause) {
    throw storageError(cause);
  }
}

const copiedTables = [
  "projects",
  "project_identities",
  "project_aliases",
  "project_moves",
  "sessions",
  "user_prompts",
  "raw_events",
  "pending_messages",
  "observations",
  "observation_sources",
  "observation_blobs",
  "fix_commands",
  "session_summaries",
  "vector_sets",
  "observation_vectors",
  "model_calls",
  "regenerations",
  "viewer_state",
  "folder_files",
  "context_ledger",
  "injections",
  "injection_texts",
  "forgets",
  "retention",
  "scrubs",
  "trash",
  "trash_rows",
  "tombstones",
  "deleted_sessions",
  "import_sources",
  "imported_sessions",
  "sync_deletions",
  "sync_failures",
  "sync_references",
  "sync_remaps",
  "sync_state",
  "team_records",
  "team_projects",
  "unread_events",
  "branches",
];

function copy(damaged: DamagedTables, db: Sqlite): Salvaged {
  const rows = Object.fromEntries(copiedTables.map((table) => [table, copyTable(damaged, db, table)]));
  restoreSequences(damaged, db);
  for (const statement of repairs) db.prepare(statement).run();
  restoreCounts(damaged, db);
  rebuildDerived(db);
  const unreadable = copiedTables.map((table) => [table, damaged.unreadable(table)] as const);
  return { rows, unreadable: Object.fromEntries(unreadable.filter(([, count]) => count > 0)) };
}

function copyTable(from: DamagedTables, to: Sqlite, table: string): number {
  const known = new Set(
    to.prepare<[string], string>("select name from pragma_table_info(?)").pluck().all(table),
  );
  // Rows of one table may come from several versions, each with its columns.
  const inserts = new Map<string, Statement<[FoundRow]>>();
  let copied = 0;
  for (const row of from.rows(table)) {
    const columns = Object.keys(row).filter((column) => known.has(column));
    const names = columns.join(", ");
    const insert =
      inserts.get(names) ??
      to.prepare<[FoundRow]>(
        `insert or ignore into ${table} (${names}) values (${columns.map((name) => `@${name}`).join(", ")})`,
      );
    inserts.set(names, insert);
    copied += insertRow(insert, row);
  }
  return copied;
}

// A value of the wrong type is damage too, but `or ignore` does not skip it in a strict table.
function insertRow(insert: Statement<[FoundRow]>, row: FoundRow): number {
  try {
    return insert.run(row).changes;
  } catch (cause) {
    if (cause instanceof Database.SqliteError && /^SQLITE_(CONSTRAINT|MISMATCH)/.test(cause.code)) return 0;
    throw cause;
  }
}

// Ids are never reused, even when their row was purged or unreadable: a new raw event with an old id would be linked to
// the old event's observation. A larger number is damage.
const largestId = 2 ** 48;

const namedIds: Readonly<Record<string, readonly string[]>> = {
  sessions: [
    "select max(session_id) from user_prompts",
    "select max(session_id) from raw_events",
    "select max(session_id) from observations",
    "select max(session_id) from session_summaries",
    "select max(record_id) from trash where kind = 'session'",
  ],
  raw_events: [
    "select max(id) from pending_messages",
    "select max(raw_event_id) from observation_sources",
    "select max(cast(generation_key as integer)) from observations",
    "select max(cast(generation_key as integer)) from session_summaries",
    "select max(row_id) from trash_rows where place in ('raw_events', 'events')",
  ],
  observations: [
    "select max(observation_id) from observation_sources",
    "select max(record_id) from tombstones where kind = 'observation'",
  ],
  session_summaries: ["select max(record_id) from tombstones where kind = 'summary'"],
  user_prompts: ["select max(record_id) from tombstones where kind = 'prompt'"],
  injections: [
    "select max(injection_id) from injection_texts",
    "select max(row_id) from trash_rows where place in ('injections', 'injection_texts')",
  ],
  trash: ["select max(trash_id) from trash_rows"],
};

function restoreSequences(damaged: DamagedTables, db: Sqlite): void {
  const given = new Map<string, number>();
  for (const { name, seq } of damaged.rows("sqlite_sequence")) given.set(String(name), Number(seq));
  const tables = db
    .prepare<[], string>(
      `select t.name
       from sqlite_schema t
       where t.type = 'table' and t.sql like '%autoincrement%'
         and exists (select 1 from pragma_table_info(t.name) c where c.name = 'id')`,
    )
    .pluck()
    .all();
  const forget = db.prepare<[string]>("delete from sqlite_sequence where name = ?");
  const remember = db.prepare<[string, number]>("insert into sqlite_sequence (name, seq) values (?, ?)");
  for (const table of tables) {
    const named = [`select max(id) from ${table}`, ...(namedIds[table] ?? [])].map((sql) =>
      Number(db.prepare(sql).pluck().get() ?? 0),
    );
    const ids = [given.get(table) ?? 0, ...named].filter((id) => id <= largestId);
    forget.run(table);
    remember.run(table, Math.max(0, ...ids));
  }
}

// Recreates lost sessions of remaining records, with their own ids if a record has them.
const standIn = (claude: string, sdk: string): string => `
  insert or ignore into sessions (
    id, claude_session_id, sdk_session_id, project, host, status, created_at_epoch, last_active_at_epoch
  )
  select session_id, coalesce(max(${claude}), 'recovered-' || session_id), coalesce(max(${sdk}), 'recovered-' || session_id),
    coalesce(max(project), 'recovered'), 'api', 'completed', min(at), max(at)
  from (
    select session_id, null as claude, null as sdk, null as project, created_at_epoch as at from raw_events
    union all
    select session_id, null, sdk_session_id, project, created_at_epoch from observations
    union all
    select session_id, null, sdk_session_id, project, created_at_epoch from session_summaries
    union all
    select session_id, claude_session_id, sdk_session_id, project, created_at_epoch from user_prompts
  )
  where session_id is not null and session_id not in (select id from sessions)
  group by session_id`;

const repairs = [
  standIn("claude", "sdk"),
  // If another session has those ids.
  standIn("null", "null"),
  // Rows that refer to an unreadable observation or project.
  "delete from pending_messages where id not in (select id from raw_events)",
  "delete from regenerations where raw_event_id not in (select id from raw_events)",
  "delete from observation_sources where observation_id not in (select id from observations)",
  "delete from observation_blobs where observation_id not in (select id from observations)",
  "delete from fix_commands where observation_id not in (select id from observations)",
  `update observations
   set superseded_by = null, status = iif(status = 'superseded', 'active', status)
   where superseded_by not in (select id from observations)`,
  "delete from trash_rows where trash_id not in (select id from trash)",
  "update trash set forget_id = null where forget_id not in (select id from forgets)",
  // What was lost here is still on the hub.
  "update sync_state set value = '0' where name = 'cursor'",
  "delete from injection_texts where injection_id not in (select id from injections)",
  "delete from project_identities where project_id not in (select id from projects)",
  "delete from project_aliases where project_id not in (select id from projects)",
  // Vectors are expensive, but one without its observation is useless.
  "delete from observation_vectors where observation_id not in (select id from observations)",
  "delete from observation_vectors where set_id not in (select id from vector_sets)",
  `update pending_messages
   set status = 'pending', lease_owner = null, lease_until_epoch = null
   where status = 'processing'`,
];

// Skipped messages have no row, so their number is copied; the other two counts follow from the rows.
function restoreCounts(damaged: DamagedTables, db: Sqlite): void {
  let skipped = 0;
  for (const { name, value } of damaged.rows("message_counts"))
    if (name === "skipped") skipped = Math.min(Math.max(0, Number(value)), largestId);
  const set = db.prepare<[number, string]>("update message_counts set value = ? where name = ?");
  const rows = (sql: string): number => Number(db.prepare(sql).pluck().get() ?? 0);
  const stored = rows("select count(*) from raw_events where kind <> 'other'");
  set.run(skipped, "skipped");
  set.run(stored + skipped, "accepted");
  set.run(stored - rows("select count(*) from pending_messages"), "done");
}
