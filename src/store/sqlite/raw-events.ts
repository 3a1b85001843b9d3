// Raw events: every accepted message, cleaned and complete, so that observations can be traced and regenerated.
import { failOpenSync } from "../../core/errors.ts";
import type { NewRawEvent } from "../../core/records/messages.ts";
import { isJsonObject, type Json, type JsonObject } from "../../text/json.ts";
import type { Sqlite } from "./open.ts";
import { createSql } from "./sql.ts";

export function createRawEvents(db: Sqlite) {
  const sql = createSql(db);
  // Positional parameters: binding by name costs a microsecond more, and this runs on every tool use.
  const insert = db.prepare<[number, string, string, string, number, number | null]>(
    `insert into raw_events (session_id, kind, event_key, payload, created_at_epoch, imported_at_epoch)
     values (?, ?, ?, ?, ?, ?)
     on conflict (session_id, event_key) do nothing`,
  );
  const ofKey = sql.all<[{ session: number; key: string }], { event_key: string; created_at_epoch: number }>(
    `select event_key, created_at_epoch
     from raw_events
     where session_id = @session and (event_key = @key or (event_key > @key || ':' and event_key < @key || ';'))`,
  );
  // Ids follow time, so the oldest rows come first; a row with a wrong clock does not block the rows behind it.
  const purge = sql.changes<[{ before: number; limit: number }]>(
    `delete from raw_events
     where id in (
       select id
       from (
         select r.id, coalesce(r.imported_at_epoch, r.created_at_epoch) as kept_from
         from raw_events r
         where not exists (select 1 from pending_messages p where p.id = r.id)
         order by r.id
         limit 2000
       )
       where kept_from < @before
       limit @limit
     )`,
  );
  return {
    /** Id of the stored event, or null when the session has the key already. */
    insert({
      session_id,
      kind,
      event_key,
      payload,
      now,
      imported_at = undefined,
    }: NewRawEvent): number | null {
      const result = insert.run(session_id, kind, event_key, payload, now, imported_at ?? null);
      return result.changes === 0 ? null : Number(result.lastInsertRowid);
    },
    /** Events with this key, or with the key and a suffix behind a colon. */
    ofKey: (session: number, key: string) => ofKey({ session, key }),
    /** Removes at most `limit` events recorded or imported before `before` that no queued message needs; returns how many. */
    purge: (before: number, limit: number) => purge({ before, limit }),
  };
}

/** The members of a payload; none of one that is no JSON object. */
export function readPayload(payload: string): JsonObject {
  const value = failOpenSync("reading a raw event", () => JSON.parse(payload) as Json);
  return isJsonObject(value) ? value : {};
}
