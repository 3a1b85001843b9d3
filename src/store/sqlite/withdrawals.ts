// Deletes what was stored under a prompt that later turned out to be private.
import { createDerivedRows } from "./derived-rows.ts";
import type { Sqlite } from "./open.ts";
import type { PendingMessages } from "./pending-messages.ts";
import { createSql } from "./sql.ts";
import { createDropCopies } from "./withdrawn-copies.ts";

interface Withdrawn extends DroppedRecords {
  /** A running model call was sent some of the events. */
  isShown: boolean;
}

interface DroppedRecords {
  observations: number[];
  summaries: number[];
  /** Ids of observations that are active again: a deleted one had replaced them. */
  changed: number[];
}

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
  const namingInTrash = createNamingInTrash(db);
  const dropCopies = createDropCopies(db);
  return {
    /** Deletes the events that name the prompt by `promptKey` and all records made from them. */
    ofPrompt(session: number, promptKey: string): Withdrawn {
      const ids = naming({ session, front: frontOf(promptKey) });
      if (ids.length === 0) return { isShown: false, observations: [], summaries: [], changed: [] };
      const dropped = dropRecords(session, JSON.stringify(ids));
      dropCopies({ events: ids, ...dropped });
      const dequeued = ids.flatMap((id) => dequeue(id));
      for (const id of ids) dropEvent(id);
      // Finished messages stay counted as done.
      pending.count("skipped", dequeued.length);
      // The call was sent the whole batch.
      const wasSent = dequeued.includes("processing");
      return { ...dropped, isShown: breakOff(session, wasSent) || wasSent };
    },
    /** The same in deleted sessions of the host's session. */
    inTrash(claudeSessionId: string, promptKey: string): void {
      const events = namingInTrash(claudeSessionId, frontOf(promptKey));
      if (events.length > 0) dropCopies({ events, observations: [], summaries: [] });
    },
  };
}

function frontOf(promptKey: string): string {
  return `{"prompt_key":${JSON.stringify(promptKey)},`;
}

/** Ids of raw events of deleted sessions whose payload begins with `front`. */
function createNamingInTrash(db: Sqlite): (claudeSessionId: string, front: string) => number[] {
  const sql = createSql(db);
  const entriesOf = sql.values<[claudeSessionId: string], number>(
    `select trash_id
     from trash_rows
     where place = 'sessions' and row_id is not null and content ->> '$.claude_session_id' = ?`,
  );
  const naming = sql.values<[{ entry: number; front: string }], number>(
    `select row_id
     from trash_rows
     where trash_id = @entry and place = 'raw_events'
       and substr(content ->> '$.payload', 1, length(@front)) = @front`,
  );
  return (claudeSessionId, front) => entriesOf(claudeSessionId).flatMap((entry) => naming({ entry, front }));
}

/**
 * Requeues the messages of a running model call of the session, whose answer is then discarded: when `wasSent` says that
 * it was sent what changed, or when it was sent the end of a turn, with the events and prompts before it. Returns whether
 * there was such a call.
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
  const requeue = sql.changes<[session: number]>(
    `update pending_messages
     set status = 'pending', attempts = attempts - 1, lease_owner = null, lease_until_epoch = null
     where session_id = ? and status = 'processing'`,
  );
  return (session, wasSent = false) => {
    if (session === null) return false;
    return (wasSent || endsTurn(session) !== undefined) && requeue(session) > 0;
  };
}

/** Deletes the records that were made from the events. */
function createDropRecords(db: Sqlite): (session: number, events: string) => DroppedRecords {
  const sql = createSql(db);
  const derived = createDerivedRows(db);
  const observationsOf = sql.values<[{ session: number; events: string }], number>(
    `select distinct o.id
     from sessions s
     cross join observations o on o.sdk_session_id = s.sdk_session_id
     cross join observation_sources f on f.observation_id = o.id
     where s.id = @session and f.raw_event_id in (select value from json_each(@events))`,
  );
  // A model's summary of a later turn goes on with the text of the one before.
  const summariesOf = sql.values<[{ session: number; events: string }], number>(
    `select id
     from session_summaries
     where generation_key in (select value || ':0' from json_each(@events))
       or (sdk_session_id = (select sdk_session_id from sessions where id = @session)
         and generator not in ('local', 'manual') and origin_device_id is null
         and cast(generation_key as integer) > (select min(value) from json_each(@events)))`,
  );
  // A trigger makes them active again.
  const replacedBy = sql.values<[{ ids: string }], number>(
    `select id
     from observations
     where superseded_by in (select value from json_each(@ids)) and id not in (select value from json_each(@ids))
     order by id`,
  );
  const dropObservation = sql.run<[id: number]>("delete from observations where id = ?");
  const dropSummary = sql.run<[id: number]>("delete from session_summaries where id = ?");
  return (session, events) => {
    const observations = observationsOf({ session, events });
    const summaries = summariesOf({ session, events });
    const changed = replacedBy({ ids: JSON.stringify(observations) });
    for (const id of observations) {
      derived.drop("observations", id);
      dropObservation(id);
    }
    for (const id of summaries) {
      derived.drop("session_summaries", id);
      dropSummary(id);
    }
    return { observations, summaries, changed };
  };
}
