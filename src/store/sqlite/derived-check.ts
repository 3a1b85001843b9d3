// Compares what follows from the records (full text, files, vectors) with the records, all at once.
import Database from "better-sqlite3";
import { all, createStrangers, fileFaults, indexed, indexFaults, vectorFaults } from "./derived-faults.ts";
import type { Sqlite } from "./open.ts";
import { storageError } from "./storage-error.ts";

/** How many records are wrong in each of what follows from them; empty when all agree. */
export type Disagreements = Record<string, number>;

export interface DerivedCheck {
  disagreements(): Disagreements;
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

  function countStrangers(): number {
    const isListed = db.prepare<[string, number]>("select 1 from stale_derived where kind = ? and id = ?");
    return indexed
      .flatMap((table) => createStrangers(db, table, all)().map((id) => [table.kind, id] as const))
      .filter(([kind, id]) => isListed.get(kind, id) === undefined).length;
  }

  return {
    disagreements() {
      const found: [name: string, count: number][] = [
        ...indexed.map((table): [string, number] => [table.name, count(table.kind, indexFaults(table, all))]),
        ["files of observations", count("observations", fileFaults(all))],
        ["vectors", count("", vectorFaults(all))],
        ["projects in the full text", countStrangers()],
      ];
      return Object.fromEntries(found.filter(([, wrong]) => wrong > 0));
    },
    waiting: () => db.prepare<[], number>("select count(*) from stale_derived").pluck().get() ?? 0,
  };
}
