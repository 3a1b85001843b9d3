// Finds the rows of exported records by their keys, and writes new ones with their former ids where these are free.
import type { ExportKind, ExportRow } from "../../core/records/memory-export.ts";
import { exportedFields } from "../../core/records/memory-export.ts";
import { importedKey } from "./memory-export.ts";
import type { Sqlite } from "./open.ts";
import { createProjects } from "./projects.ts";
import { createSql, insertInto } from "./sql.ts";

export const importedTables = {
  session: "sessions",
  prompt: "user_prompts",
  observation: "observations",
  summary: "session_summaries",
} as const satisfies Partial<Record<ExportKind, string>>;

export type ImportedKind = keyof typeof importedTables;
/** Kinds whose records have a key. */
export type KeyedKind = "observation" | "summary";

export interface PresentSession {
  id: number;
  sdk_session_id: string;
}

export type ImportedRows = ReturnType<typeof createImportedRows>;

export function createImportedRows(db: Sqlite) {
  const sql = createSql(db);
  const projects = createProjects(db);
  const bySdk = sql.get<[sdk: string], PresentSession>(
    "select id, sdk_session_id from sessions where sdk_session_id = ?",
  );
  const byClaude = sql.get<[claude: string], PresentSession>(
    "select id, sdk_session_id from sessions where claude_session_id = ?",
  );
  const sequence = createSequence(db);
  const inserts = {
    session: createInsert(db, "session", []),
    prompt: createInsert(db, "prompt", ["session_id"]),
    observation: createInsert(db, "observation", ["session_id", "generation_key"]),
    summary: createInsert(db, "summary", ["session_id", "generation_key"]),
  };
  return {
    find: { observation: createFind(db, "observation"), summary: createFind(db, "summary") },
    isDeleted: createIsDeleted(db),
    origins: createOrigins(db),
    sequence,
    /** The session that a record belongs to, where it is here. */
    sessionOf: ({ sdk_session_id, claude_session_id }: ExportRow): PresentSession | undefined =>
      bySdk(String(sdk_session_id)) ??
      (claude_session_id === null ? undefined : byClaude(String(claude_session_id))),
    /** Today's label of a project that was renamed here. */
    labelOf: (label: string): string => projects.byAlias(label)?.label ?? label,
    /** The stored row; undefined when another one has its name. */
    insert(kind: ImportedKind, row: ExportRow): ExportRow | undefined {
      return inserts[kind]({ ...row, id: sequence.free(importedTables[kind], Number(row.id)) });
    },
  };
}

// Sync numbers restored rows from here on.
const largestId = 2 ** 40;

function createSequence(db: Sqlite) {
  const sql = createSql(db);
  const last = sql.value<[table: string], number>("select seq from sqlite_sequence where name = ?");
  const set = sql.changes<[{ table: string; id: number }]>(
    "update sqlite_sequence set seq = @id where name = @table and seq < @id",
  );
  const add = sql.run<[table: string, id: number]>("insert into sqlite_sequence (name, seq) values (?, ?)");
  const next = (table: string) => (last(table) ?? 0) + 1;
  /** No later row of the table gets this id. */
  function use(table: string, id: number): void {
    if (set({ table, id }) === 0 && last(table) === undefined) add(table, id);
  }
  return {
    /** The id where no row ever had it, else null for the next one. */
    free: (table: string, id: number) => (id >= next(table) && id < largestId ? id : null),
    next,
    isPossible: (id: number) => id > 0 && id < largestId,
    use,
  };
}

function createInsert(
  db: Sqlite,
  kind: ImportedKind,
  added: readonly string[],
): (row: ExportRow) => ExportRow | undefined {
  const table = importedTables[kind];
  const columns = new Set(
    db.prepare<[string], string>("select name from pragma_table_info(?)").pluck().all(table),
  );
  const names = [...Object.keys(exportedFields[kind]).filter((name) => columns.has(name)), ...added];
  return createSql(db).get<[ExportRow], ExportRow>(
    `${insertInto(table, names)}
     on conflict do nothing
     returning *`,
  );
}

/** What the parts of a key name: a record made here, or one of another device. */
function partsOf(key: string) {
  const at = key.indexOf(":");
  const [owner, rest] = [key.slice(0, Math.max(0, at)), key.slice(at + 1)];
  const [, id, created] = /^#(\d{1,15})@(\d{1,15})$/.exec(rest) ?? [];
  const number = /^\d{1,15}$/.test(rest) ? Number(rest) : null;
  return { owner, rest, id: id === undefined ? null : Number(id), created: Number(created ?? 0), number };
}

