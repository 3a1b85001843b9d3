// Copies what can still be read of a damaged database into a fresh one, row by row: no table is held in memory.
import Database from "better-sqlite3";
import { failOpenSync } from "../../errors.ts";
import { rebuildDerived } from "./derived-rows.ts";
import type { Sqlite } from "./open.ts";
import { storageError } from "./storage-error.ts";

/** How many rows of each table were carried over. */
export type Salvaged = Record<string, number>;

/**
 * Copies every row of `aside` that can be read into `db`, which nothing else uses yet, and makes files and full-text
 * rows anew. Rows behind a damaged page are approached from both ends; what lies between is lost, and still in the file.
 * Throws when `db` cannot be written (`storage_full` for one): nothing is kept then. Close `db` and open it anew after.
 */
export function salvage(aside: string, db: Sqlite): Salvaged {
  try {
    const damaged = new Database(aside, { readonly: true });
    try {
      // The file is thrown away when it is not finished, so its journal need not outlive the process.
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

type Row = Record<string, unknown>;

interface CopiedTable {
  table: string;
  /** The primary key: rows are read along it. */
  key: readonly string[];
}

const copiedTables: readonly CopiedTable[] = [
  { table: "projects", key: ["id"] },
  { table: "project_identities", key: ["identity"] },
  { table: "project_aliases", key: ["label"] },
  { table: "project_moves", key: ["from_label"] },
  { table: "sessions", key: ["id"] },
  { table: "user_prompts", key: ["id"] },
  { table: "raw_events", key: ["id"] },
  { table: "pending_messages", key: ["id"] },
  { table: "observations", key: ["id"] },
  { table: "observation_sources", key: ["observation_id", "raw_event_id"] },
  { table: "observation_blobs", key: ["observation_id", "path"] },
  { table: "session_summaries", key: ["id"] },
  { table: "vector_sets", key: ["id"] },
  { table: "observation_vectors", key: ["id"] },
  { table: "model_calls", key: ["id"] },
  { table: "regenerations", key: ["raw_event_id"] },
  { table: "viewer_state", key: ["key"] },
  { table: "folder_files", key: ["path"] },
  { table: "context_ledger", key: ["session", "reader", "item"] },
];

function copy(damaged: Sqlite, db: Sqlite): Salvaged {
  const salvaged: Salvaged = {};
  for (const copied of copiedTables) salvaged[copied.table] = copyTable(damaged, db, copied);
  restoreSequences(damaged, db);
  for (const statement of mending) db.prepare(statement).run();
  restoreCounts(damaged, db);
  rebuildDerived(db);
  return salvaged;
}

function copyTable(from: Sqlite, to: Sqlite, { table, key }: CopiedTable): number {
  const there = new Set(columnsOf(from, table));
  const columns = columnsOf(to, table).filter((column) => there.has(column));
  if (columns.length === 0) return 0;
  const insert = to.prepare<[Row]>(
    `insert or ignore into ${table} (${columns.join(", ")}) values (${columns.map((name) => `@${name}`).join(", ")})`,
  );
  let copied = 0;
  for (const direction of ["asc", "desc"]) {
    const order = key.map((column) => `${column} ${direction}`).join(", ");
    const sql = `select ${columns.join(", ")} from ${table} order by ${order}`;
    const whole = readRows(from, sql, (row) => {
      copied += insertRow(insert, row);
    });
    if (whole) break;
  }
  return copied;
}

function columnsOf(db: Sqlite, table: string): string[] {
  const columns: string[] = [];
  readRows(
    db,
    `select name from pragma_table_info('${table}')`,
    ({ name }) => void columns.push(String(name)),
  );
  return columns;
}

/** Hands over row after row; false when the rest cannot be read. What `take` throws is not taken for damage. */
function readRows(db: Sqlite, sql: string, take: (row: Row) => void): boolean {
  const what = `reading a damaged database: ${sql}`;
  const rows = failOpenSync(what, () => db.prepare<[], Row>(sql).iterate());
  if (rows === undefined) return false;
  try {
    for (;;) {
      const next = failOpenSync(what, () => rows.next());
      if (next === undefined || next.done === true) return next !== undefined;
      take(next.value);
    }
  } finally {
    rows.return?.();
  }
}

// A value of the wrong type is damage as well, but `or ignore` does not pass over it in a strict table.
function insertRow(insert: Database.Statement<[Row]>, row: Row): number {
  try {
    return insert.run(row).changes;
  } catch (cause) {
    if (cause instanceof Database.SqliteError && cause.code === "SQLITE_CONSTRAINT_DATATYPE") return 0;
    throw cause;
  }
}

// An id that was given once is not given again, even when its row was purged or could not be read: a new raw event under
// the id of an old one would meet the old one's observation and be taken for it. A number above this is damage.
const largestId = 2 ** 48;

const namedIds: Readonly<Record<string, readonly string[]>> = {
  sessions: [
    "select max(session_id) from user_prompts",
    "select max(session_id) from raw_events",
    "select max(session_id) from observations",
    "select max(session_id) from session_summaries",
  ],
  raw_events: [
    "select max(id) from pending_messages",
    "select max(raw_event_id) from observation_sources",
    "select max(cast(generation_key as integer)) from observations",
    "select max(cast(generation_key as integer)) from session_summaries",
  ],
  observations: ["select max(observation_id) from observation_sources"],
};

function restoreSequences(damaged: Sqlite, db: Sqlite): void {
  const given = new Map<string, number>();
  readRows(damaged, "select name, seq from sqlite_sequence", ({ name, seq }) => {
    given.set(String(name), Number(seq));
  });
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

// Rows whose session, project or observation could not be read have nothing to hang on.
const mending = [
  "delete from pending_messages where id not in (select id from raw_events)",
  "delete from pending_messages where session_id not in (select id from sessions)",
  "delete from raw_events where session_id not in (select id from sessions)",
  "delete from regenerations where raw_event_id not in (select id from raw_events)",
  "delete from regenerations where session_id not in (select id from sessions)",
  "delete from observation_sources where observation_id not in (select id from observations)",
  "delete from observation_blobs where observation_id not in (select id from observations)",
  `update observations
   set superseded_by = null, status = iif(status = 'superseded', 'active', status)
   where superseded_by not in (select id from observations)`,
  "delete from project_identities where project_id not in (select id from projects)",
  "delete from project_aliases where project_id not in (select id from projects)",
  // A vector costs a call to make again, but one whose text was lost stands for nothing.
  "delete from observation_vectors where observation_id not in (select id from observations)",
  "delete from observation_vectors where set_id not in (select id from vector_sets)",
  "update user_prompts set session_id = null where session_id not in (select id from sessions)",
  "update observations set session_id = null where session_id not in (select id from sessions)",
  "update session_summaries set session_id = null where session_id not in (select id from sessions)",
  `update pending_messages
   set status = 'pending', lease_owner = null, lease_until_epoch = null
   where status = 'processing'`,
];

// Skipped messages have no row, so their number is carried over; the other two follow from what is there.
function restoreCounts(damaged: Sqlite, db: Sqlite): void {
  let skipped = 0;
  readRows(damaged, "select value from message_counts where name = 'skipped'", ({ value }) => {
    skipped = Math.min(Math.max(0, Number(value)), largestId);
  });
  const set = db.prepare<[number, string]>("update message_counts set value = ? where name = ?");
  const rows = (sql: string): number => Number(db.prepare(sql).pluck().get() ?? 0);
  const stored = rows("select count(*) from raw_events where kind <> 'other'");
  set.run(skipped, "skipped");
  set.run(stored + skipped, "accepted");
  set.run(stored - rows("select count(*) from pending_messages"), "done");
}
