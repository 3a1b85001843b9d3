// What each agent's context holds: one row per reader and item.
import type { Sqlite } from "./open.ts";
import { createSql } from "./sql.ts";

/** The context of a session's agent, or of one of its sub-agents. */
export interface LedgerReader {
  session: string;
  /** Empty for the session's main agent. */
  reader: string;
}

export function createContextLedger(db: Sqlite) {
  const sql = createSql(db);
  const items = sql.values<[LedgerReader], string>(
    "select item from context_ledger where session = @session and reader = @reader",
  );
  const since = sql.value<[LedgerReader & { item: string }], number>(
    "select at_epoch from context_ledger where session = @session and reader = @reader and item = @item",
  );
  const add = sql.run<[LedgerReader & { items: string; now: number }]>(
    `insert into context_ledger (session, reader, item, at_epoch)
     select @session, @reader, value, @now
     from json_each(@items)
     where true
     on conflict do nothing`,
  );
  const clear = sql.run<[LedgerReader & { until: number }]>(
    "delete from context_ledger where session = @session and reader = @reader and at_epoch <= @until",
  );
  return {
    items,
    /** When the reader got the item; undefined if it has not. */
    since: (reader: LedgerReader, item: string) => since({ ...reader, item }),
    /** Adds the items that the reader does not have. */
    add: (reader: LedgerReader, added: readonly string[], now: number) =>
      add({ ...reader, items: JSON.stringify(added), now }),
    /** Removes the items that the reader got up to `until`: its context started again. */
    clear: (reader: LedgerReader, until = Number.MAX_SAFE_INTEGER) => clear({ ...reader, until }),
    /** Removes up to `limit` rows from before; returns how many. */
    purge: sql.changes<[before: number, limit: number]>(
      `delete from context_ledger
       where (session, reader, item) in (
         select session, reader, item from context_ledger where at_epoch < ? limit ?
       )`,
    ),
  };
}
