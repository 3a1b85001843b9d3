// Caches the terms of observations between searches.
import {
  codesOfPacked,
  packTerms,
  type RecordTerms,
  type TermSource,
  unpackTerms,
} from "../../core/records/record-terms.ts";
import type { ObservationStatus } from "../../core/records/records.ts";
import type { Sqlite } from "./open.ts";

/** The columns of an observation that the ranking reads. */
export interface Known {
  created_at_epoch: number;
  status: ObservationStatus;
  project: string;
  obs_type: string;
  routine: 0 | 1;
  terms: RecordTerms;
}

/** Reads through a cache of about `maxBytes` that drops its oldest entries. */
export function createKnownTerms(db: Sqlite, maxBytes = defaultBytes) {
  const changed = createChanges(db);
  const load = createLoad(db);
  const make = createMake(db);
  // Weak, so that an idle worker frees it.
  let memory = new WeakRef(createMemory(maxBytes));

  function upToDate(): Memory {
    const ids = changed();
    const kept = ids === "all" ? undefined : memory.deref();
    if (kept !== undefined) {
      if (ids !== "all") kept.forget(ids);
      return kept;
    }
    const fresh = createMemory(maxBytes);
    memory = new WeakRef(fresh);
    return fresh;
  }

  return {
    /** In the order of the ids, current; undefined for a missing record. */
    of(ids: readonly number[]): (Known | undefined)[] {
      // Rows read in a transaction may be rolled back.
      const { known, keep } = db.inTransaction ? createMemory(0) : upToDate();
      const missing = ids.filter((id) => !known.has(id));
      const loaded = missing.length === 0 ? none : load(missing);
      const found = ids.map((id) => known.get(id) ?? loaded.get(id) ?? make(id));
      if (ids.every((id) => id <= newestKept)) keep(loaded);
      return found;
    },
  };
}

const none: ReadonlyMap<number, Known> = new Map();
// About 10,000 records of 130 words.
const defaultBytes = 8 * 2 ** 20;
// In a larger store few records are found twice, and the allocator kept 20 MiB after 300 searches.
const newestKept = 12_000;
// An entry's objects and its place in the map.
const bytesBeside = 250;

type Memory = ReturnType<typeof createMemory>;

function createMemory(maxBytes: number) {
  const known = new Map<number, Known>();
  let bytes = 0;

  function drop(id: number): void {
    bytes -= bytesOf(known.get(id));
    known.delete(id);
  }

  return {
    known,
    keep(loaded: ReadonlyMap<number, Known>) {
      for (const [id, one] of loaded) {
        known.set(id, one);
        bytes += bytesOf(one);
      }
      // A map iterates in insertion order.
      for (const id of known.keys()) {
        if (bytes <= maxBytes) break;
        drop(id);
      }
    },
    forget(ids: readonly number[]) {
      for (const id of ids) drop(id);
    },
  };
}

function bytesOf(known: Known | undefined): number {
  if (known === undefined) return 0;
  const { codes, title, end } = known.terms;
  return bytesBeside + (end - title) * codes.BYTES_PER_ELEMENT;
}

/** All rows in one: their columns as JSON, their terms concatenated. */
interface Rows {
  figures: string;
  terms: Uint8Array | null;
}

type Figures = [
  id: number,
  bytes: number,
  created_at_epoch: number,
  status: ObservationStatus,
  project: string,
  obs_type: string,
  routine: 0 | 1,
];

function createLoad(db: Sqlite): (ids: readonly number[]) => ReadonlyMap<number, Known> {
  // One result row: a row and a buffer for each took three times as long, and as much garbage collection again. Only columns
  // stored before the texts are read.
  const load = db.prepare<[string], Rows>(
    `select
       json_group_array(json_array(
         t.observation_id, length(t.terms), t.created_at_epoch, r.status, r.project, r.obs_type,
         r.routine)) as figures,
       cast(group_concat(t.terms, '') as blob) as terms
     from json_each(?) one
     cross join observation_terms t on t.observation_id = one.value
     cross join observations r on r.id = t.observation_id`,
  );
  return (ids) => {
    const rows = load.get(JSON.stringify(ids));
    const loaded = new Map<number, Known>();
    if (rows === undefined || rows.terms === null) return loaded;
    const codes = codesOfPacked(rows.terms);
    let from = 0;
    const figures = JSON.parse(rows.figures) as Figures[];
    for (const [id, bytes, created_at_epoch, status, project, obs_type, routine] of figures) {
      const end = from + bytes / codes.BYTES_PER_ELEMENT;
      const terms = unpackTerms(codes, from, end);
      loaded.set(id, { created_at_epoch, status, project, obs_type, routine, terms });
      from = end;
    }
    return loaded;
  };
}

type Source = TermSource & Omit<Known, "terms">;

// Computes the terms of a record from an older version. They are not cached: nothing reports a change of its text.
function createMake(db: Sqlite): (id: number) => Known | undefined {
  const source = db.prepare<[number], Source>(
    `select title, subtitle, summary, narrative, facts, files_touched, generator, created_at_epoch, status, project,
       obs_type, routine
     from observations
     where id = ?`,
  );
  return (id) => {
    const record = source.get(id);
    if (record === undefined) return undefined;
    const { created_at_epoch, status, project, obs_type, routine } = record;
    const terms = unpackTerms(codesOfPacked(packTerms(record)));
    return { created_at_epoch, status, project, obs_type, routine, terms };
  };
}

type Change = [seq: number, id: number];

/**
 * Returns the ids whose terms, status, project or type changed since the last call. The list belongs to the connection and is
 * rolled back with its transaction; after a write of another connection all may have changed.
 */
function createChanges(db: Sqlite): () => readonly number[] | "all" {
  db.exec(changeList);
  const since = db
    .prepare<[number], Change>("select seq, id from temp.changed_terms where seq > ? order by seq")
    .raw() as unknown as { all(after: number): Change[] };
  const version = db.prepare<[], number>("pragma data_version").pluck();
  let seen = 0;
  let seenVersion = version.get();
  return () => {
    const changes = since.all(seen);
    const isComplete = (changes[0]?.[0] ?? seen + 1) === seen + 1;
    seen = changes.at(-1)?.[0] ?? seen;
    const before = seenVersion;
    seenVersion = version.get();
    return isComplete && before === seenVersion ? changes.map(([, id]) => id) : "all";
  };
}

// Bounded: a reader that is further behind drops its whole cache.
const changeList = `
  create temp table if not exists changed_terms (seq integer primary key, id integer not null);
  create temp trigger if not exists changed_terms_bounded after insert on changed_terms begin
    delete from changed_terms where seq <= new.seq - 1000;
  end;
  create temp trigger if not exists terms_changed after update on main.observation_terms begin
    insert into changed_terms (id) values (old.observation_id);
  end;
  create temp trigger if not exists terms_removed after delete on main.observation_terms begin
    insert into changed_terms (id) values (old.observation_id);
  end;
  create temp trigger if not exists record_changed after update of status, project, obs_type, routine on main.observations
  when old.status is not new.status or old.project is not new.project or old.obs_type is not new.obs_type
    or old.routine is not new.routine
  begin
    insert into changed_terms (id) values (new.id);
  end;`;
