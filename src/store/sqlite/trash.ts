// The trash: entries with the rows of deleted records, and with texts before edits.
import type { TrashEntry } from "../../core/records/trash.ts";
import type { Sqlite } from "./open.ts";
import { createSql } from "./sql.ts";

/** A row as read with `select *`. */
export type Row = Record<string, string | number | null>;

interface NewEntry extends Omit<TrashEntry, "trash_id"> {
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

const entryColumns = "id as trash_id, kind, record_id as id, action, title, project, at_epoch";

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
  const page = sql.all<[Omit<PageRequest, "project"> & { project: string | null }], TrashEntry>(
    `select ${entryColumns}
     from trash
     where at_epoch >= @since and (@project is null or project = @project)
     order by trash.id desc
     limit @limit offset @offset`,
  );
  const takeRow = sql.value<[place: string, row: number], string>(
    `delete from trash_rows
     where id = (select max(id) from trash_rows where place = ? and row_id = ?)
     returning content`,
  );
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
    /** The newest kept row with this id, of any entry; it leaves the trash. */
    takeRow(place: string, id: number): Row | undefined {
      const content = takeRow(place, id);
      return content === undefined ? undefined : (JSON.parse(content) as Row);
    },
    byId: sql.get<[id: number], TrashEntry & { text_key: string | null }>(
      `select ${entryColumns}, text_key from trash where id = ?`,
    ),
    /** The newest entry of a deleted record. */
    deletionOf: sql.value<[kind: TrashEntry["kind"], id: number], number>(
      "select max(id) from trash where kind = ? and record_id = ? and action = 'deleted'",
    ),
    drop: sql.run<[id: number]>("delete from trash where id = ?"),
    /** Newest first. */
    page({ project, limit, ...request }: PageRequest) {
      const items = page({ ...request, project: project ?? null, limit: limit + 1 });
      return { items: items.slice(0, limit), hasMore: items.length > limit };
    },
    purge: createPurge(db),
  };
}

/** Deletes up to `limit` rows of entries from before, then the empty entries; returns how many rows. */
function createPurge(db: Sqlite): (before: number, limit: number) => number {
  const sql = createSql(db);
  const purgeRows = sql.changes<[{ before: number; limit: number }]>(
    `delete from trash_rows
     where id in (
       select r.id
       from trash t
       cross join trash_rows r on r.trash_id = t.id
       where t.at_epoch < @before
       limit @limit
     )`,
  );
  const purgeEntries = sql.changes<[{ before: number; limit: number }]>(
    `delete from trash
     where id in (
       select id
       from trash
       where at_epoch < @before and not exists (select 1 from trash_rows r where r.trash_id = trash.id)
       limit @limit
     )`,
  );
  return (before, limit) => {
    const purged = purgeRows({ before, limit });
    return purged === limit ? purged : Math.min(limit, purged + purgeEntries({ before, limit }));
  };
}
