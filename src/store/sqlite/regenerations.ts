// The durable list of raw events to regenerate: filled once, worked through batch by batch.
import { setImmediate } from "node:timers/promises";
import { failOpenSync } from "../../core/errors.ts";
import type { ClaimedMessage, PendingMessage } from "../../core/records/messages.ts";
import type { Observation, Session, SessionSummary } from "../../core/records/records.ts";
import type { RegenerationRequest, RegenerationSize } from "../../core/records/regeneration.ts";
import { batchOf, type ClaimedBatch, type SettledReply, settle } from "./generation-queue.ts";
import type { GroupCommit } from "./group-commit.ts";
import type { KnownThings } from "./known-things.ts";
import type { Observations } from "./observations.ts";
import type { Sqlite } from "./open.ts";
import type { Prompts } from "./prompts.ts";
import type { createRecordWriter, DeletedRecord } from "./record-writer.ts";
import { createRegenerationSelection, type ListedEvent } from "./regeneration-selection.ts";
import type { Sessions } from "./sessions.ts";
import { joinedSources, type Replaceable, type SharedSources } from "./shared-sources.ts";
import type { Statements } from "./statements.ts";
import type { StoredTurn, Turns } from "./turns.ts";

export interface ReplacedRecords {
  /** Changed and new ones, as they are now. */
  observations: Observation[];
  summaries: SessionSummary[];
  /** Older observations that the reply supersedes or makes routine. */
  changed?: Observation[];
  /** Records that no draft took over. */
  deleted: readonly DeletedRecord[];
}

export interface Regenerations {
  /** Lists the events of the request, failed ones again; resolves with the number that wait. */
  select(request: RegenerationRequest): Promise<number>;
  /** Counts the list and what the request would add to it; calls `visit` with the batches, in another order. */
  measure(request: RegenerationRequest | null, visit: Visit): Promise<RegenerationSize>;
  /** The next turn, or a part of it, of the newest session first; null at the end of the list. */
  next(maxMessages: number): Promise<ClaimedBatch | null>;
  /** True while every message, event and title of the batch exists. */
  isCurrent(batch: ClaimedBatch): boolean;
  /**
   * Replaces the records and takes the batch off the list, in one transaction. Null when the batch is not current any
   * more: nothing is stored, and what exists stays listed.
   */
  complete(batch: ClaimedBatch, reply: SettledReply): Promise<ReplacedRecords | null>;
  /** Counts a failure of the batch; its records stay. */
  fail(batch: ClaimedBatch, error: string): Promise<void>;
  /** Empties the list; resolves with the number of events that were on it. */
  drop(): Promise<number>;
  counts(): { left: number; failed: number };
}

interface Visit {
  maxMessages: number;
  each(batch: ClaimedBatch): void;
}

/** Failures after which an event is not tried again: its records stay. */
const maxFailures = 3;

interface Parts extends GroupCommit {
  sessions: Sessions;
  observations: Observations;
  prompts: Pick<Prompts, "byNumber">;
  sharing: SharedSources;
  known: KnownThings;
  turns: Turns;
  statements: Pick<Statements, "markSettled" | "supersedeReplaced" | "weighProposals">;
  writeRecords: ReturnType<typeof createRecordWriter>;
}

