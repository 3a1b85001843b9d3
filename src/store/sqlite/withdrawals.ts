// Deletes what was stored under a prompt that later turned out to be private.
import { createDerivedRows } from "./derived-rows.ts";
import type { Sqlite } from "./open.ts";
import type { PendingMessages } from "./pending-messages.ts";
import { createSql } from "./sql.ts";

/** Runs in the transaction of the prompt. */
export function createWithdrawals(db: Sqlite, pending: Pick<PendingMessages, "count">) {
  const sql = createSql(db);
  const dropRecords = createDropRecords(db);
  // Intake writes the key first in the payload. It is compared as text: a payload that is no JSON would fail the prompt.
  const naming = sql.values<[{ session: number; front: string }], number>(
    `select id
     from raw_events
     where session_id = @session and substr(payload, 1, length(@front)) = @front`,
  );
  const dequeue = sql.values<[id: number], string>(
    "delete from pending_messages where id = ? returning status",
  );
  const dropEvent = sql.run<[id: number]>("delete from raw_events where id = ?");
  const breakOff = createBreakOff(db);
  return {
    /**
     * Deletes the events that name the prompt by `promptKey` and all records made from them. True when a running model
     * call was sent some of them.
     */
    ofPrompt(session: number, promptKey: string): boolean {
      const ids = naming({ session, front: `{"prompt_key":${JSON.stringify(promptKey)},` });
      if (ids.length === 0) return false;
      dropRecords(session, JSON.stringify(ids));
      const dequeued = ids.flatMap((id) => dequeue(id));
      for (const id of ids) dropEvent(id);
      // Finished messages stay counted as done.
      pending.count("skipped", dequeued.length);
      // The call was sent the whole batch.
      return breakOff(session, dequeued.includes("processing"));
    },
  };
}

/**
 * Requeues the messages of a running model call of the session, whose answer is then discarded: when it was sent what is
 * deleted, or a message that ends a turn, because it was then sent the events before it. Returns whether it did.
 */
export function createBreakOff(db: Sqlite): (session: number | null, wasSent?: boolean) => boolean {
  const sql = createSql(db);
  const endsTurn = sql.value<[session: number], number>(
    `select p.id
     from pending_messages p
     cross join raw_events r on r.id = p.id
     where p.session_id = ? and p.status = 'processing' and r.kind = 'summarize'
     limit 1`,
  );
  const requeue = sql.run<[session: number]>(
    `update pending_messages
     set status = 'pending', attempts = attempts - 1, lease_owner = null, lease_until_epoch = null
     where session_id = ? and status = 'processing'`,
  );
  return (session, wasSent = false) => {
    if (session === null) return false;
    const isSent = wasSent || endsTurn(session) !== undefined;
    if (isSent) requeue(session);
    return isSent;
  };
}

function createDropRecords(db: Sqlite): (session: number, events: string) => void {
  const sql = createSql(db);
  const derived = createDerivedRows(db);
  const observationsOf = sql.values<[{ session: number; events: string }], number>(
    `select distinct o.id
     from sessions s
     cross join observations o on o.sdk_session_id = s.sdk_session_id
     cross join observation_sources f on f.observation_id = o.id
     where s.id = @session and f.raw_event_id in (select value from json_each(@events))`,
  );
  const summariesOf = sql.values<[events: string], number>(
    `select id
     from session_summaries
     where generation_key in (select value || ':0' from json_each(?))`,
  );
  const dropObservation = sql.run<[id: number]>("delete from observations where id = ?");
  const dropSummary = sql.run<[id: number]>("delete from session_summaries where id = ?");
  const dropCopies = createDropCopies(db);
  return (session, events) => {
    const observations = observationsOf({ session, events });
    const summaries = summariesOf(events);
    for (const id of observations) {
      derived.drop("observations", id);
      dropObservation(id);
    }
    for (const id of summaries) {
      derived.drop("session_summaries", id);
      dropSummary(id);
    }
    dropCopies({ observations, summaries, events });
  };
}

/** Deletes copies of the records: texts of injections, and what the user deleted or edited before. */
function createDropCopies(db: Sqlite) {
  const sql = createSql(db);
  const dropTexts = sql.run<[names: string]>(
    `delete from injection_texts
     where injection_id in (
       select i.id
       from json_each(?) n
       cross join injections i on instr(i.records, ',' || n.value || ',') > 0)`,
  );
  const dropEdits = sql.run<[{ observations: string; summaries: string }]>(
    `delete from trash
     where (kind = 'observation' and record_id in (select value from json_each(@observations)))
       or (kind = 'summary' and record_id in (select value from json_each(@summaries)))`,
  );
  const dropDeleted = sql.run<[{ events: string }]>(
    `delete from trash
     where id in (
       select trash_id
       from trash_rows
       where case place
         when 'events' then row_id in (select value from json_each(@events))
         when 'observation_sources' then content ->> '$.raw_event_id' in (select value from json_each(@events))
         when 'session_summaries' then
           content ->> '$.generation_key' in (select value || ':0' from json_each(@events))
       end)`,
  );
  return (dropped: { observations: readonly number[]; summaries: readonly number[]; events: string }) => {
    const { observations, summaries, events } = dropped;
    dropTexts(JSON.stringify([...observations.map(String), ...summaries.map((id) => `S${id}`)]));
    dropEdits({ observations: JSON.stringify(observations), summaries: JSON.stringify(summaries) });
    dropDeleted({ events });
  };
}