/** The id of the record with this key in an export. */
function createFind(db: Sqlite, kind: KeyedKind): (key: string) => number | undefined {
  const sql = createSql(db);
  const table = importedTables[kind];
  const imported = sql.value<[key: string], number>(`select id from ${table} where generation_key = ?`);
  const generated = sql.value<[key: string, sdk: string], number>(
    `select id from ${table} where generation_key = ? and sdk_session_id = ?`,
  );
  const keyless = sql.value<[id: number, sdk: string, created: number], number>(
    `select id from ${table} where id = ? and sdk_session_id = ? and created_at_epoch = ?`,
  );
  const pulled = sql.value<[device: string, local: number], number>(
    `select id from ${table} where origin_device_id = ? and origin_local_id = ?`,
  );
  return (key) => {
    const found = imported(importedKey + key);
    if (found !== undefined) return found;
    const { owner, rest, id, created, number } = partsOf(key);
    if (id !== null) return keyless(id, owner, created);
    return generated(rest, owner) ?? (number === null ? undefined : pulled(owner, number));
  };
}

/** A record as all devices of an account know it: the device that made it, and its number there. */
export interface RecordOrigin {
  device: string;
  id: number;
  created_at_epoch: number;
}

/** The device and the number in a key, such as `sync:<device>:7` of a prompt; undefined in any other key. */
export function originIn(key: string): Pick<RecordOrigin, "device" | "id"> | undefined {
  const [, device, id] = /^(?:sync:)?([\w-]{1,128}):(\d{1,15})$/.exec(key) ?? [];
  return device === undefined ? undefined : { device, id: Number(id) };
}

/** Finds records that sync brought, or that this device made. */
function createOrigins(db: Sqlite) {
  const sql = createSql(db);
  const self = sql.value<[], string>("select value from sync_state where name = 'device_id'");
  const finders = (table: string) => ({
    own: sql.value<[RecordOrigin], number>(
      `select id
       from ${table}
       where id = @id and origin_device_id is null and created_at_epoch = @created_at_epoch`,
    ),
    // A record that was restored from the trash has a higher number, by multiples of 2^40.
    pulled: sql.value<[RecordOrigin], number>(
      `select id
       from ${table}
       where origin_device_id = @device and created_at_epoch = @created_at_epoch
         and origin_local_id in (@id, @id + 1099511627776, @id + 2 * 1099511627776)`,
    ),
  });
  const find = {
    prompt: finders(importedTables.prompt),
    observation: finders(importedTables.observation),
    summary: finders(importedTables.summary),
  };
  const deleted = sql.value<[string, string, number], number>(
    "select 1 from sync_deletions where kind = ? and device = ? and origin_id = ?",
  );
  return {
    find: (kind: keyof typeof find, origin: RecordOrigin): number | undefined =>
      find[kind].pulled(origin) ?? (origin.device === self() ? find[kind].own(origin) : undefined),
    isDeleted: (kind: keyof typeof find, { device, id }: RecordOrigin): boolean =>
      deleted(kind, device === self() ? "" : device, id) !== undefined,
  };
}

/** Whether the record with this key was deleted here. */
function createIsDeleted(db: Sqlite): (kind: KeyedKind | "prompt", key: string) => boolean {
  const sql = createSql(db);
  const imported = sql.value<[kind: string, key: string], number>(
    "select 1 from tombstones where kind = ? and generation_key = ?",
  );
  const made = sql.value<[kind: string, key: string, sdk: string], number>(
    "select 1 from tombstones where kind = ? and generation_key = ? and sdk_session_id = ?",
  );
  const pulled = sql.value<[kind: string, device: string, local: number], number>(
    "select 1 from tombstones where kind = ? and origin_device_id = ? and origin_local_id = ?",
  );
  return (kind, key) => {
    if (kind === "prompt") return imported(kind, key) !== undefined;
    if (imported(kind, importedKey + key) !== undefined) return true;
    const { owner, rest, number } = partsOf(key);
    if (made(kind, rest, owner) !== undefined) return true;
    return number !== null && pulled(kind, owner, number) !== undefined;
  };
}
