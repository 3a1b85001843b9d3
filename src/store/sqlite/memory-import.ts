// Adds records of an export. What is here stays as it is, what was deleted here stays deleted, and a repeated import adds
// nothing: a record is found by its key in the export.
import { deletedPromptKey, storedDeliveryKey } from "../../core/prompt-key.ts";
import { type ExportedRecord, type ExportRow, foreignPrompt } from "../../core/records/memory-export.ts";
import { parseList } from "../../core/records/records.ts";
import { createBlobs } from "./blobs.ts";
import { createDerivedRows, type Indexed } from "./derived-rows.ts";
import {
  createImportedRows,
  type ImportedRows,
  importedTables,
  type KeyedKind,
  originIn,
  type RecordOrigin,
} from "./imported-rows.ts";
import { importedKey } from "./memory-export.ts";
import type { Sqlite } from "./open.ts";
import { createProjects } from "./projects.ts";
import { createSql } from "./sql.ts";
import { createDeletedSessions } from "./tombstones.ts";

/** `present`: it is here and stays as it is. `deleted`: it was deleted here. */
export type ImportOutcome = "added" | "present" | "deleted";

/** Each record in the caller's transaction; an added one with its id. */
export function createMemoryImport(
  db: Sqlite,
): (record: ExportedRecord) => { outcome: ImportOutcome; id?: number } {
  const rows = createImportedRows(db);
  const add = {
    project: createProjectImport(db, rows),
    session: createSessionImport(db, rows),
    prompt: createPromptImport(db, rows),
    observation: createRecordImport(db, rows, "observation"),
    replacement: createReplacementImport(db, rows),
    summary: createRecordImport(db, rows, "summary"),
    deleted: createDeletionImport(db, rows),
  };
  return ({ type, row, device }) => {
    const done = add[type](row, device);
    return typeof done === "string" ? { outcome: done } : { outcome: "added", id: done.id };
  };
}

/** `device` wrote the export. */
type Import = (row: ExportRow, device?: string) => ImportOutcome | { id: number };

/** What the row is on the devices of an account: by its key, else as a record of the device that wrote the export. */
function originOf(key: string, row: ExportRow, device: string | undefined): RecordOrigin | undefined {
  const created_at_epoch = Number(row.created_at_epoch);
  const named = originIn(key);
  if (named !== undefined) return { ...named, created_at_epoch };
  return device === undefined ? undefined : { device, id: Number(row.id), created_at_epoch };
}

/** The label, and identities and former labels that no project has. */
function createProjectImport(db: Sqlite, rows: ImportedRows): Import {
  const projects = createProjects(db);
  const sql = createSql(db);
  const setFolder = sql.changes<[folder: string, id: number]>(
    "update projects set folder = ? where id = ? and folder is null",
  );
  const identify = sql.changes<[identity: string, id: number]>(
    "insert into project_identities (identity, project_id) values (?, ?) on conflict do nothing",
  );
  const alias = sql.changes<[{ label: string; id: number }]>(
    `insert into project_aliases (label, project_id)
     select @label, @id
     where not exists (select 1 from projects where label = @label)
     on conflict do nothing`,
  );
  return ({ label, folder, identities, aliases }) => {
    const name = rows.labelOf(String(label));
    const isNew = projects.find(name) === undefined;
    const id = projects.ensure(name);
    let changes = folder === null ? 0 : setFolder(String(folder), id);
    for (const identity of parseList(String(identities))) changes += identify(identity, id);
    for (const former of parseList(String(aliases))) changes += alias({ label: former, id });
    return isNew || changes > 0 ? "added" : "present";
  };
}

