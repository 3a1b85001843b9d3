// Counts of events that could not be read, by host and reason.
import type { UnreadEvent, UnreadEvents } from "../../core/records/unread-event.ts";
import type { Sqlite } from "./open.ts";
import { createSql } from "./sql.ts";

const maxRows = 50;

export function createUnreadEvents(db: Sqlite) {
  const sql = createSql(db);
  const list = sql.all<[since: number], UnreadEvents>(
    `select host, reason, events, last_event, last_at_epoch
     from unread_events
     where last_at_epoch >= ?
     order by last_at_epoch desc, host, reason`,
  );
  const dropOld = sql.run<[before: number]>("delete from unread_events where last_at_epoch < ?");
  const hasRoom = sql.value<[{ host: string; reason: string; maxRows: number }], 0 | 1>(
    `select exists (select 1 from unread_events where host = @host and reason = @reason)
       or (select count(*) from unread_events) < @maxRows`,
  );
  const add = sql.run<[UnreadEvent]>(
    `insert into unread_events (host, reason, events, last_event, last_at_epoch)
     values (@host, @reason, 1, @last_event, @last_at_epoch)
     on conflict (host, reason) do update
     set events = events + 1,
       last_event = case when excluded.last_at_epoch >= last_at_epoch then excluded.last_event else last_event end,
       last_at_epoch = max(last_at_epoch, excluded.last_at_epoch)`,
  );
  return {
    /** Newest first. */
    list,
    /**
     * Runs in the caller's transaction. A count without an event since `since` starts again. Beyond 50 pairs of host and
     * reason, hosts are counted as `others`.
     */
    count(event: UnreadEvent, since: number): void {
      dropOld(since);
      const { host, reason } = event;
      const fits = hasRoom({ host, reason, maxRows }) === 1;
      add(fits ? event : { ...event, host: "others" });
    },
  };
}
