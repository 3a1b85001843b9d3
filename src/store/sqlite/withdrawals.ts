// Takes back what was stored under a prompt that was not known yet and then turned out to be private.
import { createDerivedRows } from "./derived-rows.ts";
import type { Sqlite } from "./open.ts";
import type { PendingMessages } from "./pending-messages.ts";

export interface Withdrawals {
  /**
   * Removes what names the prompt by `promptKey` and came before it, and all records made of that. True when a model is
   * being shown some of it right now.
   */
  ofPrompt(sessionId: number, promptKey: string): boolean;
}

/** Runs in the transaction of the prompt. */
export function createWithdrawals(db: Sqlite, pending: Pick<PendingMessages, "count">): Withdrawals {
  const derived = createDerivedRows(db);
  // Intake puts the key in front of the payload. It is not read as a field: a payload that is no JSON would fail the
  // prompt.
  const naming = db.prepare<{ session: number; front: string }, { id: number }>(
    `select id
     from raw_events
     where session_id = @session and substr(payload, 1, length(@front)) = @front`,
  );
  const dequeue = db.prepare<[number], { status: string }>(
    "delete from pending_messages where id = ? returning status",
  );
  const dropEvent = db.prepare<[number]>("delete from raw_events where id = ?");
  const observationsOf = db.prepare<{ session: number; events: string }, { id: number }>(
    `select distinct o.id
     from sessions s
     cross join observations o on o.sdk_session_id = s.sdk_session_id
     cross join observation_sources f on f.observation_id = o.id
     where s.id = @session and f.raw_event_id in (select value from json_each(@events))`,
  );
  const dropObservation = db.prepare<[number]>("delete from observations where id = ?");
  const summariesOf = db.prepare<[string], { id: number }>(
    `select id
     from session_summaries
     where generation_key in (select value || ':0' from json_each(?))`,
  );
  const dropSummary = db.prepare<[number]>("delete from session_summaries where id = ?");
  const endsTurn = db.prepare<[number], { id: number }>(
    `select p.id
     from pending_messages p
     cross join raw_events r on r.id = p.id
     where p.session_id = ? and p.status = 'processing' and r.kind = 'summarize'
     limit 1`,
  );
  const breakOff = db.prepare<[number]>(
    `update pending_messages
     set status = 'pending', attempts = attempts - 1, lease_owner = null, lease_until_epoch = null
     where session_id = ? and status = 'processing'`,
  );

  function dropRecords(session: number, events: string): void {
    for (const { id } of observationsOf.all({ session, events })) {
      derived.drop("observations", id);
      dropObservation.run(id);
    }
    for (const { id } of summariesOf.all(events)) {
      derived.drop("session_summaries", id);
      dropSummary.run(id);
    }
  }

  return {
    ofPrompt(session, promptKey) {
      const front = `{"prompt_key":${JSON.stringify(promptKey)},`;
      const ids = naming.all({ session, front }).map(({ id }) => id);
      if (ids.length === 0) return false;
      dropRecords(session, JSON.stringify(ids));
      const waited = ids.flatMap((id) => dequeue.all(id));
      for (const id of ids) dropEvent.run(id);
      // What is finished stays counted as done.
      pending.count("skipped", waited.length);
      // The model was shown the whole batch, and with a message that ends a turn what came before it as well: its answer
      // is worth nothing, and the other messages are asked for again.
      const isShown =
        waited.some(({ status }) => status === "processing") || endsTurn.get(session) !== undefined;
      if (isShown) breakOff.run(session);
      return isShown;
    },
  };
}
