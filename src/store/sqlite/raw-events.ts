// Raw events: every accepted message, cleaned and whole, so that observations can be traced and made again.
import type { Sqlite } from "./open.ts";

export interface NewRawEvent {
  session_id: number;
  kind: "observation" | "summarize" | "other";
  /** Identity of the event within its session; the same key twice is stored once. */
  event_key: string;
  /** JSON of the message. */
  payload: string;
  now: number;
}

type Keyed = { event_key: string; created_at_epoch: number };

export interface RawEvents {
  /** Id of the stored event, or null when the session has the key already. */
  insert(event: NewRawEvent): number | null;
  /** Those of this key, and of the key with anything behind a colon. */
  ofKey(sessionId: number, key: string): Keyed[];
  /** Removes events older than `before` that nothing waits for; at most `limit` a call. Returns how many. */
  purge(before: number, limit: number): number;
}

export function createRawEvents(db: Sqlite): RawEvents {
  // Positional parameters: binding by name costs a microsecond more, and this runs on every tool use.
  const insert = db.prepare<[number, string, string, string, number]>(
    `insert into raw_events (session_id, kind, event_key, payload, created_at_epoch)
     values (?, ?, ?, ?, ?)
     on conflict (session_id, event_key) do nothing`,
  );
  const ofKey = db.prepare<{ session: number; key: string }, Keyed>(
    `select event_key, created_at_epoch
     from raw_events
     where session_id = @session and (event_key = @key or (event_key > @key || ':' and event_key < @key || ';'))`,
  );
  // Ids follow time, so the oldest are at the front; a row whose clock was wrong there holds up nothing behind it.
  const purge = db.prepare<{ before: number; limit: number }>(
    `delete from raw_events
     where id in (
       select id
       from (
         select r.id, r.created_at_epoch
         from raw_events r
         where not exists (select 1 from pending_messages p where p.id = r.id)
         order by r.id
         limit 2000
       )
       where created_at_epoch < @before
       limit @limit
     )`,
  );
  return {
    insert({ session_id, kind, event_key, payload, now }) {
      const result = insert.run(session_id, kind, event_key, payload, now);
      return result.changes === 0 ? null : Number(result.lastInsertRowid);
    },
    ofKey: (session, key) => ofKey.all({ session, key }),
    purge: (before, limit) => purge.run({ before, limit }).changes,
  };
}
