// What was put into each agent's context: rows of who has what.
import type { Sqlite } from "./open.ts";

/** An agent's context: of a session, or of a sub-agent in it. */
export interface LedgerReader {
  session: string;
  /** Empty for the session's main agent. */
  reader: string;
}

export interface ContextLedger {
  /** Everything that this reader has. */
  items(reader: LedgerReader): string[];
  /** When it got the item; undefined when it has not. */
  since(reader: LedgerReader, item: string): number | undefined;
  /** Adds what is not there yet. */
  add(reader: LedgerReader, items: readonly string[], now: number): void;
  /** The context begins anew, or did at that time. */
  clear(reader: LedgerReader, until?: number): void;
  /** Removes up to `limit` rows from before; how many. */
  purge(before: number, limit: number): number;
}

export function createContextLedger(db: Sqlite): ContextLedger {
  const items = db
    .prepare<LedgerReader, string>(
      "select item from context_ledger where session = @session and reader = @reader",
    )
    .pluck();
  const since = db
    .prepare<LedgerReader & { item: string }, number>(
      "select at_epoch from context_ledger where session = @session and reader = @reader and item = @item",
    )
    .pluck();
  const add = db.prepare<LedgerReader & { items: string; now: number }>(
    `insert into context_ledger (session, reader, item, at_epoch)
     select @session, @reader, value, @now
     from json_each(@items)
     where true
     on conflict do nothing`,
  );
  const clear = db.prepare<LedgerReader & { until: number }>(
    "delete from context_ledger where session = @session and reader = @reader and at_epoch <= @until",
  );
  const purge = db.prepare<[number, number]>(
    `delete from context_ledger
     where (session, reader, item) in (
       select session, reader, item from context_ledger where at_epoch < ? limit ?
     )`,
  );
  return {
    items: (reader) => items.all(reader),
    since: (reader, item) => since.get({ ...reader, item }),
    add: (reader, added, now) => void add.run({ ...reader, items: JSON.stringify(added), now }),
    clear: (reader, until = Number.MAX_SAFE_INTEGER) => void clear.run({ ...reader, until }),
    purge: (before, limit) => purge.run(before, limit).changes,
  };
}
