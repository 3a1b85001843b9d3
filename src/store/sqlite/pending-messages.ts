// Pending messages: the durable queue between intake and the generator.

import { failOpenSync } from "../../core/errors.ts";
import type { ClaimedMessage, MessageCounts, PendingMessage } from "../../core/records/messages.ts";
import type { Sqlite } from "./open.ts";

export interface ClaimRequest {
  sessionId: number;
  owner: string;
  now: number;
  leaseUntil: number;
  /** Messages at most. */
  limit: number;
  /** Characters of their payloads at most; one message is given whatever its size. */
  maxChars: number;
}

/** What waits for a session and is due, of the oldest ones that were looked at; retries only where nothing else is. */
export interface DueMessages {
  count: number;
  oldestAt: number;
  /** A summary is wanted; not looked for when as many wait as were asked for. */
  hasSummarize: boolean;
  /** Each is tried alone. */
  isRetry: boolean;
}

export interface PendingMessages {
  enqueue(rawEventId: number, sessionId: number, now: number): void;
  /**
   * Leases the session's oldest due messages to `owner`; where there are none but retries, the one that has waited
   * longest for its turn. A summary waits for the retries that were before it, and is the last that is leased.
   */
  claim(request: ClaimRequest): ClaimedMessage[];
  /** Removes a finished message; false when the lease is not `owner`'s any more. */
  finish(id: number, owner: string): boolean;
  /** Puts a message that failed back, to be tried alone at `nextTry`. */
  retryAt(id: number, nextTry: number, lastError: string): void;
  /** Gives a message back that did not fail itself: nothing counts, but it is not tried before `nextTry`. */
  postpone(id: number, nextTry: number, lastError: string): void;
  /** Gives a message back as if it had not been claimed: its attempt does not count. */
  giveBack(id: number): void;
  bury(id: number, lastError: string): void;
  /** At start every lease belongs to a dead instance: all back to pending. Returns how many. */
  reclaimAll(): number;
  /** Gives back what was claimed and neither finished nor released in time, but for the sessions in work. */
  reclaimExpired(now: number, sessionsInWork: readonly number[]): number;
  /** The oldest due messages of the session, `limit` at most; null when none is due. */
  dueOf(sessionId: number, now: number, limit: number): DueMessages | null;
  /** Sessions with messages that are due at `now`, the longest waiting first; at most 500 of them. */
  sessionsDue(now: number): number[];
  /** Epoch of the next message that becomes due after `now`, or null. */
  nextDue(now: number): number | null;
  /** Epoch of the oldest message that is not finished and not dead, or null. */
  oldest(): number | null;
  /** Messages of the session that wait or are being worked on. */
  ofSession(sessionId: number): number;
  count(name: "accepted" | "done" | "skipped", by: number): void;
  counts(): MessageCounts;
}

interface CandidateRow {
  id: number;
  session_id: number;
  attempts: number;
  failures: number;
  created_at_epoch: number;
  next_try_at_epoch: number;
  kind: string;
  payload: string;
}

// A next try further away than any delay was set before the clock was put back: it is due now.
const longestDelayMs = 10 * 60_000;
const isDue = `(next_try_at_epoch <= @now or next_try_at_epoch > @now + ${longestDelayMs})`;

// Sessions that are looked at in one go; the newest of more wait until these are done.
const sessionsAtOnce = 500;

// A message that the worker died on this often is suspected of it, and tried alone like one that failed.
const claimsBeforeAlone = 3;

// A message that failed before is tried alone, so that it cannot take its neighbours down with it, and after them, so
// that it cannot hold them up.
const isRetry = `(failures > 0 or attempts >= ${claimsBeforeAlone})`;

interface DueRequest {
  sessionId: number;
  now: number;
}

