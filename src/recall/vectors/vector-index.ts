// Finds the nearest vectors of a set: the bits of all vectors are in memory, the bytes of the best are read from the store.
import { type BitIndex, createBitIndex } from "./bit-index.ts";
import { cosine } from "./int8.ts";

/** Reads of the index. */
export interface VectorSource {
  newestChange(): number;
  /** Undefined when the log of changes does not reach back that far. */
  changedSince(seq: number): { seq: number; ids: number[] } | undefined;
  /** The project of every observation. */
  projects(): ReadonlyMap<number, number>;
  page(setId: number, row: number, limit: number): Omit<StoredVector, "project">[];
  vectorOf(setId: number, observationId: number): StoredVector | undefined;
  /** Scale and bytes. */
  stored(row: number): [number, Buffer] | undefined;
  projectId(label: string): number | undefined;
}

interface StoredVector {
  row: number;
  id: number;
  project: number;
  vector: Buffer;
}

export interface NearestRequest {
  setId: number;
  /** A unit vector of the set's dimension. */
  unit: Float32Array;
  /** A label, or null for all projects. */
  project: string | null;
  limit: number;
}

export interface NearHit {
  id: number;
  /** -1 to 1. */
  similarity: number;
}

// Measured at 100,000 x 384 against an exact scan: recall@20 is 97.2 % with 200, 98.6 % with 400, 99.0 % with 800 of
// them compared by their bytes, which costs 1.1, 1.5 and 3.6 ms beside the 3.6 ms of the sieve.
const leastCompared = 400;
const comparedPerHit = 20;

const pageRows = 2_000;
// Finding one vector costs 0.05 ms at 100,000: beyond this number reading all again is faster.
const mostChanges = 2_000;

export function createVectorIndex(source: VectorSource) {
  let loaded: { setId: number; dimension: number; index: BitIndex; seq: number } | undefined;

  function load(setId: number, dimension: number): BitIndex {
    loaded = undefined;
    // Read first: changes during the load are applied afterwards.
    const seq = source.newestChange();
    const projects = source.projects();
    const index = createBitIndex(dimension);
    for (let after = 0; ; ) {
      const rows = source.page(setId, after, pageRows);
      for (const { row, id, vector } of rows)
        index.add({ row, id, project: projects.get(id) ?? 0 }, bytesOf(vector));
      const last = rows.at(-1);
      if (last === undefined || rows.length < pageRows) break;
      after = last.row;
    }
    loaded = { setId, dimension, index, seq };
    return index;
  }

  function current(setId: number, dimension: number): BitIndex {
    if (loaded?.setId !== setId || loaded.dimension !== dimension) return load(setId, dimension);
    const changes = source.changedSince(loaded.seq);
    if (changes === undefined || changes.ids.length > mostChanges) return load(setId, dimension);
    const { index } = loaded;
    for (const id of changes.ids) {
      const row = source.vectorOf(setId, id);
      if (row === undefined) index.remove(id);
      else index.set(row, bytesOf(row.vector));
    }
    loaded.seq = changes.seq;
    return index;
  }

  return {
    /** Number of vectors in memory. */
    size: () => loaded?.index.size ?? 0,
    /** Nearest first. The first call of a set reads it whole. */
    nearest({ setId, unit, project, limit }: NearestRequest): NearHit[] {
      const index = current(setId, unit.length);
      const projectId = project === null ? null : source.projectId(project);
      if (projectId === undefined || limit < 1) return [];
      const compared = Math.max(leastCompared, limit * comparedPerHit);
      const hits: NearHit[] = [];
      for (const { row, id } of index.nearest(unit, compared, projectId)) {
        const stored = source.stored(row);
        if (stored === undefined) continue;
        const [scale, vector] = stored;
        hits.push({ id, similarity: cosine(unit, { scale, bytes: bytesOf(vector) }) });
      }
      // Newer first among equals, as everywhere in search.
      return hits.sort((a, b) => b.similarity - a.similarity || b.id - a.id).slice(0, limit);
    },
  };
}

function bytesOf({ buffer, byteOffset, byteLength }: Buffer): Int8Array {
  return new Int8Array(buffer, byteOffset, byteLength);
}
