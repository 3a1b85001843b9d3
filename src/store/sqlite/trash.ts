// The trash: entries with the rows of deleted records, and with texts before edits.
import { dayMs } from "../../core/clock.ts";
import type { TrashEntry } from "../../core/records/trash.ts";
import type { Sqlite } from "./open.ts";
import { createSql } from "./sql.ts";

/** A row as read with `select *`. */
export type Row = Record<string, string | number | null>;

/** A row in the trash, with the key to replace it. */
export interface KeptRow {
  key: number;
  row: Row;
}

interface NewEntry extends Omit<TrashEntry, "trash_id" | "forget_id"> {
  /** Identifies the text after an edit. */
  text_key?: string | null;
}

interface PageRequest {
  offset: number;
  limit: number;
  project?: string | undefined;
  /** Older entries are about to be deleted. */
  since: number;
}

export type Trash = ReturnType<typeof createTrash>;

const entryColumns = "id as trash_id, kind, record_id as id, action, title, project, at_epoch, forget_id";
// An emptied entry has the time 0 until its rows are deleted; an entry that keeps a private session's id has no record.
const isRestorable = "at_epoch > 0 and record_id > 0";
const isOfRestorable = `exists (select 1 from trash where id = trash_rows.trash_id and ${isRestorable})`;

/** Runs in the transaction of the record. */
export function createTrash(db: Sqlite) {
  const sql = createSql(db);
  const insert = db.prepare<[Record<string, string | number | null>]>(
    `insert into trash (kind, record_id, action, title, project, at_epoch, text_key)
     values (@kind, @id, @action, @title, @project, @at_epoch, @text_key)`,
  );
  const insertRow = sql.run<[entry: number, place: string, row: number | null, content: string]>(
    "insert into trash_rows (trash_id, place, row_id, content) values (?, ?, ?, ?)",
  );
  const rows = sql.values<[{ entry: number; place: string }], string>(
    "select content from trash_rows where trash_id = @entry and place = @place order by id",
  );
  const keysOf = sql.values<[entry: number, place: string], number>(
    "select id from trash_rows where trash_id = ? and place = ? order by id",
  );
  const contentOf = sql.value<[key: number], string>("select content from trash_rows where id = ?");
  const kept = sql.all<[place: string, row: number], { key: number; content: string }>(
    `select id as key, content
     from trash_rows
     where place = ? and row_id = ? and ${isOfRestorable}
     order by id`,
  );
  const replace = sql.run<[content: string, key: number]>("update trash_rows set content = ? where id = ?");
  const takeRow = sql.value<[place: string, row: number], string>(
    `delete from trash_rows
     where id = (
       select max(id)
       from trash_rows
       where place = ? and row_id = ? and ${isOfRestorable})
     returning content`,
  );
  const hasOld = sql.value<[before: number], number>("select 1 from trash where at_epoch < ? limit 1");
  return {
    add: ({ kind, id, action, title, project, at_epoch, text_key = null }: NewEntry): number =>
      Number(insert.run({ kind, id, action, title, project, at_epoch, text_key }).lastInsertRowid),
    /** Keeps rows of a table, or what was changed in them. */
    keep(entry: number, place: string, kept: readonly Row[]): void {
      for (const row of kept)
        insertRow(entry, place, typeof row.id === "number" ? row.id : null, JSON.stringify(row));
    },
    rows: (entry: number, place: string) =>
      rows({ entry, place }).map((content) => JSON.parse(content) as Row),
    /** The rows one by one: all of them may be too many for the memory. */
    *each(entry: number, place: string): Generator<Row> {
      for (const key of keysOf(entry, place)) yield JSON.parse(contentOf(key) ?? "{}") as Row;
    },
    /** The kept rows with this id, of all entries. */
    kept: (place: string, id: number): KeptRow[] =>
      kept(place, id).map(({ key, content }) => ({ key, row: JSON.parse(content) as Row })),
    replace: (key: number, row: Row) => replace(JSON.stringify(row), key),
    /** The newest kept row with this id, of any entry; it leaves the trash. */
    takeRow(place: string, id: number): Row | undefined {
      const content = takeRow(place, id);
      return content === undefined ? undefined : (JSON.parse(content) as Row);
    },
    byId: sql.get<[id: number], TrashEntry & { text_key: string | null }>(
      `select ${entryColumns}, text_key from trash where id = ? and ${isRestorable}`,
    ),
    /** The newest entry of a deleted record. */
    deletionOf: sql.value<[kind: TrashEntry["kind"], id: number], number>(
      `select max(id) from trash where kind = ? and record_id = ? and action = 'deleted' and ${isRestorable}`,
    ),
    holding: createHolding(db),
    drop: sql.run<[id: number]>("delete from trash where id = ?"),
    page: createPage(db),
    empty: createEmpty(db),
    /** Something was deleted without an entry: the next purge cleans the full text too, and then the file. */
    noteDeleted: sql.run<[]>(
      `insert into trash (kind, record_id, action, title, project, at_epoch)
       select 'session', 0, 'deleted', '', '', 0
       where not exists (select 1 from trash where kind = 'session' and record_id = 0 and at_epoch = 0)`,
    ),
    purge: createPurge(db),
    /** True while rows of entries from before are left. */
    hasOld: (before: number) => hasOld(before) !== undefined,
  };
}

