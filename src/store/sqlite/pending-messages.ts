// Pending messages: the durable queue between intake and generation.

import { failOpenSync } from "../../core/errors.ts";
import type { ClaimedMessage, MessageCounts, PendingMessage } from "../../core/records/messages.ts";
import type { Release } from "../../core/records/queue.ts";
import type { Sqlite } from "./open.ts";

export interface ClaimRequest {
  sessionId: number;
  owner: string;
  now: number;
  leaseUntil: number;
  /** Messages at most. */
  limit: number;
  /** Payload characters at most; a longer message goes alone. */
  maxChars: number;
}

/** The oldest due messages of a session; retries only where nothing else is due. */
export interface DueMessages {
  count: number;
  oldestAt: number;
  /** Not looked up when the count reaches the limit. */
  hasSummarize: boolean;
  /** Retries, each tried alone. */
  isRetry: boolean;
}

export interface PendingMessages {
  enqueue(rawEventId: number, sessionId: number, now: number): void;
  /**
   * Leases the session's oldest due messages to `owner`; where only retries are due, the one that has waited longest. A
   * summary waits for the retries before it and ends the batch. Imported messages go without live ones.
   */
  claim(request: ClaimRequest): ClaimedMessage[];
  /** Deletes a done message; false when `owner` lost the lease. */
  finish(id: number, owner: string): boolean;
  release(id: number, release: Release): void;
  /** At start every lease belongs to a dead instance: releases them all and returns how many. */
  reclaimAll(): number;
  /** Releases expired leases, except for running sessions. */
  reclaimExpired(now: number, sessionsInWork: readonly number[]): number;
  /** Reads at most `limit` due messages of the session; null when none is due. */
  dueOf(sessionId: number, now: number, limit: number): DueMessages | null;
  /** Whether the message that `claim` would take first was imported. */
  isImported(sessionId: number, now: number): boolean;
  /** At most 500 sessions with due messages, the longest waiting first. */
  sessionsDue(now: number): number[];
  /** Epoch of the next message that becomes due after `now`, or null. */
  nextDue(now: number): number | null;
  /** Epoch of the oldest pending or processing message, or null. */
  oldest(): number | null;
  /** Pending and processing messages of the session. */
  ofSession(sessionId: number): number;
  count(name: "accepted" | "done" | "skipped", by: number): void;
  counts(): MessageCounts;
}

interface CandidateRow extends Omit<ClaimedMessage, "message"> {
  next_try_at_epoch: number;
  kind: string;
  payload: string;
  is_imported: 0 | 1;
}

// A next try further away than any delay was set before the clock was put back: it is due now.
const longestDelayMs = 10 * 60_000;
const isDue = `(next_try_at_epoch <= @now or next_try_at_epoch > @now + ${longestDelayMs})`;

const sessionsPerSweep = 500;

// A message that the worker died on this often is tried alone, like one that failed.
const claimsBeforeAlone = 3;

// Retries are tried alone, so that their neighbors do not fail with them, and last, so that they hold nothing up.
const isRetry = `(failures > 0 or attempts >= ${claimsBeforeAlone})`;

interface DueRequest {
  sessionId: number;
  now: number;
}

export function createPendingMessages(db: Sqlite): PendingMessages {
  const enqueue = db.prepare<[number, number, number]>(
    "insert into pending_messages (id, session_id, created_at_epoch) values (?, ?, ?)",
  );
  const leases = createLeases(db);
  const claim = createClaim(db, leases);
  return {
    enqueue: (rawEventId, sessionId, now) => void enqueue.run(rawEventId, sessionId, now),
    claim,
    ...leases,
    ...createDue(db),
    isImported: createIsImported(db),
    ...createCounts(db),
  };
}

