// Pending messages: the durable queue between intake and generation.

import { failOpenSync } from "../../core/errors.ts";
import type { ClaimedMessage, MessageCounts, PendingMessage } from "../../core/records/messages.ts";
import type { Release, WaitingMessages } from "../../core/records/queue.ts";
import type { Sqlite } from "./open.ts";
import { isOfNextTurn, type TurnPlace, turnColumns } from "./turns.ts";

export interface ClaimRequest {
  sessionId: number;
  owner: string;
  now: number;
  leaseUntil: number;
  /** Messages at most. */
  limit: number;
  /** The same of messages that failed, or that the worker died on three times; default: `limit`. */
  limitOfRetry?: number;
  /** Payload characters at most; a longer message goes alone. */
  maxChars: number;
}

export type PendingMessages = ReturnType<typeof createPendingMessages>;

interface CandidateRow extends Omit<ClaimedMessage, "message">, TurnPlace {
  next_try_at_epoch: number;
  payload: string;
  is_imported: 0 | 1;
}

// A next try further away than any delay was set before the clock was put back: it is due now.
const longestDelayMs = 10 * 60_000;
const isDue = `(next_try_at_epoch <= @now or next_try_at_epoch > @now + ${longestDelayMs})`;

// What was never put back goes first: a turn that fails again and again holds nothing up.
const inOrder = "p.next_try_at_epoch, p.id";

const sessionsPerSweep = 500;

const claimsBeforeAlone = 3;

interface DueRequest {
  sessionId: number;
  now: number;
}

export function createPendingMessages(db: Sqlite) {
  const enqueue = db.prepare<[number, number, number]>(
    "insert into pending_messages (id, session_id, created_at_epoch) values (?, ?, ?)",
  );
  const leases = createLeases(db);
  return {
    enqueue: (rawEventId: number, sessionId: number, now: number) =>
      void enqueue.run(rawEventId, sessionId, now),
    ...createClaim(db, leases),
    ...leases,
    dueOf: createDueOf(db),
    ...createSweeps(db),
    isImported: createIsImported(db),
    ...createCounts(db),
  };
}

function createClaim(db: Sqlite, { release }: Pick<ReturnType<typeof createLeases>, "release">) {
  const rows = `select p.id, p.session_id, p.attempts, p.failures, p.created_at_epoch, p.next_try_at_epoch,
       r.payload, r.imported_at_epoch is not null as is_imported, ${turnColumns}
     from pending_messages p
     cross join raw_events r on r.id = p.id
     where p.status = 'pending' and p.session_id = @sessionId`;
  const due = db.prepare<DueRequest & { limit: number }, CandidateRow>(
    `${rows} and ${isDue}
     order by ${inOrder}
     limit @limit`,
  );
  const undrafted = db.prepare<{ sessionId: number; limit: number }, CandidateRow>(
    `${rows} and p.drafted = 0 and r.imported_at_epoch is null
     order by p.id
     limit @limit`,
  );
  const markDrafted = db.prepare<[number]>(
    "update pending_messages set drafted = 1 where id = ? and status = 'pending' and drafted = 0",
  );
  const lease = db.prepare<{ id: number; owner: string; leaseUntil: number }>(
    `update pending_messages
     set status = 'processing', attempts = attempts + 1, lease_owner = @owner, lease_until_epoch = @leaseUntil
     where id = @id`,
  );

  // Row by row: the payloads behind the last one that fits are not read.
  function take({ sessionId, now, limit, limitOfRetry = limit, maxChars }: ClaimRequest): CandidateRow[] {
    let chars = 0;
    return firstOfTurn(due.iterate({ sessionId, now, limit }), (row, first, count) => {
      chars += row.payload.length;
      const isLike =
        row.is_imported === first.is_imported && row.next_try_at_epoch === first.next_try_at_epoch;
      const isRetry = first.failures > 0 || first.attempts >= claimsBeforeAlone;
      return isLike && chars <= maxChars && count < (isRetry ? limitOfRetry : limit);
    });
  }

  // An unreadable payload would hold its session up for ever.
  function readRow({
    payload,
    is_imported: _isImported,
    next_try_at_epoch: _at,
    prompt: _prompt,
    is_end: _isEnd,
    ...row
  }: CandidateRow): ClaimedMessage[] {
    const message = failOpenSync("reading a message", () => JSON.parse(payload) as PendingMessage);
    if (message !== undefined) return [{ ...row, message }];
    release(row.id, { kind: "dead", error: "its payload cannot be read" });
    return [];
  }

  return {
    /**
     * Leases the session's oldest due messages to `owner`: up to the end of their turn, imported ones without live ones.
     * Those that were put back come last, with those that were put back with them.
     */
    claim(request: ClaimRequest): ClaimedMessage[] {
      const { owner, leaseUntil } = request;
      const taken = take(request);
      for (const { id } of taken) lease.run({ id, owner, leaseUntil });
      return taken.flatMap(readRow);
    },
    /** The oldest live messages of one turn without provisional records; nothing is leased. */
    undrafted: (sessionId: number, limit: number) =>
      firstOfTurn(undrafted.iterate({ sessionId, limit }), () => true).flatMap(readRow),
    hasUndrafted: (sessionId: number) => undrafted.get({ sessionId, limit: 1 }) !== undefined,
    /** False when the message was claimed, finished or drafted meanwhile. */
    markDrafted: (id: number) => markDrafted.run(id).changes === 1,
  };
}

