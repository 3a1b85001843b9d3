// Walks over all records and what follows from them, a few at a time: what must be made anew is listed, all or what is
// wrong. A walk of 100,000 records in one go would hold the worker up for a fifth of a second, or a comparison for two.
import {
  type all,
  createStrangers,
  fileFaults,
  type Indexed,
  indexed,
  indexFaults,
  some,
  vectorFaults,
} from "./derived-faults.ts";
import type { Sqlite } from "./open.ts";

/** How far a walk has come: up to an id of a part. */
export interface WalkAt {
  part: number;
  after: number;
}

/** Where a walk begins; ids of a damaged table can lie anywhere. */
export const walkStart: WalkAt = { part: 0, after: Number.MIN_SAFE_INTEGER };

export interface DerivedWalk {
  /** Lists some records, and rows without one, to be made anew; where to go on, null at the end. */
  listSome(at: WalkAt, limit: number): WalkAt | null;
  /** Compares some and lists those that are wrong; how many were not listed before, and where to go on. */
  compareSome(at: WalkAt, limit: number): { next: WalkAt | null; found: number };
}

interface Range {
  after: number;
  until: number;
}

/** Each returns how many it listed. */
interface Part {
  /** The last id of the next `limit` in each table, so that none of them has more. */
  until(after: number, limit: number): number | null;
  list(range: Range): number;
  compare(range: Range): number;
}

export function createDerivedWalk(db: Sqlite): DerivedWalk {
  let made: Part[] | undefined;
  // Prepared when they are needed: a worker that starts has no time for them.
  const parts = (): Part[] => (made ??= [...indexed.map((table) => indexPart(db, table)), vectorPart(db)]);

  function step({ part, after }: WalkAt, limit: number, work: (part: Part, range: Range) => number) {
    const current = parts()[part];
    if (current === undefined) return { next: null, found: 0 };
    const until = current.until(after, limit);
    const found = work(current, { after, until: until ?? Number.MAX_SAFE_INTEGER });
    if (until !== null) return { next: { part, after: until }, found };
    const isLast = part === parts().length - 1;
    return { next: isLast ? null : { part: part + 1, after: walkStart.after }, found };
  }

  return {
    listSome: (at, limit) => step(at, limit, (part, range) => part.list(range)).next,
    compareSome: (at, limit) => step(at, limit, (part, range) => part.compare(range)),
  };
}

function indexPart(db: Sqlite, table: Indexed): Part {
  const { kind } = table;
  const isObservations = kind === "observations";
  const [own, index] = [`select id from ${kind}`, `select id from ${kind}_fts_docsize`];
  const files = "select observation_id as id from observation_files";
  const list = listing(db, kind, isObservations ? [own, index, files] : [own, index], some);
  const faults = [indexFaults(table, some), ...(isObservations ? [fileFaults(some)] : [])];
  const compare = listing(db, kind, faults, () => "true");
  const strangers = createStrangers(db, table, some);
  const add = db.prepare<[string, number]>("insert or ignore into stale_derived (kind, id) values (?, ?)");
  const until = lastOfNext(db, isObservations ? [own, index, files] : [own, index]);
  return {
    until,
    list,
    compare: (range) =>
      compare(range) + strangers(range).reduce((found, id) => found + add.run(kind, id).changes, 0),
  };
}

function vectorPart(db: Sqlite): Part {
  const drop = db.prepare<Range>(`delete from observation_vectors where id in (${vectorFaults(some)})`);
  // A vector that fits nothing goes at once: the embedder makes it anew.
  const compare = (range: Range) => drop.run(range).changes;
  return { until: lastOfNext(db, ["select id from observation_vectors"]), list: compare, compare };
}

function listing(
  db: Sqlite,
  kind: string,
  ids: readonly string[],
  among: typeof all,
): (range: Range) => number {
  const insert = db.prepare<Range>(
    `insert or ignore into stale_derived (kind, id)
     select '${kind}', id from (${ids.join(" union ")}) where ${among("id")}`,
  );
  return (range) => insert.run(range).changes;
}

function lastOfNext(db: Sqlite, tables: readonly string[]): Part["until"] {
  const nth = tables.map(
    (ids) => `(select id from (${ids}) where id > @after order by id limit 1 offset @limit - 1)`,
  );
  // `min` of one value would be the aggregate; of several it is null when one of them is.
  const last = db
    .prepare<{ after: number; limit: number }, number | null>(
      `select min(id) from (${nth.map((id) => `select ${id} as id`).join(" union all ")})`,
    )
    .pluck();
  return (after, limit) => last.get({ after, limit }) ?? null;
}
