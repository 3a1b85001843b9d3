// Vectors of observations: written behind the records, gone with them, and read by the index that searches them.
import Database from "better-sqlite3";
import type { Observation } from "../../core/records/records.ts";
import type { Sqlite } from "./open.ts";
import { storageError } from "./storage-error.ts";

/** Vectors that can be compared with each other: of one embedder, one model, one dimension. */
export interface VectorSet {
  id: number;
  embedder: string;
  model: string;
  dimension: number;
  /** 1 once every observation had a vector of it. */
  complete: 0 | 1;
}

/** The parts of an observation that its vector is made of. */
export type EmbeddedText = Pick<Observation, "id" | "title" | "subtitle" | "summary" | "narrative" | "facts">;

export interface NewVector {
  /** The text as it was embedded: a vector of a text that has changed meanwhile is not stored. */
  of: EmbeddedText;
  scale: number;
  bytes: Int8Array;
}

const textColumns = "id, title, subtitle, summary, narrative, facts";
const setColumns = "id, embedder, model, dimension, complete";

export type Vectors = ReturnType<typeof createVectors>;

export function createVectors(db: Sqlite) {
  const sets = db.prepare<[], VectorSet>(`select ${setColumns} from vector_sets order by id`);
  const addSet = db.prepare<[string, string, number]>(
    "insert into vector_sets (embedder, model, dimension) values (?, ?, ?) on conflict do nothing",
  );
  const setOf = db.prepare<[string, string, number], VectorSet>(
    `select ${setColumns} from vector_sets where embedder = ? and model = ? and dimension = ?`,
  );
  const complete = db.prepare<[number]>("update vector_sets set complete = 1 where id = ?");
  const dropSet = db.prepare<[number]>("delete from vector_sets where id = ?");
  const dropRows = db.prepare<[number, number]>(
    `delete from observation_vectors
     where id in (select id from observation_vectors where set_id = ? limit ?)`,
  );
  const textOf = db.prepare<[number], EmbeddedText>(`select ${textColumns} from observations where id = ?`);
  const put = db.prepare<[number, number, number, Buffer]>(
    `insert into observation_vectors (set_id, observation_id, scale, vector) values (?, ?, ?, ?)
     on conflict (set_id, observation_id) do update set scale = excluded.scale, vector = excluded.vector`,
  );
  const lackingOf = db.prepare<[number, number], EmbeddedText>(
    `select ${textColumns}
     from observations o
     where o.id = ? and not exists (
       select 1 from observation_vectors v where v.set_id = ? and v.observation_id = o.id)`,
  );
  const window = db.prepare<[number, number, number], { id: number; has: 0 | 1 }>(
    `select o.id, v.id is not null as has
     from (select id from observations where id < ? order by id desc limit ?) o
     left join observation_vectors v on v.set_id = ? and v.observation_id = o.id
     order by o.id desc`,
  );
  const done = db
    .prepare<[number], number>("select count(*) from observation_vectors where set_id = ?")
    .pluck();
  const total = db.prepare<[], number>("select count(*) from observations").pluck();

  return {
    /** Oldest first. */
    sets: () => sets.all(),
    /** The set of these, made when there is none. Runs in the caller's transaction. */
    ensureSet(embedder: string, model: string, dimension: number): VectorSet {
      addSet.run(embedder, model, dimension);
      const set = setOf.get(embedder, model, dimension);
      if (set === undefined) throw new TypeError("a set of vectors was not stored");
      return set;
    },
    complete: (id: number) => void complete.run(id),
    /** Removes rows of a set, then the set; true when it is gone. Runs in the caller's transaction. */
    dropSome(id: number, limit: number): boolean {
      if (dropRows.run(id, limit).changes > 0) return false;
      dropSet.run(id);
      return true;
    },
    /** Stores what still is the vector of its text; how many those are. Runs in the caller's transaction. */
    put(setId: number, vectors: readonly NewVector[]): number {
      let stored = 0;
      for (const { of, scale, bytes } of vectors) {
        const now = textOf.get(of.id);
        if (now === undefined || !sameText(now, of)) continue;
        put.run(setId, of.id, scale, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
        stored += 1;
      }
      return stored;
    },
    /** The text of an observation that has no vector in the set. */
    lackingOf: (setId: number, id: number) => lackingOf.get(id, setId),
    /**
     * Looks at the next `size` observations below `before`, newest first: which of them lack a vector, and where the
     * next look begins; null when there are no more.
     */
    lacking(setId: number, before: number, size: number): { ids: number[]; next: number | null } {
      const rows = window.all(before, size, setId);
      const ids = rows.filter(({ has }) => has === 0).map(({ id }) => id);
      return { ids, next: rows.length < size ? null : (rows.at(-1)?.id ?? null) };
    },
    /** How many observations have a vector in the set, and how many there are. */
    progress: (setId: number) => ({ done: done.get(setId) ?? 0, total: total.get() ?? 0 }),
  };
}

function sameText(now: EmbeddedText, then: EmbeddedText): boolean {
  return (["title", "subtitle", "summary", "narrative", "facts"] as const).every(
    (column) => now[column] === then[column],
  );
}

/** A vector with what the index keeps of its observation. */
export interface VectorRow {
  row: number;
  id: number;
  /** 0 where the observation's label is nobody's. */
  project: number;
  vector: Buffer;
}

/** Opens the vectors of a database for reading only, beside the connection that writes. */
export function openVectorReader(path: string) {
  try {
    const db = new Database(path, { readonly: true, timeout: 1_000 });
    db.pragma("cache_size = -2000");
    return { ...createVectorReader(db), close: () => void db.close() };
  } catch (cause) {
    throw storageError(cause);
  }
}

function createVectorReader(db: Sqlite) {
  const columns = `v.id as "row", v.observation_id as id, coalesce(p.id, 0) as project, v.vector`;
  const joined = `join observations o on o.id = v.observation_id
     left join projects p on p.label = o.project`;
  const page = db.prepare<[number, number, number], Omit<VectorRow, "project">>(
    `select id as "row", observation_id as id, vector
     from observation_vectors
     where id > ? and set_id = ?
     order by id
     limit ?`,
  );
  // Answered from an index alone: reading 100,000 records for their project takes four times as long as their vectors.
  const projectOfEach = db.prepare<[], [number, number]>(
    `select o.id, coalesce(p.id, 0)
     from observations o
     left join projects p on p.label = o.project`,
  );
  projectOfEach.raw();
  const one = db.prepare<[number, number], VectorRow>(
    `select ${columns}
     from observation_vectors v
     ${joined}
     where v.set_id = ? and v.observation_id = ?`,
  );
  const stored = db.prepare<[number], [number, Buffer]>(
    "select scale, vector from observation_vectors where id = ?",
  );
  stored.raw();
  const project = db.prepare<[string], number>("select id from projects where label = ?").pluck();
  const last = db
    .prepare<[], number>("select seq from sqlite_sequence where name = 'vector_changes'")
    .pluck();
  const first = db.prepare<[], number | null>("select min(seq) from vector_changes").pluck();
  const changes = db.prepare<[number], { seq: number; observation_id: number }>(
    "select seq, observation_id from vector_changes where seq > ? order by seq",
  );

  return {
    /** The number of the newest change. */
    newestChange: () => last.get() ?? 0,
    /** Observations whose vector changed after `seq`, or undefined when so many did that all must be read again. */
    changedSince(seq: number): { seq: number; ids: number[] } | undefined {
      const newest = last.get() ?? 0;
      if (newest === seq) return { seq, ids: [] };
      const oldest = first.get();
      if (newest < seq || typeof oldest !== "number" || oldest > seq + 1) return undefined;
      const rows = changes.all(seq);
      return {
        seq: rows.at(-1)?.seq ?? seq,
        ids: [...new Set(rows.map((row) => row.observation_id))],
      };
    },
    /** The project of every observation. */
    projects: () => new Map(projectOfEach.iterate()),
    /** Vectors of a set in the order of their rows, after `row`. */
    page: (setId: number, row: number, limit: number) => page.all(row, setId, limit),
    vectorOf: (setId: number, observationId: number) => one.get(setId, observationId),
    /** Scale and bytes as they are stored. */
    stored: (row: number) => stored.get(row),
    projectId: (label: string) => project.get(label),
  };
}
