// Reads stored texts row by row, writes their cleaned form, and keeps the receipts of that.
import type { ScrubReceipt, ScrubRow } from "../../core/records/scrub.ts";
import { cleanPrompt, cleanText } from "../../privacy/clean.ts";
import { createDerivedRows, type IndexedTable } from "./derived-rows.ts";
import type { Sqlite } from "./open.ts";
import { createSql } from "./sql.ts";
import { createMerge } from "./trash.ts";

interface Place {
  table: string;
  key: string;
  columns: readonly string[];
  indexed?: IndexedTable;
  /** Other devices and the team get the changed row. */
  isShared?: boolean;
}

const lists = ["facts", "concepts", "files_touched", "files_read", "files_modified"];

const places: readonly Place[] = [
  {
    ...{ table: "observations", key: "id", indexed: "observations", isShared: true },
    columns: ["title", "subtitle", "summary", "narrative", "text", "branch", ...lists],
  },
  {
    ...{ table: "session_summaries", key: "id", indexed: "session_summaries", isShared: true },
    columns: [
      ...["summary_text", "request", "investigated", "learned", "completed", "next_steps", "notes"],
      ...["branch", ...lists],
    ],
  },
  {
    ...{ table: "user_prompts", key: "id", indexed: "user_prompts", isShared: true },
    columns: ["prompt_text", "branch"],
  },
  { table: "sessions", key: "id", isShared: true, columns: ["user_prompt", "title", "cwd", "branch"] },
  { table: "raw_events", key: "id", columns: ["payload"] },
  { table: "pending_messages", key: "id", columns: ["last_error"] },
  { table: "regenerations", key: "raw_event_id", columns: ["last_error"] },
  { table: "injections", key: "id", columns: ["cause"] },
  { table: "injection_texts", key: "injection_id", columns: ["text"] },
  { table: "trash", key: "id", columns: ["title"] },
  { table: "trash_rows", key: "id", columns: ["content"] },
];

type ReceiptRow = Omit<ScrubReceipt, "changed" | "position"> & { changed: string; position: string | null };

/** Every write runs in the caller's transaction. */
export function createScrubs(db: Sqlite) {
  const sql = createSql(db);
  const columns = "id, at_epoch, position, rows_read, changed, ended_at_epoch, erased_at_epoch";
  const newest = sql.get<[], ReceiptRow>(`select ${columns} from scrubs order by id desc limit 1`);
  const insert = sql.value<[now: number], number>(
    `insert into scrubs (at_epoch, position) values (?, '{"place":0,"after":0}') returning id`,
  );
  const note = sql.run<[{ id: number; position: string | null; read: number; changed: string }]>(
    "update scrubs set position = @position, rows_read = @read, changed = @changed where id = @id",
  );
  const hide = sql.get<[id: number], { session_id: number | null; event_key: string; project: string }>(
    "update user_prompts set prompt_text = '', private = 1 where id = ? returning session_id, event_key, project",
  );
  const branchNames = sql.values<[], string>("select distinct branch from branches");
  const dropBranch = sql.run<[branch: string]>("delete from branches where branch = ?");
  return {
    places: places.map((place) => createPlace(db, place)),
    begin: (now: number): number => insert(now) ?? 0,
    /** The last one, which a stopped worker may have left. */
    newest(): ScrubReceipt | undefined {
      const row = newest();
      return (
        row && {
          ...row,
          changed: JSON.parse(row.changed) as ScrubReceipt["changed"],
          position: row.position === null ? null : (JSON.parse(row.position) as ScrubReceipt["position"]),
        }
      );
    },
    note({ id, position, rows_read, changed }: ScrubReceipt): void {
      const place = position === null ? null : JSON.stringify(position);
      note({ id, position: place, read: rows_read, changed: JSON.stringify(changed) });
    },
    /** Hides a prompt that was stored with this text, when today's redaction takes the whole text as private. */
    hidePrivate: (id: number, text: string) => (cleanPrompt(text).isPrivate ? hide(id) : undefined),
    ended: sql.run<[now: number, id: number]>("update scrubs set ended_at_epoch = ? where id = ?"),
    /** Drops what is known of branches with such names; their records have the cleaned ones. */
    forgetBranches(): void {
      for (const branch of branchNames()) if (cleanText(branch) !== branch) dropBranch(branch);
    },
    /** One step of merging the full text, in whose pages replaced words stay; true while steps are left. */
    mergeText: createMerge(db),
  };
}

/** One table: rows behind a key in order, and the write of a changed one. */
function createPlace(db: Sqlite, { table, key, columns, indexed, isShared }: Place) {
  const sql = createSql(db);
  const sizes = columns.map((name) => `coalesce(octet_length(${name}), 0)`).join(" + ");
  const rows = sql.all<[{ after: number; limit: number; bytes: number }], ScrubRow>(
    `select r.*
     from (
       select key, sum(size) over (order by key rows unbounded preceding) - size as before
       from (select ${key} as key, ${sizes} as size from ${table} where ${key} > @after order by ${key} limit @limit)) k
     cross join (select ${key} as scrub_key, ${columns.join(", ")} from ${table}) r on r.scrub_key = k.key
     where k.before < @bytes
     order by k.key`,
  );
  const count = sql.value<[], number>(`select count(*) from ${table}`);
  const unchanged = columns.map((name) => `${name} is @before_${name}`).join(" and ");
  const write = db.prepare<[Record<string, string | number | null>], Record<string, unknown>>(
    `update ${table}
     set ${columns.map((name) => `${name} = @${name}`).join(", ")}
       ${isShared ? ", revision = revision + 1, synced_at = null" : ""}
     where ${key} = @scrub_key and ${unchanged}
     returning *`,
  );
  const derived = createDerivedRows(db);
  const blobs = sql.values<[id: number], string>(
    "select path from observation_blobs where observation_id = ?",
  );
  const dropBlob = sql.run<[id: number, path: string]>(
    "delete from observation_blobs where observation_id = ? and path = ?",
  );
  return {
    table,
    count: () => count() ?? 0,
    rows: (after: number, limit: number, bytes: number) => rows({ after, limit, bytes }),
    /** False when the row was changed or deleted since it was read. */
    write(row: ScrubRow, changed: Readonly<Record<string, string>>): boolean {
      const { scrub_key, ...before } = row;
      const former = Object.fromEntries(
        Object.entries(before).map(([name, value]) => [`before_${name}`, value]),
      );
      const written = write.get({ ...row, ...former, ...changed });
      if (written === undefined) return false;
      if (indexed !== undefined) derived.rewrite(indexed, written as never);
      if (table === "observations")
        for (const path of blobs(scrub_key)) if (cleanText(path) !== path) dropBlob(scrub_key, path);
      return true;
    },
  };
}
