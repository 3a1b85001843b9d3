// Vectors of observations: written by the embedder, deleted with the record, and read by the vector index.

import type { Observation } from "../../core/records/records.ts";
import type { VectorSet } from "../../core/records/vector-status.ts";
import { openFile } from "./library.ts";
import type { Sqlite } from "./open.ts";
import { createSql } from "./sql.ts";
import { storageError } from "./storage-error.ts";

/** The parts of an observation that are embedded. */
export type EmbeddedText = Pick<Observation, "id" | "title" | "subtitle" | "summary" | "narrative" | "facts">;

export interface NewVector {
  /** The text as it was embedded. */
  of: EmbeddedText;
  scale: number;
  bytes: Int8Array;
}

const textColumns = "id, title, subtitle, summary, narrative, facts";
const setColumns = "id, embedder, model, dimension, complete";

export type Vectors = ReturnType<typeof createVectors>;

/** Every write runs in the caller's transaction. */
export function createVectors(db: Sqlite) {
  const sql = createSql(db);
  const addSet = sql.run<[embedder: string, model: string, dimension: number]>(
    "insert into vector_sets (embedder, model, dimension) values (?, ?, ?) on conflict do nothing",
  );
  const setOf = sql.get<[embedder: string, model: string, dimension: number], VectorSet>(
    `select ${setColumns} from vector_sets where embedder = ? and model = ? and dimension = ?`,
  );
  const dropSet = sql.run<[id: number]>("delete from vector_sets where id = ?");
  const dropRows = sql.changes<[setId: number, limit: number]>(
    `delete from observation_vectors
     where id in (select id from observation_vectors where set_id = ? limit ?)`,
  );
  return {
    /** Oldest first. */
    sets: sql.all<[], VectorSet>(`select ${setColumns} from vector_sets order by id`),
    /** The set of these, created if there is none. */
    ensureSet(embedder: string, model: string, dimension: number): VectorSet {
      addSet(embedder, model, dimension);
      const set = setOf(embedder, model, dimension);
      if (set === undefined) throw new TypeError("a set of vectors was not stored");
      return set;
    },
    complete: sql.run<[id: number]>("update vector_sets set complete = 1 where id = ?"),
    /** Deletes rows of a set, then the set; true when it is gone. */
    dropSome(id: number, limit: number): boolean {
      if (dropRows(id, limit) > 0) return false;
      dropSet(id);
      return true;
    },
    put: createPut(db),
    ...createLacking(db),
  };
}

