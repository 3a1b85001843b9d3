// Counts records whose derived data (full text, files, vectors) does not match them.
import { projectToken } from "../../core/records/scope-token.ts";
import { indexedTables, misfitVectors } from "./derived-rebuild.ts";
import type { IndexedTable } from "./derived-rows.ts";
import { openFile } from "./library.ts";
import type { Sqlite } from "./open.ts";
import { storageError } from "./storage-error.ts";

/** Wrong records by kind of derived data; empty when everything matches. */
export type Disagreements = Record<string, number>;

const counters: Readonly<Record<string, (db: Sqlite) => number>> = {
  "full text of observations": (db) => count(db, "observations", indexFaults("observations")),
  "full text of summaries": (db) => count(db, "session_summaries", indexFaults("session_summaries")),
  "full text of prompts": (db) => count(db, "user_prompts", indexFaults("user_prompts")),
  "files of observations": (db) =>
    count(db, "observations", `${fileFaults("read")} union ${fileFaults("modified")}`),
  vectors: (db) => count(db, "", misfitVectors),
  "projects in the full text": (db) =>
    indexedTables.reduce((sum, table) => sum + countStrangers(db, table), 0),
};

export const derivedKinds: readonly string[] = Object.keys(counters);

/** Reads the database at `path` beside the worker. Throws a storage error, also for an unknown schema. */
export function disagreementsIn(path: string, kind: string): Disagreements {
  try {
    const db = openFile(path, { readonly: true });
    try {
      return disagreements(db, [kind]);
    } finally {
      db.close();
    }
  } catch (cause) {
    throw storageError(cause);
  }
}

export function disagreements(db: Sqlite, kinds: readonly string[] = derivedKinds): Disagreements {
  // One snapshot for each kind: the worker may write between two statements.
  const found = kinds.map((kind) => [kind, db.transaction(() => counters[kind]?.(db) ?? 0)()] as const);
  return Object.fromEntries(found.filter(([, wrong]) => wrong > 0));
}

// Records that wait for their rebuild are known to be wrong.
function count(db: Sqlite, kind: string, ids: string): number {
  const wrong = db.prepare<[string], number>(
    `select count(*) from (${ids}) where id not in (select id from stale_derived where kind = ?)`,
  );
  return wrong.pluck().get(kind) ?? 0;
}

/** Records that have a full text. */
function isIndexed(table: IndexedTable): string {
  return table === "user_prompts" ? "private = 0" : "true";
}

function indexFaults(table: IndexedTable): string {
  return `select r.id
    from ${table} r
    where ${isIndexed(table)} and r.id not in (select id from ${table}_fts_docsize)
    union
    select id
    from ${table}_fts_docsize
    where id not in (select id from ${table} where ${isIndexed(table)})`;
}

function fileFaults(access: "read" | "modified"): string {
  // As `parseList` reads them: what is no list has no files.
  const column = `o.files_${access}`;
  const isList = `case when json_valid(${column}) then json_type(${column}) = 'array' else false end`;
  const files = `json_each(iif(${isList}, ${column}, '[]')) f`;
  return `select o.id
    from observations o, ${files}
    where f.type = 'text' and not exists (
      select 1 from observation_files x
      where x.path = f.value and x.observation_id = o.id and x.access = '${access}')
    union
    select x.observation_id
    from observation_files x
    left join observations o on o.id = x.observation_id
    where x.access = '${access}' and (o.id is null or not exists (
      select 1 from ${files} where f.value = x.path))`;
}

/** Records that the full text does not hold under their own project; projects that are being moved are left out. */
function countStrangers(db: Sqlite, table: IndexedTable): number {
  // Labels come from the records: a full-text row can have the number of a project that is gone.
  const labels = db.prepare<[], { label: string; id: number }>(
    `select r.project as label, coalesce(p.id, 0) as id
     from (select distinct project from ${table} where ${isIndexed(table)}) r
     left join projects p on p.label = r.project
     where r.project not in (select from_label from project_moves)
       and r.project not in (select to_label from project_moves)`,
  );
  const strangers = db
    .prepare<{ label: string; scope: string }, number>(
      `select count(*)
       from ${table} r
       where r.project = @label and ${isIndexed(table)}
         and r.id in (select id from ${table}_fts_docsize)
         and r.id not in (select rowid from ${table}_fts where ${table}_fts match @scope)
         and r.id not in (select id from stale_derived where kind = '${table}')`,
    )
    .pluck();
  return labels
    .all()
    .reduce(
      (sum, { label, id }) => sum + (strangers.get({ label, scope: `scope:${projectToken(id)}` }) ?? 0),
      0,
    );
}

/** When the worker compared all records last (epoch ms, null before the first time), and how many were wrong. */
export interface LastCheck {
  at: number | null;
  found: number;
}

// `found` of the table is the number that the last rebuild left, -1 until the records are compared after it.
export function createLastCheck(db: Sqlite) {
  const read = db.prepare<[], LastCheck & { left: number | null }>(
    `select ended_at_epoch as at, ended_found as found, nullif(found, -1) as left
     from derived_comparison
     where id = 1`,
  );
  const write = db.prepare<LastCheck>(
    "update derived_comparison set ended_at_epoch = @at, ended_found = @found where id = 1",
  );
  const writeLeft = db.prepare<[number]>("update derived_comparison set found = ? where id = 1");
  const last = () => read.get() ?? { at: null, found: 0, left: 0 };
  return {
    lastCheck: (): LastCheck => {
      const { at, found } = last();
      return { at, found };
    },
    recordCheck: (check: LastCheck) => void write.run(check),
    /** How many wrong records the last rebuild left; null until they are compared after it. */
    left: (): number | null => last().left,
    recordLeft: (left: number | null) => void writeLeft.run(left ?? -1),
  };
}
