// How far the daily comparison has come, and what the last whole one found.
import { type WalkAt, walkStart } from "./derived-walk.ts";
import type { Sqlite } from "./open.ts";

export interface ComparisonState {
  at: WalkAt;
  /** In the round that runs. */
  found: number;
  /** When the last whole round ended; null before the first. */
  endedAt: number | null;
  endedFound: number;
}

export interface DerivedComparison {
  read(): ComparisonState;
  write(state: ComparisonState): void;
}

interface Row {
  part: number;
  after: number;
  found: number;
  ended_at_epoch: number | null;
  ended_found: number;
}

export function createDerivedComparison(db: Sqlite): DerivedComparison {
  const read = db.prepare<[], Row>(
    "select part, after, found, ended_at_epoch, ended_found from derived_comparison where id = 1",
  );
  const write = db.prepare<Row>(
    `insert into derived_comparison (id, part, after, found, ended_at_epoch, ended_found)
     values (1, @part, @after, @found, @ended_at_epoch, @ended_found)
     on conflict (id) do update
     set part = excluded.part, after = excluded.after, found = excluded.found,
       ended_at_epoch = excluded.ended_at_epoch, ended_found = excluded.ended_found`,
  );
  return {
    read() {
      const { part, after, found, ended_at_epoch, ended_found } = read.get() ?? nothing;
      return { at: { part, after }, found, endedAt: ended_at_epoch, endedFound: ended_found };
    },
    write({ at, found, endedAt, endedFound }) {
      write.run({ ...at, found, ended_at_epoch: endedAt, ended_found: endedFound });
    },
  };
}

const nothing: Row = { part: 0, after: walkStart.after, found: 0, ended_at_epoch: null, ended_found: 0 };