function createClaim(db: Sqlite, { release }: Pick<PendingMessages, "release">): PendingMessages["claim"] {
  const candidates = `select p.id, p.session_id, p.attempts, p.failures, p.created_at_epoch, p.next_try_at_epoch,
       r.kind, r.payload, r.imported_at_epoch is not null as is_imported
     from pending_messages p
     cross join raw_events r on r.id = p.id
     where p.status = 'pending' and p.session_id = @sessionId and ${isDue}`;
  const fresh = db.prepare<DueRequest & { limit: number }, CandidateRow>(
    `${candidates} and not ${isRetry}
     order by p.id
     limit @limit`,
  );
  // A retry that was put back goes behind those that were not tried since.
  const nextRetry = db.prepare<DueRequest, CandidateRow>(
    `${candidates} and ${isRetry}
     order by p.next_try_at_epoch, p.id
     limit 1`,
  );
  // Retries that were tried since the summary began to wait do not hold it up again.
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

  // Row by row: the payloads behind the last one that fits are not read.
  function takeFresh({ sessionId, now, limit, maxChars }: ClaimRequest): CandidateRow[] {
    const rows: CandidateRow[] = [];
    const waiting: number[] = [];
    let chars = 0;
    for (const row of fresh.iterate({ sessionId, now, limit })) {
      const isSummary = row.kind === "summarize";
      const { id, next_try_at_epoch: since } = row;
      if (isSummary && retryBefore.get({ sessionId, now, id, since })?.found === 1) {
        waiting.push(id);
        continue;
      }
      chars += row.payload.length;
      if (rows.length > 0 && (chars > maxChars || row.is_imported !== rows[0]?.is_imported)) break;
      rows.push(row);
      // The next turn's titles begin behind this summary.
      if (isSummary) break;
    }
    for (const id of waiting) letWaitSince.run({ id, now });
    return rows;
  }

  // An unreadable payload would hold its session up for ever.
  function readClaimed({
    payload,
    kind,
    next_try_at_epoch,
    is_imported,
    ...row
  }: CandidateRow): ClaimedMessage[] {
    const message = failOpenSync("reading a message", () => JSON.parse(payload) as PendingMessage);
    if (message !== undefined) return [{ ...row, message }];
    release(row.id, { kind: "dead", error: "its payload cannot be read" });
    return [];
  }

  return (request) => {
    const { sessionId, now, owner, leaseUntil } = request;
    let rows = takeFresh(request);
    if (rows.length === 0) rows = nextRetry.all({ sessionId, now });
    for (const { id } of rows) lease.run({ id, owner, leaseUntil });
    return rows.flatMap(readClaimed);
  };
}

function createLeases(
  db: Sqlite,
): Pick<PendingMessages, "finish" | "release" | "reclaimAll" | "reclaimExpired"> {
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
    finish: (id, owner) => finish.run(id, owner).changes === 1,
    release(id, how) {
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
    reclaimAll: () => reclaimAll.run().changes,
    reclaimExpired: (now, inWork) => reclaimExpired.run(now, JSON.stringify(inWork)).changes,
  };
}

function createDue(db: Sqlite): Pick<PendingMessages, "dueOf" | "sessionsDue" | "nextDue" | "oldest"> {
  const firstDue = db.prepare<DueRequest & { retries: 0 | 1; limit: number }, { created_at_epoch: number }>(
    `select created_at_epoch
     from pending_messages
     where status = 'pending' and session_id = @sessionId and ${isDue} and ${isRetry} = @retries
     order by id
     limit @limit`,
  );
  // Reads every message of the session: asked only when there are few.
  const hasSummarize = db.prepare<DueRequest, { found: 0 | 1 }>(
    `select exists (
       select 1
       from pending_messages p
       cross join raw_events r on r.id = p.id
       where p.status = 'pending' and p.session_id = @sessionId and ${isDue} and r.kind = 'summarize'
     ) as found`,
  );
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
  };
}

function createIsImported(db: Sqlite): PendingMessages["isImported"] {
  const first = db.prepare<DueRequest & { retries: 0 | 1 }, { is_imported: 0 | 1 }>(
    `select r.imported_at_epoch is not null as is_imported
     from pending_messages p
     cross join raw_events r on r.id = p.id
     where p.status = 'pending' and p.session_id = @sessionId and ${isDue} and ${isRetry} = @retries
     order by p.id
     limit 1`,
  );
  return (sessionId, now) => {
    const next = (retries: 0 | 1) => first.get({ sessionId, now, retries });
    return (next(0) ?? next(1))?.is_imported === 1;
  };
}

function createCounts(db: Sqlite): Pick<PendingMessages, "ofSession" | "count" | "counts"> {
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
    ofSession: (sessionId) => ofSession.get({ sessionId })?.n ?? 0,
    count: (name, by) => void count.run(by, name),
    counts: () => readCounts(),
  };
}
