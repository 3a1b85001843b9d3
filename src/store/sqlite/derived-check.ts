// Compares what follows from the records (full text, files, vectors) with the records, and lists what must be made anew.
import Database from "better-sqlite3";
import { projectToken } from "../../domain/scope-token.ts";
import type { Sqlite } from "./open.ts";
import { storageError } from "./storage-error.ts";

/** How many records are wrong in each of what follows from them; empty when all agree. */
export type Disagreements = Record<string, number>;

export interface DerivedCheck {
  disagreements(): Disagreements;
  /** Lists every record, and every row without one, to be made anew; vectors that fit nothing go at once. */
  listAll(): void;
  /** Records that are still listed. */
  waiting(): number;
}

/** Reads the database at `path`, beside whoever writes it. Throws a storage error, also for a schema it does not know. */
export function disagreementsIn(path: string): Disagreements {
  try {
    const db = new Database(path, { readonly: true });
    try {
      return createDerivedCheck(db).disagreements();
    } finally {
      db.close();
    }
  } catch (cause) {
    throw storageError(cause);
  }
}

const indexed = [
  { kind: "observations", name: "full text of observations", is: "true" },
  { kind: "session_summaries", name: "full text of summaries", is: "true" },
  { kind: "user_prompts", name: "full text of prompts", is: "private = 0" },
] as const;

/** The ids that are in a full-text index and should not be, or the other way round. */
function indexFaults({ kind, is }: (typeof indexed)[number]): string {
  return `select id from ${kind} where ${is} and id not in (select id from ${kind}_fts_docsize)
    union
    select id from ${kind}_fts_docsize where id not in (select id from ${kind} where ${is})`;
}

const fileFaults = [
  ["read", "files_read"],
  ["modified", "files_modified"],
]
  .map(
    ([access, column]) => `
    select o.id
    from observations o, json_each(iif(json_valid(o.${column}), o.${column}, '[]')) f
    where f.type = 'text' and not exists (
      select 1 from observation_files x
      where x.path = f.value and x.observation_id = o.id and x.access = '${access}')
    union
    select x.observation_id
    from observation_files x
    left join observations o on o.id = x.observation_id
    where x.access = '${access}' and (o.id is null or not exists (
      select 1 from json_each(iif(json_valid(o.${column}), o.${column}, '[]')) f where f.value = x.path))`,
  )
  .join(" union ");

const vectorFaults = `select v.id
  from observation_vectors v
  left join vector_sets s on s.id = v.set_id
  where length(v.vector) is not s.dimension or v.observation_id not in (select id from observations)`;

/** Its statements are prepared when they are needed: a worker that starts has no time for them. */
export function createDerivedCheck(db: Sqlite): DerivedCheck {
  // What is listed already is known to be wrong, and waits.
  const count = (kind: string, ids: string): number =>
    db
      .prepare<[string], number>(
        `select count(*) from (${ids}) where id not in (select id from stale_derived where kind = ?)`,
      )
      .pluck()
      .get(kind) ?? 0;

  return {
    disagreements() {
      const found: [name: string, count: number][] = [
        ...indexed.map((table): [string, number] => [table.name, count(table.kind, indexFaults(table))]),
        ["files of observations", count("observations", fileFaults)],
        ["vectors", count("", vectorFaults)],
        ["projects in the full text", countStrangers(db)],
      ];
      return Object.fromEntries(found.filter(([, wrong]) => wrong > 0));
    },
    listAll() {
      for (const { kind } of indexed) {
        db.prepare(
          `insert or ignore into stale_derived (kind, id)
           select '${kind}', id from ${kind} union select '${kind}', id from ${kind}_fts_docsize`,
        ).run();
      }
      db.prepare(
        "insert or ignore into stale_derived (kind, id) select 'observations', observation_id from observation_files",
      ).run();
      db.prepare(`delete from observation_vectors where id in (${vectorFaults})`).run();
    },
    waiting: () => db.prepare<[], number>("select count(*) from stale_derived").pluck().get() ?? 0,
  };
}

/** Records that the full text has not under their own project; those that are being moved are not wrong. */
function countStrangers(db: Sqlite): number {
  return indexed.map((table) => strangersOf(db, table)).reduce((sum, found) => sum + found, 0);
}

// Asked from the records, not from the projects: a row can stand under the number of a project that is gone.
function strangersOf(db: Sqlite, { kind, is }: (typeof indexed)[number]): number {
  const labels = db.prepare<[], { label: string; id: number }>(
    `select r.project as label, coalesce(p.id, 0) as id
     from (select distinct project from ${kind} where ${is}) r
     left join projects p on p.label = r.project
     where r.project not in (select from_label from project_moves)
       and r.project not in (select to_label from project_moves)`,
  );
  const strangers = db
    .prepare<{ scope: string; label: string }, number>(
      `select count(*)
       from ${kind}
       where project = @label and ${is}
         and id in (select id from ${kind}_fts_docsize)
         and id not in (select rowid from ${kind}_fts where ${kind}_fts match @scope)
         and id not in (select id from stale_derived where kind = '${kind}')`,
    )
    .pluck();
  return labels
    .all()
    .map(({ label, id }) => strangers.get({ scope: `scope:${projectToken(id)}`, label }) ?? 0)
    .reduce((sum, found) => sum + found, 0);
}
