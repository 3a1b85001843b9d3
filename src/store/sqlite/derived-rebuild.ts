// Rebuilds derived rows from the records. The list of records to rebuild is a table, so a stopped worker resumes.
import { createDerivedRows, type Indexed, type IndexedTable } from "./derived-rows.ts";
import type { Sqlite } from "./open.ts";

export interface DerivedRebuild {
  /** List every record, and every derived row without a record; each runs in a separate transaction. */
  listAll: readonly (() => void)[];
  /** Rebuilds the rows of at most `limit` listed records in the caller's transaction; returns how many. */
  renew(limit: number): number;
  /** How many records are listed. */
  waiting(): number;
}

export const indexedTables: readonly IndexedTable[] = ["observations", "session_summaries", "user_prompts"];

/** 100,000 observations take about 20 s, so they are rebuilt in batches. Until then a record keeps its old rows. */
export function createDerivedRebuild(db: Sqlite): DerivedRebuild {
  const derived = createDerivedRows(db);
  const lists = indexedTables.map((table) => db.prepare(listOf(table)));
  const dropVectors = db.prepare(`delete from observation_vectors where id in (${misfitVectors})`);
  const next = db.prepare<[number], { kind: IndexedTable; id: number }>(
    "select kind, id from stale_derived order by kind, id limit ?",
  );
  const done = db.prepare<[string, number]>("delete from stale_derived where kind = ? and id = ?");
  const waiting = db.prepare<[], number>("select count(*) from stale_derived").pluck();
  const record = <T extends IndexedTable>(table: T) =>
    db.prepare<[number], Indexed[T]>(`select * from ${table} where id = ?`);
  const records = {
    observations: record("observations"),
    session_summaries: record("session_summaries"),
    user_prompts: record("user_prompts"),
  };

  function renewOne<T extends IndexedTable>(table: T, id: number): void {
    const found = records[table].get(id) as Indexed[T] | undefined;
    derived.drop(table, id);
    if (found !== undefined) derived.write(table, found);
    done.run(table, id);
  }

  return {
    // A vector that matches no set or observation is deleted: the embedder computes it again.
    listAll: [...lists, dropVectors].map((statement) => () => void statement.run()),
    renew(limit) {
      const rows = next.all(limit);
      for (const { kind, id } of rows) renewOne(kind, id);
      return rows.length;
    },
    waiting: () => waiting.get() ?? 0,
  };
}

/** Ids of vectors whose length is not that of their set, or whose set or observation is missing. */
export const misfitVectors = `select v.id
  from observation_vectors v
  left join vector_sets s on s.id = v.set_id
  where length(v.vector) is not s.dimension or v.observation_id not in (select id from observations)`;

function listOf(table: IndexedTable): string {
  const files = table === "observations" ? "union select observation_id from observation_files" : "";
  return `insert or ignore into stale_derived (kind, id)
    select '${table}', id
    from (select id from ${table} union select id from ${table}_fts_docsize ${files})`;
}

/** Empties the derived tables and rebuilds all rows in the caller's transaction. */
export function rebuildDerived(db: Sqlite): void {
  for (const table of indexedTables)
    db.prepare(`insert into ${table}_fts (${table}_fts) values ('delete-all')`).run();
  for (const table of ["observation_files", "observation_terms", "stale_derived"])
    db.prepare(`delete from ${table}`).run();
  const { listAll, renew } = createDerivedRebuild(db);
  for (const list of listAll) list();
  while (renew(200) > 0);
}
