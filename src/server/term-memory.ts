// The words of records that were compared lately, so that a search asks the database for those of new ones only. What is
// kept decides nothing about who sees a record: the database names the records of every search anew, and reads them.
import type { Clock } from "../clock.ts";
import type { IndexedRecord } from "../store/postgres/search.ts";

export interface TermMemory {
  /** Forgets what its time is over for; to be called before records are asked for. */
  age(): void;
  /** The record of that `seq`, if it is remembered. */
  get(id: number): IndexedRecord | undefined;
  keep(record: IndexedRecord): void;
}

interface TermMemoryOptions {
  clock: Pick<Clock, "monotonicMs">;
  /** What is kept at most. */
  maxBytes?: number;
  /** What was deleted, or changed by a backup that was put back, is gone from here after twice this time. */
  forgetMs?: number;
}

/** Two halves: what is not asked for while the younger one fills, or for a while, is forgotten with the older one. */
export function createTermMemory({
  clock,
  maxBytes = 64 * 1024 * 1024,
  forgetMs = 5 * 60_000,
}: TermMemoryOptions): TermMemory {
  let young = new Map<number, IndexedRecord>();
  let old = new Map<number, IndexedRecord>();
  let bytes = 0;
  let since = clock.monotonicMs();

  function turn(): void {
    old = young;
    young = new Map();
    bytes = 0;
    since = clock.monotonicMs();
  }

  function keep(record: IndexedRecord): void {
    if (bytes >= maxBytes / 2) turn();
    young.set(record.id, record);
    bytes += record.terms.codes.byteLength + overheadBytes;
  }

  return {
    age() {
      if (clock.monotonicMs() - since >= forgetMs) turn();
    },
    get(id) {
      const found = young.get(id);
      if (found !== undefined) return found;
      const before = old.get(id);
      if (before !== undefined) keep(before);
      return before;
    },
    keep,
  };
}

// Of the entry, the objects around the numbers, and their places.
const overheadBytes = 300;
