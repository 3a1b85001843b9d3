// Cache of record terms, so that a search reads only the terms of new records. It decides nothing about access: the database
// selects and reads the records of every search.
import type { Clock } from "../../core/clock.ts";
import type { IndexedRecord } from "../../store/postgres/search.ts";

export type TermCache = ReturnType<typeof createTermCache>;

interface TermMemoryOptions {
  clock: Pick<Clock, "monotonicMs">;
  maxBytes?: number;
  /** Deleted records, and those changed by a restored backup, expire after this time. */
  forgetMs?: number;
}

interface Remembered {
  record: IndexedRecord;
  until: number;
}

/** Two generations: an entry unused while the young one fills, or for half of the time, expires with the old one. */
export function createTermCache({
  clock,
  maxBytes = 64 * 1024 * 1024,
  forgetMs = 10 * 60_000,
}: TermMemoryOptions) {
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
    /** Expires old entries; call it before `get`. */
    age() {
      now = clock.monotonicMs();
      if (now - since >= forgetMs / 2) turn();
    },
    /** The cached record of a `seq`. */
    get(id: number): IndexedRecord | undefined {
      const found = young.get(id) ?? old.get(id);
      if (found === undefined || found.until <= now) return undefined;
      if (!young.has(id)) put(found);
      return found.record;
    },
    keep: (record: IndexedRecord) => put({ record, until: now + forgetMs }),
  };
}

// Of the map entry and the objects around the numbers.
const overheadBytes = 300;
