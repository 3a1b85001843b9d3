// The queue as the user sees it: lists, retries and drops pending, processing and dead-lettered messages.
import type { QueuedMessage, QueueSelection } from "../../core/records/queue.ts";
import type { Sqlite } from "./open.ts";
import type { PendingMessages } from "./pending-messages.ts";

export interface QueuePageRequest {
  status?: QueuedMessage["status"] | undefined;
  /** Only messages accepted at or after this epoch. */
  since?: number | undefined;
  offset: number;
  limit: number;
}

/** One step through the selection; the next one begins after `last`, null at the end. */
export interface QueueStep {
  /** The session of each changed message. */
  sessions: number[];
  last: number | null;
}

interface StepRequest {
  selection: QueueSelection;
  now: number;
  /** The step begins after this id. */
  after: number;
  limit: number;
}

export interface QueueMessages {
  /** Oldest first, with the total. */
  page(request: QueuePageRequest): { items: QueuedMessage[]; total: number };
  /** Makes dead and waiting messages due now, without their failures. */
  retry(request: StepRequest): QueueStep;
  /** Deletes messages and counts them as skipped; their raw events stay until retention. */
  drop(request: StepRequest): QueueStep;
  /** How many of these ids are processing, free, or not in the queue. */
  standing(ids: readonly number[]): { processing: number; free: number; notFound: number };
  /** Epoch of the first dead message accepted after `since`, or null. */
  firstDeadSince(since: number): number | null;
}

interface StepParameters {
  ids: string | null;
  dead: 0 | 1;
  since: number;
  now: number;
  after: number;
  limit: number;
}

// A message in processing belongs to its lease: no condition here selects it.
const selected = `
  id > @after and created_at_epoch >= @since
  and (@ids is null or id in (select value from json_each(@ids)))`;
const hasFailed = `(
  status = 'dead'
  or (not @dead and status = 'pending' and (failures > 0 or attempts > 0 or next_try_at_epoch > @now))
)`;
const mayGo = "(status = 'dead' or (not @dead and status = 'pending'))";

export function createQueueMessages(db: Sqlite, pending: Pick<PendingMessages, "count">): QueueMessages {
  const retry = db.prepare<StepParameters, { id: number; session_id: number }>(
    `update pending_messages
     set status = 'pending', attempts = 0, failures = 0, last_error = null, next_try_at_epoch = 0
     where id in (
       select id from pending_messages where ${selected} and ${hasFailed} order by id limit @limit
     )
     returning id, session_id`,
  );
  const drop = db.prepare<StepParameters, { id: number; session_id: number }>(
    `delete from pending_messages
     where id in (
       select id from pending_messages where ${selected} and ${mayGo} order by id limit @limit
     )
     returning id, session_id`,
  );
  const standing = db.prepare<[string], { processing: number; found: number }>(
    `select count(*) filter (where status = 'processing') as processing, count(*) as found
     from pending_messages
     where id in (select value from json_each(?))`,
  );
  const firstDead = db.prepare<[number], { created_at_epoch: number }>(
    `select created_at_epoch
     from pending_messages
     where status = 'dead' and created_at_epoch > ?
     order by id
     limit 1`,
  );

  function step(statement: typeof retry, { selection, ...rest }: StepRequest): QueueStep {
    const rows = statement.all({
      ...rest,
      ids: selection.ids === undefined ? null : JSON.stringify(selection.ids),
      dead: selection.failed === true ? 1 : 0,
      since: selection.since ?? 0,
    });
    // `returning` has no order.
    const last = rows.reduce((highest, { id }) => Math.max(highest, id), 0);
    return {
      sessions: rows.map((row) => row.session_id),
      last: rows.length < rest.limit ? null : last,
    };
  }

  return {
    page: createPages(db),
    retry: (request) => step(retry, request),
    drop(request) {
      const done = step(drop, request);
      pending.count("skipped", done.sessions.length);
      return done;
    },
    standing(ids) {
      const unique = [...new Set(ids)];
      const { processing, found } = standing.get(JSON.stringify(unique)) ?? { processing: 0, found: 0 };
      return { processing, free: found - processing, notFound: unique.length - found };
    },
    firstDeadSince: (since) => firstDead.get(since)?.created_at_epoch ?? null,
  };
}

// A dead message may have an invalid payload, so its tool is read only from JSON. The page is cut before the join:
// otherwise the far end of 100,000 messages costs nine times the near end.
function createPages(db: Sqlite): QueueMessages["page"] {
  const where = "(@status is null or status = @status) and created_at_epoch >= @since";
  const rows = db.prepare<PageParameters, QueuedMessage>(
    `select p.id, p.status, s.claude_session_id as session, s.project, r.kind,
       case when json_valid(r.payload) then r.payload ->> '$.tool_name' end as tool_name,
       p.attempts, p.failures, p.last_error, nullif(p.next_try_at_epoch, 0) as next_try_at_epoch,
       p.created_at_epoch
     from (
       select * from pending_messages where ${where} order by id limit @limit offset @offset
     ) p
     cross join raw_events r on r.id = p.id
     cross join sessions s on s.id = p.session_id
     order by p.id`,
  );
  const total = db.prepare<Omit<PageParameters, "limit" | "offset">, { n: number }>(
    `select count(*) as n from pending_messages where ${where}`,
  );
  const read = db.transaction((request: QueuePageRequest) => {
    const filter = { status: request.status ?? null, since: request.since ?? 0 };
    return {
      items: rows.all({ ...filter, limit: request.limit, offset: request.offset }),
      total: total.get(filter)?.n ?? 0,
    };
  });
  return (request) => read(request);
}

interface PageParameters {
  status: string | null;
  since: number;
  limit: number;
  offset: number;
}
