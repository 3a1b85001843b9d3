// The words of records that were compared lately, so that a search asks the database for those of new ones only. What is
// kept decides nothing about who sees a record: the database names the records of every search anew, and reads them.
import type { Clock } from "../core/clock.ts";
import type { IndexedRecord } from "../store/postgres/search.ts";

export interface TermCache {
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
  /** What was deleted, or changed by a backup that was put back, is gone from here after this time. */
  forgetMs?: number;
}

interface Remembered {
  record: IndexedRecord;
  until: number;
}

/** Two halves: what is not asked for while the younger one fills, or in half of the time, is forgotten with the older one. */
export function createTermCache({
  clock,
  maxBytes = 64 * 1024 * 1024,
  forgetMs = 10 * 60_000,
}: TermMemoryOptions): TermCache {
  let young = new Map<number, Remembered>();
  let old = new Map<number, Remembered>();
  let bytes = 0;
  let now = clock.monotonicMs();
  let since = now;

  function turn(): void {
    old = young;
    young = new Map();
    bytes = 0;
    since = now;
  }

  function put(one: Remembered): void {
    if (bytes >= maxBytes / 2) turn();
    young.set(one.record.id, one);
    bytes += one.record.terms.codes.byteLength + overheadBytes;
  }

  return {
    age() {
      now = clock.monotonicMs();
      if (now - since >= forgetMs / 2) turn();
    },
    get(id) {
      const found = young.get(id) ?? old.get(id);
      if (found === undefined || found.until <= now) return undefined;
      if (!young.has(id)) put(found);
      return found.record;
    },
    keep: (record) => put({ record, until: now + forgetMs }),
  };
}

// Of the entry, the objects around the numbers, and their places.
const overheadBytes = 300;