/** Newest first. */
function createPage(db: Sqlite) {
  const sql = createSql(db);
  const page = sql.all<[Omit<PageRequest, "project"> & { project: string | null }], TrashEntry>(
    // All entries of a forget are one, with the columns of the first.
    `select min(id) as trash_id, ${entryColumns.replace("id as trash_id, ", "")}
     from trash
     where ${isRestorable} and at_epoch >= @since and (@project is null or project = @project)
     group by coalesce(forget_id, -id)
     order by min(trash.id) desc
     limit @limit offset @offset`,
  );
  return ({ project, limit, ...request }: PageRequest) => {
    const items = page({ ...request, project: project ?? null, limit: limit + 1 });
    return { items: items.slice(0, limit), hasMore: items.length > limit };
  };
}

type Holding = (record: Pick<TrashEntry, "kind" | "id"> & { since: number }) => TrashEntry[];

/** Finds the entry that restores a deleted record, its own or the one of its session. */
function createHolding(db: Sqlite): Holding {
  const holding = createSql(db).all<[{ place: string; id: number; since: number }], TrashEntry>(
    `select ${entryColumns}
     from trash
     where id = (select max(trash_id) from trash_rows where place = @place and row_id = @id)
       and action = 'deleted'
       and ${isRestorable}
       and at_epoch >= @since`,
  );
  return ({ kind, id, since }) => holding({ place: tables[kind], id, since });
}

const tables = {
  observation: "observations",
  summary: "session_summaries",
  prompt: "user_prompts",
  session: "sessions",
} as const satisfies Record<TrashEntry["kind"], string>;

/** Ids as a JSON array; null for all. */
interface Only {
  only: string | null;
}

interface Emptied {
  deleted: number;
  /** Sessions that were deleted during a private prompt: their ids stay, since what follows is private too. */
  left: number;
}

/** Makes the entries of a list, or all, impossible to restore; `purge` deletes their rows. */
function createEmpty(db: Sqlite): (entries?: readonly number[]) => Emptied {
  const sql = createSql(db);
  // The newest deleted session of the host's session decides, unless the host went on in another one.
  const isMeant = "(@only is null or id in (select value from json_each(@only)))";
  const privateSessions = sql.all<[Only], { id: number; claude_session_id: string; at_epoch: number }>(
    `select id, claude_session_id, at_epoch
     from (
       select r.row_id as id, r.content ->> '$.claude_session_id' as claude_session_id, t.at_epoch, r.trash_id,
         r.content ->> '$.prompt_private' as is_private, max(r.id)
       from trash_rows r
       cross join trash t on t.id = r.trash_id
       where r.place = 'sessions' and r.row_id is not null
       group by r.content ->> '$.claude_session_id') d
     where is_private = 1 and at_epoch > 0 and (@only is null or d.trash_id in (select value from json_each(@only)))
       and not exists (select 1 from sessions s where s.claude_session_id = d.claude_session_id)`,
  );
  const empty = sql.changes<[Only]>(
    `update trash set at_epoch = 0, title = '' where ${isRestorable} and ${isMeant}`,
  );
  const emptyBare = sql.run<[]>("update trash set at_epoch = 0 where record_id = 0");
  const addBare = sql.value<[at: number], number>(
    `insert into trash (kind, record_id, action, title, project, at_epoch)
     values ('session', 0, 'deleted', '', '', ?)
     returning id`,
  );
  const keepId = sql.run<[entry: number | undefined, id: number, content: string]>(
    "insert into trash_rows (trash_id, place, row_id, content) values (?, 'sessions', ?, ?)",
  );
  return (entries) => {
    const only: Only = { only: entries === undefined ? null : JSON.stringify(entries) };
    const left = privateSessions(only);
    const deleted = empty(only);
    if (entries === undefined) emptyBare();
    for (const { id, claude_session_id, at_epoch } of left)
      keepId(addBare(at_epoch), id, JSON.stringify({ id, claude_session_id, prompt_private: 1 }));
    return { deleted, left: left.length };
  };
}

// A few milliseconds.
const pagesPerStep = 100;
const bytesPerStep = 4 * 1024 * 1024;

/**
 * One step of deleting entries from before, emptied ones too: up to `limit` rows, then pages of the full text, then the
 * empty entries. Returns `limit` while steps are left.
 */
function createPurge(db: Sqlite): (before: number, limit: number) => number {
  const sql = createSql(db);
  const purgeRows = sql.changes<[{ before: number; limit: number; bytes: number }]>(
    `delete from trash_rows
     where id in (
       select id
       from (
         select id, sum(bytes) over (rows unbounded preceding) - bytes as bytes_before
         from (
           select r.id, octet_length(r.content) as bytes
           from trash t
           cross join trash_rows r on r.trash_id = t.id
           where t.at_epoch < @before
           limit @limit))
       where bytes_before < @bytes)`,
  );
  const oldest = sql.value<[], number | null>("select min(at_epoch) from trash");
  const purgeEntries = sql.run<[before: number]>("delete from trash where at_epoch < ?");
  const merge = createMerge(db);
  return (before, limit) => {
    if (purgeRows({ before, limit, bytes: bytesPerStep }) > 0) return limit;
    // The full text is large: once a day at most, and when the trash is emptied.
    if ((oldest() ?? before) >= before - dayMs) return 0;
    if (merge()) return limit;
    purgeEntries(before);
    return 0;
  };
}

/** Deleted words stay in the pages of a full text until these are merged. True while pages are left to merge. */
export function createMerge(db: Sqlite): () => boolean {
  const changes = createSql(db).value<[], number>("select total_changes()");
  const merges = ["observations_fts", "session_summaries_fts", "user_prompts_fts"].map((table) =>
    db.prepare(`insert into ${table} (${table}, rank) values ('merge', -${pagesPerStep})`),
  );
  // SQLite counts one change for a merge that had nothing to do.
  return () =>
    merges.some((merge) => {
      const before = changes() ?? 0;
      merge.run();
      return (changes() ?? 0) - before >= 2;
    });
}