/** The rows of the first one's turn, up to one that does not fit; the first comes in any case. */
function firstOfTurn(
  rows: Iterable<CandidateRow>,
  fits: (row: CandidateRow, first: CandidateRow, count: number) => boolean,
): CandidateRow[] {
  const taken: CandidateRow[] = [];
  for (const row of rows) {
    const isFit = fits(row, taken[0] ?? row, taken.length);
    const last = taken.at(-1);
    if (last !== undefined && (isOfNextTurn(last, row) || !isFit)) break;
    taken.push(row);
  }
  return taken;
}

function createLeases(db: Sqlite) {
  const finish = db.prepare<[number, string]>(
    "delete from pending_messages where id = ? and status = 'processing' and lease_owner = ?",
  );
  const release = db.prepare<{
    id: number;
    status: string;
    at: number;
    error: string | null;
    returned: 0 | 1;
    failed: 0 | 1;
  }>(
    `update pending_messages
     set status = @status, next_try_at_epoch = @at, last_error = coalesce(@error, last_error),
       attempts = attempts - @returned, failures = failures + @failed,
       lease_owner = null, lease_until_epoch = null
     where id = @id and status = 'processing'`,
  );
  const reclaim = `update pending_messages
     set status = 'pending', lease_owner = null, lease_until_epoch = null
     where status = 'processing'`;
  const reclaimAll = db.prepare(reclaim);
  const reclaimExpired = db.prepare<[number, string]>(
    `${reclaim} and lease_until_epoch < ? and session_id not in (select value from json_each(?))`,
  );
  return {
    /** Deletes a done message; false when `owner` lost the lease. */
    finish: (id: number, owner: string) => finish.run(id, owner).changes === 1,
    release(id: number, how: Release): void {
      const failed = how.kind === "retry" || how.kind === "dead";
      release.run({
        id,
        status: how.kind === "dead" ? "dead" : "pending",
        at: "at" in how ? how.at : 0,
        error: "error" in how ? how.error : null,
        returned: failed ? 0 : 1,
        failed: failed ? 1 : 0,
      });
    },
    /** At start every lease belongs to a dead instance: releases them all and returns how many. */
    reclaimAll: () => reclaimAll.run().changes,
    /** Releases expired leases, except for running sessions. */
    reclaimExpired: (now: number, inWork: readonly number[]) =>
      reclaimExpired.run(now, JSON.stringify(inWork)).changes,
  };
}

/** Reads at most `limit` due messages of the session; null when none is due. */
function createDueOf(db: Sqlite) {
  const due = db.prepare<
    DueRequest & { limit: number },
    { created_at_epoch: number; next_try_at_epoch: number }
  >(
    `select created_at_epoch, next_try_at_epoch
     from pending_messages p
     where status = 'pending' and session_id = @sessionId and ${isDue}
     order by ${inOrder}
     limit @limit`,
  );
  // Reads every message of the session: asked only when there are few. Of their payloads only the first one's.
  const waiting = `select ${turnColumns}
    from pending_messages p
    cross join raw_events r on r.id = p.id
    where p.status = 'pending' and p.session_id = @sessionId and p.next_try_at_epoch = @nextTry`;
  const isOver = db
    .prepare<{ sessionId: number; nextTry: number }, 0 | 1>(
      `select status = 'completed' or exists (select 1 from (${waiting}) where is_end)
         or (select prompt from (${waiting} order by p.id limit 1)) < newest_prompt
       from sessions
       where id = @sessionId`,
    )
    .pluck();
  return (sessionId: number, now: number, limit: number): WaitingMessages | null => {
    const all = due.all({ sessionId, now, limit });
    const nextTry = all[0]?.next_try_at_epoch;
    if (nextTry === undefined) return null;
    const rows = all.filter((row) => row.next_try_at_epoch === nextTry);
    return {
      count: rows.length,
      newestAt: Math.max(...rows.map((row) => row.created_at_epoch)),
      isOver: nextTry > 0 || (rows.length < limit && isOver.get({ sessionId, nextTry }) === 1),
    };
  };
}