export function createRegenerations(db: Sqlite, parts: Parts): Regenerations {
  const { commit, sessions } = parts;
  const rows = createRows(db);
  const selection = createRegenerationSelection(db, { commit, maxFailures });
  const { sharing } = parts;
  const isCurrent = createStanding(db);

  function nextBatch(maxMessages: number): ClaimedBatch | null {
    for (;;) {
      const next = nextSession(rows, sessions);
      if (next === null) return null;
      const ids = nextIds(rows, sharing, { ...next, maxMessages });
      const messages = rows.messages.all({ ids: JSON.stringify(ids) }).flatMap(readMessage);
      const whole = withoutBroken(ids, messages, sharing(next.session, ids));
      for (const id of ids) if (!whole.has(id)) rows.finish.run(id);
      if (whole.size > 0) return batchOf(parts, next.session, [...whole.values()]);
    }
  }

  /** Reads each turn in a separate step, so that intake gets in between. */
  async function measure(request: RegenerationRequest | null, { maxMessages, each }: Visit) {
    const { sessions: found, ...counted } = await selection.measure(request);
    let messages = 0;
    for (const [id, events] of found) {
      const session = sessions.byId(id);
      messages += events.size;
      const ordered = [...events.values()].sort((a, b) => a.id - b.id);
      for (const turn of session === undefined ? [] : partsOfTurns(ordered, maxMessages)) {
        const read = rows.events.all({ ids: JSON.stringify(turn) }).flatMap(readMessage);
        if (session !== undefined && read.length > 0) each(batchOf(parts, session, read));
        await setImmediate();
      }
    }
    return { ...counted, sessions: found.size, messages };
  }

  function complete(batch: ClaimedBatch, reply: SettledReply): ReplacedRecords | null {
    if (!isCurrent(batch)) return null;
    // Events dropped from the list during the call are not replaced.
    const waiting = batch.messages.filter(({ id }) => rows.finish.run(id).changes === 1);
    const ids = batch.messages.map(({ id }) => id);
    const around = sharing(batch.session, ids);
    const held = withoutBroken(ids, waiting, around);
    const old = around.filter(({ sources }) => sources.every((id) => held.has(id)));
    const session = sessions.byId(batch.session.id) ?? batch.session;
    const written = parts.writeRecords({ session, held, old, reply });
    return {
      ...settle({ ...parts.statements, known: parts.known }, written, reply),
      summaries: written.summaries,
      deleted: written.deleted,
    };
  }

  function counts(): { left: number; failed: number } {
    const { all, failed } = rows.counts.get() ?? { all: 0, failed: 0 };
    return { left: all - failed, failed };
  }

  return {
    async select(request) {
      await selection.add(request);
      return counts().left;
    },
    measure,
    next: (maxMessages) => commit(() => nextBatch(maxMessages)),
    isCurrent,
    complete: (batch, reply) => commit(() => complete(batch, reply)),
    fail: (batch, error) =>
      commit(() => {
        for (const { id } of batch.messages) rows.fail.run(error, id);
      }),
    drop: () => commit(() => rows.drop.run().changes),
    counts,
  };
}

type ListedRow = Omit<ClaimedMessage, "message" | "attempts"> & { payload: string };

function createRows(db: Sqlite) {
  return {
    newest: db.prepare<[number], { session_id: number }>(
      `select session_id
       from regenerations
       where failures = ?
       order by raw_event_id desc
       limit 1`,
    ),
    ofSession: db.prepare<{ sessionId: number; failures: number; limit: number }, ListedEvent>(
      `select g.raw_event_id as id, r.kind
       from regenerations g
       left join raw_events r on r.id = g.raw_event_id
       where g.session_id = @sessionId and g.failures = @failures
       order by g.raw_event_id
       limit @limit`,
    ),
    messages: db.prepare<{ ids: string }, ListedRow>(
      `select r.id, r.session_id, g.failures, r.created_at_epoch, r.payload
       from json_each(@ids) i
       cross join regenerations g on g.raw_event_id = i.value
       cross join raw_events r on r.id = g.raw_event_id
       order by r.id`,
    ),
    events: db.prepare<{ ids: string }, ListedRow>(
      `select r.id, r.session_id, 0 as failures, r.created_at_epoch, r.payload
       from json_each(@ids) i
       cross join raw_events r on r.id = i.value
       order by r.id`,
    ),
    finish: db.prepare<[number]>("delete from regenerations where raw_event_id = ?"),
    fail: db.prepare<[string, number]>(
      "update regenerations set failures = failures + 1, last_error = ? where raw_event_id = ?",
    ),
    drop: db.prepare("delete from regenerations"),
    counts: db.prepare<[], { all: number; failed: number }>(
      `select count(*) as "all", coalesce(sum(failures >= ${maxFailures}), 0) as failed
       from regenerations`,
    ),
  };
}

type Rows = ReturnType<typeof createRows>;

// Events that failed come after all others.
function nextSession(rows: Rows, sessions: Sessions): { session: Session; failures: number } | null {
  for (let failures = 0; failures < maxFailures; failures += 1) {
    const row = rows.newest.get(failures);
    const session = row === undefined ? undefined : sessions.byId(row.session_id);
    if (session !== undefined) return { session, failures };
  }
  return null;
}