/** Stores the vectors whose text has not changed meanwhile; returns how many. */
function createPut(db: Sqlite) {
  const sql = createSql(db);
  const textOf = sql.get<[id: number], EmbeddedText>(`select ${textColumns} from observations where id = ?`);
  const put = sql.run<[setId: number, id: number, scale: number, vector: Buffer]>(
    `insert into observation_vectors (set_id, observation_id, scale, vector) values (?, ?, ?, ?)
     on conflict (set_id, observation_id) do update set scale = excluded.scale, vector = excluded.vector`,
  );
  return (setId: number, vectors: readonly NewVector[]): number => {
    let stored = 0;
    for (const { of, scale, bytes } of vectors) {
      const now = textOf(of.id);
      if (now === undefined || !sameText(now, of)) continue;
      put(setId, of.id, scale, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      stored += 1;
    }
    return stored;
  };
}

function createLacking(db: Sqlite) {
  const sql = createSql(db);
  const lackingOf = sql.get<[id: number, setId: number], EmbeddedText>(
    `select ${textColumns}
     from observations o
     where o.id = ? and not exists (
       select 1 from observation_vectors v where v.set_id = ? and v.observation_id = o.id)`,
  );
  const window = sql.all<[before: number, size: number, setId: number], { id: number; has: 0 | 1 }>(
    `select o.id, v.id is not null as has
     from (select id from observations where id < ? order by id desc limit ?) o
     left join observation_vectors v on v.set_id = ? and v.observation_id = o.id
     order by o.id desc`,
  );
  const done = sql.value<[setId: number], number>(
    "select count(*) from observation_vectors where set_id = ?",
  );
  const total = sql.value<[], number>("select count(*) from observations");
  return {
    /** The text of an observation that has no vector in the set. */
    lackingOf: (setId: number, id: number) => lackingOf(id, setId),
    /**
     * Reads the next `size` observations below `before`, newest first: the ids without a vector, and where to continue;
     * null at the end.
     */
    lacking(setId: number, before: number, size: number): { ids: number[]; next: number | null } {
      const rows = window(before, size, setId);
      const ids = rows.filter(({ has }) => has === 0).map(({ id }) => id);
      return { ids, next: rows.length < size ? null : (rows.at(-1)?.id ?? null) };
    },
    /** How many observations have a vector in the set, and how many there are. */
    progress: (setId: number) => ({ done: done(setId) ?? 0, total: total() ?? 0 }),
  };
}

function sameText(now: EmbeddedText, then: EmbeddedText): boolean {
  return (["title", "subtitle", "summary", "narrative", "facts"] as const).every(
    (column) => now[column] === then[column],
  );
}

/** A vector with the columns of its observation that the index needs. */
export interface VectorRow {
  row: number;
  id: number;
  /** 0 if no project has the observation's label. */
  project: number;
  vector: Buffer;
}

/** Opens the vectors of a database read-only, beside the connection that writes. */
export function openVectorReader(path: string) {
  try {
    const db = openFile(path, { readonly: true, timeout: 1_000 });
    db.pragma("cache_size = -2000");
    return { ...createVectorReader(db), close: () => void db.close() };
  } catch (cause) {
    throw storageError(cause);
  }
}

function createVectorReader(db: Sqlite) {
  const sql = createSql(db);
  const page = sql.all<[after: number, setId: number, limit: number], Omit<VectorRow, "project">>(
    `select id as "row", observation_id as id, vector
     from observation_vectors
     where id > ? and set_id = ?
     order by observation_vectors.id
     limit ?`,
  );
  // Read from an index alone: reading 100,000 records for their project takes four times as long as their vectors.
  const projects = db.prepare<[], [number, number]>(
    `select o.id, coalesce(p.id, 0)
     from observations o
     left join projects p on p.label = o.project`,
  );
  projects.raw();
  const stored = db.prepare<[number], [number, Buffer]>(
    "select scale, vector from observation_vectors where id = ?",
  );
  stored.raw();
  const last = sql.value<[], number>("select seq from sqlite_sequence where name = 'vector_changes'");
  const first = sql.value<[], number | null>("select min(seq) from vector_changes");
  const changes = sql.all<[after: number], { seq: number; observation_id: number }>(
    "select seq, observation_id from vector_changes where seq > ? order by seq",
  );
  return {
    /** The number of the newest change. */
    newestChange: () => last() ?? 0,
    /** Observations whose vector changed after `seq`; undefined when the log of changes does not reach back that far. */
    changedSince(seq: number): { seq: number; ids: number[] } | undefined {
      const newest = last() ?? 0;
      if (newest === seq) return { seq, ids: [] };
      const oldest = first();
      if (newest < seq || typeof oldest !== "number" || oldest > seq + 1) return undefined;
      const rows = changes(seq);
      return { seq: rows.at(-1)?.seq ?? seq, ids: [...new Set(rows.map((row) => row.observation_id))] };
    },
    /** The project of every observation. */
    projects: () => new Map(projects.iterate()),
    /** Vectors of a set in the order of their rows, after `row`. */
    page: (setId: number, row: number, limit: number) => page(row, setId, limit),
    vectorOf: sql.get<[setId: number, observationId: number], VectorRow>(
      `select v.id as "row", v.observation_id as id, coalesce(p.id, 0) as project, v.vector
       from observation_vectors v
       join observations o on o.id = v.observation_id
       left join projects p on p.label = o.project
       where v.set_id = ? and v.observation_id = ?`,
    ),
    /** Scale and bytes as stored. */
    stored: (row: number) => stored.get(row),
    projectId: sql.value<[label: string], number>("select id from projects where label = ?"),
  };
}
