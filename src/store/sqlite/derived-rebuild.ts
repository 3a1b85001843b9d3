// Rebuilds derived rows from the records. The list of records to rebuild is a table, so a stopped worker resumes.
import { createDerivedRows, type Indexed, type IndexedTable } from "./derived-rows.ts";
import type { Sqlite } from "./open.ts";

/** The part of the list, and the last id of it that was listed. */
export interface ListPosition {
  part: number;
  after: number;
}

export const indexedTables: readonly IndexedTable[] = ["observations", "session_summaries", "user_prompts"];

/** 100,000 observations take about 20 s, so they are rebuilt in batches. Until then a record keeps its old rows. */
export function createDerivedRebuild(db: Sqlite) {
  const derived = createDerivedRows(db);
  const parts = [...indexedTables.map(listOf), dropMisfitVectors].map(({ ids, change }) => ({
    // The last id of the range that begins after an id.
    last: db
      .prepare<[{ after: number; limit: number }], number | null>(
        `select max(id) from (${ids} order by id limit @limit)`,
      )
      .pluck(),
    change: db.prepare<[{ after: number; last: number }]>(change),
  }));
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
    /**
     * Lists at most `limit` records, and derived rows without a record, from a position on in the caller's transaction.
     * Returns the next position, null at the end.
     */
    list(
      limit: number,
      { part, after }: ListPosition = { part: 0, after: Number.MIN_SAFE_INTEGER },
    ): ListPosition | null {
      const statements = parts[part];
      if (statements === undefined) return null;
      const last = statements.last.get({ after, limit }) ?? null;
      if (last === null) return { part: part + 1, after: Number.MIN_SAFE_INTEGER };
      statements.change.run({ after, last });
      return { part, after: last };
    },
    /** Rebuilds the rows of at most `limit` listed records in the caller's transaction; returns how many. */
    renew(limit: number): number {
      const rows = next.all(limit);
      for (const { kind, id } of rows) renewOne(kind, id);
      return rows.length;
    },
    /** How many records are listed. */
    waiting: () => waiting.get() ?? 0,
  };
}

/** Ids of vectors whose length is not that of their set, or whose set or observation is missing. */
export const misfitVectors = `select v.id
  from observation_vectors v
  left join vector_sets s on s.id = v.set_id
  where (length(v.vector) is not s.dimension or v.observation_id not in (select id from observations))`;

interface ListPart {
  /** The ids after `@after`. */
  ids: string;
  /** Handles the ids after `@after` up to `@last`. */
  change: string;
}

function listOf(table: IndexedTable): ListPart {
  const columns = [
    [table, "id"],
    [`${table}_fts_docsize`, "id"],
    ...(table === "observations" ? [["observation_files", "observation_id"]] : []),
  ];
  const ids = columns
    .map(([from, id]) => `select ${id} as id from ${from} where ${id} > @after`)
    .join(" union ");
  const listed = columns.map(
    ([from, id]) => `select '${table}', ${id} from ${from} where ${id} > @after and ${id} <= @last`,
  );
  return { ids, change: `insert or ignore into stale_derived (kind, id) ${listed.join(" union ")}` };
}

// A vector that matches no set or observation is deleted: the embedder computes it again.
const dropMisfitVectors: ListPart = {
  ids: "select id from observation_vectors where id > @after",
  change: `delete from observation_vectors
    where id in (${misfitVectors} and v.id > @after and v.id <= @last)`,
};

/** Empties the derived tables and rebuilds all rows in the caller's transaction. */
export function rebuildDerived(db: Sqlite): void {
  for (const table of indexedTables)
    db.prepare(`insert into ${table}_fts (${table}_fts) values ('delete-all')`).run();
  for (const table of ["observation_files", "observation_terms", "stale_derived"])
    db.prepare(`delete from ${table}`).run();
  const { list, renew } = createDerivedRebuild(db);
  let at = list(2_000);
  while (at !== null) at = list(2_000, at);
  while (renew(200) > 0);
}