/** Whole groups of joined events, up to the end of a turn; the first group comes even when it is too large. */
function nextIds(
  rows: Rows,
  sharing: SharedSources,
  { session, failures, maxMessages }: { session: Session; failures: number; maxMessages: number },
): number[] {
  const ids = new Set<number>();
  for (const { id, kind } of rows.ofSession.all({ sessionId: session.id, failures, limit: maxMessages })) {
    if (ids.has(id)) continue;
    const group = joinedSources([id], sharing(session, [id]));
    if (ids.size > 0 && ids.size + group.length > maxMessages) break;
    for (const member of group) ids.add(member);
    if (kind === "summarize") break;
  }
  return [...ids].sort((a, b) => a - b);
}

/** The ids that `nextIds` gives for events that no record joins. */
function partsOfTurns(events: readonly ListedEvent[], maxMessages: number): number[][] {
  const turns: number[][] = [];
  let isOver = true;
  for (const { id, kind } of events) {
    if (isOver || turns.at(-1)?.length === maxMessages) turns.push([]);
    turns.at(-1)?.push(id);
    isOver = kind === "summarize";
  }
  return turns;
}

// An unreadable payload counts as deleted.
function readMessage({ payload, ...row }: ListedRow): ClaimedMessage[] {
  const message = failOpenSync("reading a raw event", () => JSON.parse(payload) as PendingMessage);
  return message === undefined ? [] : [{ ...row, attempts: 0, message }];
}

// An observation with a missing source keeps its place, so what it shares sources with must not be written again.
function withoutBroken(
  ids: readonly number[],
  messages: readonly ClaimedMessage[],
  old: readonly Replaceable[],
): Map<number, ClaimedMessage> {
  const found = new Map(messages.map((message) => [message.id, message]));
  const missing = ids.filter((id) => !found.has(id));
  for (const id of joinedSources(missing, old)) found.delete(id);
  return found;
}

interface Shown {
  session: { id: number; sdk_session_id: string; user_prompt: string };
  messages: readonly { id: number }[];
  recentTitles: readonly string[];
  turns: ReadonlyMap<number, Pick<StoredTurn, "shown" | "prompts" | "previous">>;
}

/**
 * True while every message, event, title and prompt of `shown` exists as it was; checked before a call and when its
 * answer is stored.
 */
function createStanding(db: Sqlite): (shown: Shown) => boolean {
  const goneMessage = db.prepare<{ ids: string }, { id: number }>(
    `select i.value as id
     from json_each(@ids) i
     where not exists (select 1 from raw_events r where r.id = i.value)
     limit 1`,
  );
  const goneTitle = db.prepare<{ titles: string; sdk: string }, { title: string }>(
    `select t.value as title
     from json_each(@titles) t
     where t.value not in (select title from observations where sdk_session_id = @sdk)
     limit 1`,
  );

  const first = db.prepare<[number], string>("select user_prompt from sessions where id = ?").pluck();
  const gonePrompt = db.prepare<{ prompts: string; session: number; ids: string }, { text: string }>(
    `select p.value as text
     from json_each(@prompts) p
     where p.value not in (select prompt_text from user_prompts where session_id = @session and private = 0)
       and not exists (
         select 1
         from json_each(@ids) i
         cross join raw_events r on r.id = i.value
         where r.kind = 'summarize'
           and case when json_valid(r.payload) then r.payload ->> '$.last_user_message' = p.value end)
     limit 1`,
  );

  return ({ session: { id: session, sdk_session_id: sdk, user_prompt }, messages, recentTitles, turns }) => {
    const ofTurns = [...turns.values()];
    const ids = JSON.stringify([...messages.map(({ id }) => id), ...ofTurns.flatMap(({ shown }) => shown)]);
    const said = ofTurns.flatMap(({ prompts = [], previous }) => [...prompts, previous?.prompt ?? ""]);
    const prompts = JSON.stringify(said.filter((text) => text !== ""));
    return (
      goneMessage.get({ ids }) === undefined &&
      goneTitle.get({ titles: JSON.stringify(recentTitles), sdk }) === undefined &&
      first.get(session) === user_prompt &&
      gonePrompt.get({ prompts, session, ids }) === undefined
    );
  };
}