function createSweeps(db: Sqlite) {
  // Walks the index from session to session and stops at the limit: all of 10,000 waiting sessions would take 80 ms. An
  // `order by` would make it walk to the end.
  const sessionsDue = db.prepare<{ now: number }, { session_id: number; oldest: number }>(
    `with recursive waiting (session_id) as (
       select min(session_id) from pending_messages where status = 'pending'
       union all
       select (select min(p.session_id) from pending_messages p
               where p.status = 'pending' and p.session_id > waiting.session_id)
       from waiting
       where waiting.session_id is not null
     )
     select w.session_id,
       (select min(p.id) from pending_messages p where p.status = 'pending' and p.session_id = w.session_id) as oldest
     from waiting w
     where w.session_id is not null
       and exists (
         select 1
         from pending_messages p
         where p.status = 'pending' and p.session_id = w.session_id and ${isDue}
       )
     limit ${sessionsPerSweep}`,
  );
  const nextDue = db.prepare<[number], { next_try_at_epoch: number }>(
    `select next_try_at_epoch
     from pending_messages
     where status = 'pending' and next_try_at_epoch > 0 and next_try_at_epoch > ?
     order by next_try_at_epoch
     limit 1`,
  );
  const oldest = db.prepare<[], { at: number | null }>(
    `select min(at) as at
     from (
       select (
         select created_at_epoch from pending_messages not indexed where status = 'pending' order by id limit 1
       ) as at
       union all
       select min(created_at_epoch) from pending_messages where status = 'processing'
     )`,
  );

  return {
    /** At most 500 sessions with due messages, the longest waiting first. */
    sessionsDue: (now: number) =>
      sessionsDue
        .all({ now })
        .sort((a, b) => a.oldest - b.oldest)
        .map((row) => row.session_id),
    /** Epoch of the next message that becomes due after `now`, or null. */
    nextDue: (now: number) => nextDue.get(now)?.next_try_at_epoch ?? null,
    /** Epoch of the oldest pending or processing message, or null. */
    oldest: () => oldest.get()?.at ?? null,
  };
}

/** Whether the message that `claim` would take first was imported. */
function createIsImported(db: Sqlite) {
  const first = db
    .prepare<DueRequest, 0 | 1>(
      `select r.imported_at_epoch is not null
       from pending_messages p
       cross join raw_events r on r.id = p.id
       where p.status = 'pending' and p.session_id = @sessionId and ${isDue}
       order by ${inOrder}
       limit 1`,
    )
    .pluck();
  return (sessionId: number, now: number) => first.get({ sessionId, now }) === 1;
}

function createCounts(db: Sqlite) {
  const ofSession = db.prepare<{ sessionId: number }, { n: number }>(
    `select
       (select count(*) from pending_messages where status = 'pending' and session_id = @sessionId)
       + (select count(*) from pending_messages where status = 'processing' and session_id = @sessionId) as n`,
  );
  const count = db.prepare<[number, string]>("update message_counts set value = value + ? where name = ?");
  const counted = db.prepare<[], { name: "accepted" | "done" | "skipped"; value: number }>(
    "select name, value from message_counts",
  );
  const states = db.prepare<[], Pick<MessageCounts, "pending" | "processing" | "dead">>(
    `select
       (select count(*) from pending_messages where status = 'pending') as pending,
       (select count(*) from pending_messages where status = 'processing') as processing,
       (select count(*) from pending_messages where status = 'dead') as dead`,
  );
  const readCounts = db.transaction((): MessageCounts => {
    const totals = { accepted: 0, done: 0, skipped: 0 };
    for (const { name, value } of counted.all()) totals[name] = value;
    return { ...totals, ...(states.get() ?? { pending: 0, processing: 0, dead: 0 }) };
  });
  return {
    /** Pending and processing messages of the session. */
    ofSession: (sessionId: number) => ofSession.get({ sessionId })?.n ?? 0,
    count: (name: "accepted" | "done" | "skipped", by: number) => void count.run(by, name),
    counts: () => readCounts(),
  };
}