function createSessionImport(db: Sqlite, rows: ImportedRows): Import {
  const projects = createProjects(db);
  const deletedSessions = createDeletedSessions(db);
  const isInTrash = createSql(db).value<[claude: string], number>(
    `select 1
     from trash_rows
     where place = 'sessions' and row_id is not null and content ->> '$.claude_session_id' = ?`,
  );
  // A later export of a session that an export brought; one that was recorded here is not marked.
  const represent = createSql(db).run<[{ id: number; until: number }]>(
    "update sessions set represented_until_epoch = @until where id = @id and represented_until_epoch < @until",
  );
  return (row) => {
    const present = rows.sessionOf(row);
    if (present !== undefined) {
      represent({ id: present.id, until: Number(row.represented_until_epoch) });
      return "present";
    }
    const claude = String(row.claude_session_id);
    const isDeleted = deletedSessions.has(claude, Number(row.last_active_at_epoch));
    if (isDeleted || isInTrash(claude) !== undefined) return "deleted";
    const project = rows.labelOf(String(row.project));
    const stored = rows.insert("session", { ...row, project });
    if (stored === undefined) return "present";
    projects.ensure(project);
    return { id: Number(stored.id) };
  };
}

function createPromptImport(db: Sqlite, rows: ImportedRows): Import {
  const sql = createSql(db);
  const derived = createDerivedRows(db);
  const ofSession = sql.value<[session: number, key: string], number>(
    "select 1 from user_prompts where session_id = ? and event_key = ?",
  );
  // Without a session.
  const alone = sql.value<[{ at: number; claude: string; key: string }], number>(
    `select 1
     from user_prompts
     where created_at_epoch = @at and private = 0 and claude_session_id = @claude and event_key = @key`,
  );
  const numberTaken = sql.value<[session: number, number: number], number>(
    "select 1 from user_prompts where session_id = ? and prompt_number = ?",
  );
  const nextNumber = sql.value<[session: number], number>(
    "select max(prompt_number) + 1 from user_prompts where session_id = ?",
  );
  const recorded = sql.value<[{ session: number; at: number; text: string; foreign: string }], number>(
    `select 1
     from user_prompts
     where session_id = @session and created_at_epoch between @at - 60000 and @at + 60000
       and trim(prompt_text) = @text and event_key not like @foreign || '%'`,
  );
  const isRecorded = (session: number, row: ExportRow): boolean => {
    const text = String(row.prompt_text).trim();
    return (
      recorded({ session, at: Number(row.created_at_epoch), text, foreign: foreignPrompt }) !== undefined
    );
  };
  return (row, device) => {
    const origin = originOf(String(row.event_key), row, device);
    if (origin && rows.origins.find("prompt", origin) !== undefined) return "present";
    if (origin && rows.origins.isDeleted("prompt", origin)) return "deleted";
    const session = rows.sessionOf(row);
    const [claude, key] = [String(row.claude_session_id), String(row.event_key)];
    const isHere =
      session === undefined
        ? alone({ at: Number(row.created_at_epoch), claude, key })
        : ofSession(session.id, key);
    if (isHere !== undefined) return "present";
    if (key.startsWith(foreignPrompt) && session !== undefined && isRecorded(session.id, row))
      return "present";
    if (rows.isDeleted("prompt", deletedKeyOf(row))) return "deleted";
    const number = Number(row.prompt_number);
    const isTaken = session !== undefined && numberTaken(session.id, number) !== undefined;
    const stored = rows.insert("prompt", {
      ...row,
      session_id: session?.id ?? null,
      sdk_session_id: session?.sdk_session_id ?? row.sdk_session_id ?? null,
      project: rows.labelOf(String(row.project)),
      prompt_number: isTaken ? (nextNumber(session.id) ?? number) : number,
      prompt_text: row.private === 1 ? "" : (row.prompt_text ?? ""),
    });
    if (stored === undefined) return "present";
    derived.write("user_prompts", stored as unknown as Indexed["user_prompts"]);
    return { id: Number(stored.id) };
  };
}

function deletedKeyOf(row: ExportRow): string {
  const stored = { event_key: String(row.event_key), prompt_text: String(row.prompt_text) };
  const delivery = storedDeliveryKey({ ...stored, private: row.private === 1 ? 1 : 0 });
  return deletedPromptKey(String(row.claude_session_id), delivery);
}