export function createPendingMessages(db: Sqlite): PendingMessages {
  const enqueue = db.prepare<[number, number, number]>(
    "insert into pending_messages (id, session_id, created_at_epoch) values (?, ?, ?)",
  );
  const fresh = db.prepare<DueRequest & { limit: number }, CandidateRow>(
    `select p.id, p.session_id, p.attempts, p.failures, p.created_at_epoch, p.next_try_at_epoch, r.kind, r.payload
     from pending_messages p
     cross join raw_events r on r.id = p.id
     where p.status = 'pending' and p.session_id = @sessionId and ${isDue} and not ${isRetry}
     order by p.id
     limit @limit`,
  );
  // In turn: what was put back goes behind those that were not tried since.
  const nextRetry = db.prepare<DueRequest, CandidateRow>(
    `select p.id, p.session_id, p.attempts, p.failures, p.created_at_epoch, p.next_try_at_epoch, r.kind, r.payload
     from pending_messages p
     cross join raw_events r on r.id = p.id
     where p.status = 'pending' and p.session_id = @sessionId and ${isDue} and ${isRetry}
     order by p.next_try_at_epoch, p.id
     limit 1`,
  );
  const retryBefore = db.prepare<DueRequest & { id: number; since: number }, { found: 0 | 1 }>(
    `select exists (
       select 1
       from pending_messages
       where status = 'pending' and session_id = @sessionId and id < @id and ${isDue} and ${isRetry}
         and (@since = 0 or next_try_at_epoch <= @since)
     ) as found`,
  );
  const letWaitSince = db.prepare<{ id: number; now: number }>(
    "update pending_messages set next_try_at_epoch = @now where id = @id and next_try_at_epoch = 0",
  );
  const lease = db.prepare<{ id: number; owner: string; leaseUntil: number }>(
    `update pending_messages
     set status = 'processing', attempts = attempts + 1, lease_owner = @owner, lease_until_epoch = @leaseUntil
     where id = @id`,
  );
  const firstDue = db.prepare<DueRequest & { retries: 0 | 1; limit: number }, { created_at_epoch: number }>(
    `select created_at_epoch
     from pending_messages
     where status = 'pending' and session_id = @sessionId and ${isDue} and ${isRetry} = @retries
     order by id
     limit @limit`,
  );
  // Looks into every message of the session; asked only of those with a few.
  const hasSummarize = db.prepare<DueRequest, { found: 0 | 1 }>(
    `select exists (
       select 1
       from pending_messages p
       cross join raw_events r on r.id = p.id
       where p.status = 'pending' and p.session_id = @sessionId and ${isDue} and r.kind = 'summarize'
     ) as found`,
  );
  const finish = db.prepare<[number, string]>(
    "delete from pending_messages where id = ? and status = 'processing' and lease_owner = ?",
  );
  const leave = db.prepare<{
    id: number;
    status: string;
    nextTry: number;
    lastError: string | null;
    claimsBack: number;
    failed: number;
  }>(
    `update pending_messages
     set status = @status, next_try_at_epoch = @nextTry, last_error = coalesce(@lastError, last_error),
       attempts = attempts - @claimsBack, failures = failures + @failed,
       lease_owner = null, lease_until_epoch = null
     where id = @id and status = 'processing'`,
  );
  const reclaimAll = db.prepare(
    `update pending_messages
     set status = 'pending', lease_owner = null, lease_until_epoch = null
     where status = 'processing'`,
  );
  const reclaimExpired = db.prepare<[number, string]>(
    `update pending_messages
     set status = 'pending', lease_owner = null, lease_until_epoch = null
     where status = 'processing' and lease_until_epoch < ? and session_id not in (select value from json_each(?))`,
  );
  // Goes from session to session by the index instead of over every waiting message, and stops when it has enough: with
  // 10,000 sessions waiting it would take 80 ms for all of them. An `order by` would make it go to the end.
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
     limit ${sessionsAtOnce}`,
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

  function release(
    id: number,
    status: "pending" | "dead",
    change: Partial<Parameters<typeof leave.run>[0]>,
  ): void {
    leave.run({ nextTry: 0, lastError: null, claimsBack: 0, failed: 0, ...change, id, status });
  }

  // Rows are read one by one: a payload behind the last one that fits is not read at all.
  function takeFresh({ sessionId, now, limit, maxChars }: ClaimRequest): CandidateRow[] {
    const rows: CandidateRow[] = [];
    const waiting: number[] = [];
    let chars = 0;
    for (const row of fresh.iterate({ sessionId, now, limit })) {
      if (row.kind === "summarize" && waitsForRetry(row, now)) {
        waiting.push(row.id);
        continue;
      }
      chars += row.payload.length;
      if (rows.length > 0 && chars > maxChars) break;
      rows.push(row);
      // The next turn's titles begin behind this summary.
      if (row.kind === "summarize") break;
    }
    for (const id of waiting) letWaitSince.run({ id, now });
    return rows;
  }

  // Those that were tried since it began to wait went before it: it has its turn among them.
  function waitsForRetry({ id, session_id, next_try_at_epoch }: CandidateRow, now: number): boolean {
    const request = { sessionId: session_id, now, id, since: next_try_at_epoch };
    return retryBefore.get(request)?.found === 1;
  }

  function takeRetry({ sessionId, now }: ClaimRequest): CandidateRow[] {
    const row = nextRetry.get({ sessionId, now });
    return row === undefined ? [] : [row];
  }

  // A payload that cannot be read would hold its session up for ever.
  function readClaimed({ payload, kind, next_try_at_epoch, ...row }: CandidateRow): ClaimedMessage[] {
    const message = failOpenSync("reading a message", () => JSON.parse(payload) as PendingMessage);
    if (message !== undefined) return [{ ...row, message }];
    release(row.id, "dead", { lastError: "its payload cannot be read" });
    return [];
  }

  return {
    enqueue: (rawEventId, sessionId, now) => void enqueue.run(rawEventId, sessionId, now),
    claim(request) {
      const { owner, leaseUntil } = request;
      const rows = takeFresh(request);
      if (rows.length === 0) rows.push(...takeRetry(request));
      for (const { id } of rows) lease.run({ id, owner, leaseUntil });
      return rows.flatMap(readClaimed);
    },
    finish: (id, owner) => finish.run(id, owner).changes === 1,
    retryAt: (id, nextTry, lastError) => release(id, "pending", { nextTry, lastError, failed: 1 }),
    postpone: (id, nextTry, lastError) => release(id, "pending", { nextTry, lastError, claimsBack: 1 }),
    giveBack: (id) => release(id, "pending", { claimsBack: 1 }),
    bury: (id, lastError) => release(id, "dead", { lastError, failed: 1 }),
    reclaimAll: () => reclaimAll.run().changes,
    reclaimExpired: (now, inWork) => reclaimExpired.run(now, JSON.stringify(inWork)).changes,
    dueOf(sessionId, now, limit) {
      const ofKind = (retries: 0 | 1) => firstDue.all({ sessionId, now, limit, retries });
      const first = ofKind(0);
      const rows = first.length === 0 ? ofKind(1) : first;
      const [oldest] = rows;
      if (oldest === undefined) return null;
      return {
        count: rows.length,
        oldestAt: oldest.created_at_epoch,
        hasSummarize: rows.length < limit && hasSummarize.get({ sessionId, now })?.found === 1,
        isRetry: first.length === 0,
      };
    },
    sessionsDue: (now) =>
      sessionsDue
        .all({ now })
        .sort((a, b) => a.oldest - b.oldest)
        .map((row) => row.session_id),
    nextDue: (now) => nextDue.get(now)?.next_try_at_epoch ?? null,
    oldest: () => oldest.get()?.at ?? null,
    ofSession: (sessionId) => ofSession.get({ sessionId })?.n ?? 0,
    count: (name, by) => void count.run(by, name),
    counts: () => readCounts(),
  };
}