function createRecordImport(db: Sqlite, rows: ImportedRows, kind: KeyedKind): Import {
  const sql = createSql(db);
  const derived = createDerivedRows(db);
  const addFamily = sql.run<[family: string, id: number]>(
    "insert into fix_commands (family, observation_id) values (?, ?) on conflict do nothing",
  );
  const blobs = createBlobs(db);
  return (row, device) => {
    const key = String(row.key);
    const origin = originOf(key, row, device);
    const isHere = rows.find[kind](key) ?? (origin && rows.origins.find(kind, origin));
    if (isHere !== undefined) return "present";
    if (rows.isDeleted(kind, key) || (origin && rows.origins.isDeleted(kind, origin))) return "deleted";
    const session = rows.sessionOf(row);
    const stored = rows.insert(kind, {
      ...row,
      session_id: session?.id ?? null,
      sdk_session_id: session?.sdk_session_id ?? row.sdk_session_id ?? null,
      project: rows.labelOf(String(row.project)),
      generation_key: importedKey + key,
    });
    if (stored === undefined) return "present";
    const id = Number(stored.id);
    derived.write(importedTables[kind], stored as unknown as Indexed[(typeof importedTables)[KeyedKind]]);
    if (kind === "observation") {
      for (const family of parseList(String(row.families))) addFamily(family, id);
      const files = JSON.parse(String(row.blobs)) as Omit<
        Parameters<typeof blobs.keep>[0][0],
        "observation_id"
      >[];
      blobs.keep(files.map((file) => ({ ...file, observation_id: id })));
    }
    return { id };
  };
}

/** Only where the observation still names none: the user may have changed it since. */
function createReplacementImport(db: Sqlite, rows: ImportedRows): Import {
  const refer = createSql(db).changes<[{ id: number; by: number }]>(
    `update observations
     set superseded_by = @by
     where id = @id and superseded_by is null and status <> 'active' and id <> @by`,
  );
  return ({ key, by }) => {
    const id = rows.find.observation(String(key));
    const successor = rows.find.observation(String(by));
    if (id === undefined || successor === undefined) return "present";
    return refer({ id, by: successor }) > 0 ? "added" : "present";
  };
}

/** Keeps a deleted record from coming back; one that is here stays. */
function createDeletionImport(db: Sqlite, rows: ImportedRows): Import {
  const sql = createSql(db);
  const insert = sql.run<[ExportRow]>(
    `insert into tombstones (kind, record_id, sdk_session_id, deleted_at_epoch, generation_key, title_key,
       is_statement, delivery_key, asked_at_epoch, revision)
     values (@kind, @id, @sdk_session_id, @deleted_at_epoch, @generation_key, @title_key,
       @is_statement, @delivery_key, @asked_at_epoch, 1)`,
  );
  const hasId = sql.value<[kind: string, id: number], number>(
    "select 1 from tombstones where kind = ? and record_id = ?",
  );
  const hasRow = {
    observation: sql.value<[id: number], number>("select 1 from observations where id = ?"),
    summary: sql.value<[id: number], number>("select 1 from session_summaries where id = ?"),
    prompt: sql.value<[id: number], number>("select 1 from user_prompts where id = ?"),
  };
  return (row) => {
    const kind = row.kind as keyof typeof hasRow;
    const key = String(row.key);
    if (rows.isDeleted(kind, key)) return "present";
    if (kind !== "prompt" && rows.find[kind](key) !== undefined) return "present";
    const table = importedTables[kind];
    const wanted = Number(row.id);
    const isTaken = hasId(kind, wanted) !== undefined || hasRow[kind](wanted) !== undefined;
    const isFree = !isTaken && rows.sequence.isPossible(wanted);
    const id = isFree ? wanted : rows.sequence.next(table);
    insert({ ...row, id, generation_key: kind === "prompt" ? key : importedKey + key });
    rows.sequence.use(table, id);
    return { id };
  };
}
