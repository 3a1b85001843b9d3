// The durable list of raw events to regenerate: filled once, worked through batch by batch.
import { setImmediate } from "node:timers/promises";
import { failOpenSync } from "../../core/errors.ts";
import type { Made, SettledReply } from "../../core/records/drafts.ts";
import type { ClaimedMessage, PendingMessage } from "../../core/records/messages.ts";
import type { Session } from "../../core/records/records.ts";
import type { RegenerationRequest, RegenerationSize } from "../../core/records/regeneration.ts";
import { batchOf, type ClaimedBatch, settle } from "./generation-queue.ts";
import type { GroupCommit } from "./group-commit.ts";
import type { KnownThings } from "./known-things.ts";
import type { Observations } from "./observations.ts";
import type { Sqlite } from "./open.ts";
import type { Prompts } from "./prompts.ts";
import type { createRecordWriter } from "./record-writer.ts";
import { createRegenerationSelection, type ListedEvent } from "./regeneration-selection.ts";
import type { Sessions } from "./sessions.ts";
import { joinedSources, type Replaceable, type SharedSources } from "./shared-sources.ts";
import type { Statements } from "./statements.ts";
import { isOfNextTurn, type Turns, turnColumns } from "./turns.ts";

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

export function createRegenerations(db: Sqlite, parts: Parts) {
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

  function complete(batch: ClaimedBatch, reply: SettledReply): Made | null {
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
    /** Lists the events of the request, failed ones again; resolves with the number that wait. */
    async select(request: RegenerationRequest): Promise<number> {
      await selection.add(request);
      return counts().left;
    },
    /** Counts the list and what the request would add to it; calls `visit` with the batches, in another order. */
    async measure(request: RegenerationRequest | null, visit: Visit): Promise<RegenerationSize> {
      const { sessions: found, ...counted } = await selection.measure(request);
      const messages = await visitTurns({ parts, rows, found }, visit);
      return { ...counted, sessions: found.size, messages };
    },
    /** The next turn, or a part of it, of the newest session first; null at the end of the list. */
    next: (maxMessages: number) => commit(() => nextBatch(maxMessages)),
    /** True while every message, event and title of the batch exists. */
    isCurrent,
    /**
     * Replaces the records and takes the batch off the list, in one transaction. Null when the batch is not current any
     * more: nothing is stored, and what exists stays listed.
     */
    complete: (batch: ClaimedBatch, reply: SettledReply) => commit(() => complete(batch, reply)),
    /** Counts a failure of the batch; its records stay. */
    fail: (batch: ClaimedBatch, error: string) =>
      commit(() => {
        for (const { id } of batch.messages) rows.fail.run(error, id);
      }),
    /** Empties the list; resolves with the number of events that were on it. */
    drop: () => commit(() => rows.drop.run().changes),
    counts,
  };
}

interface Found {
  parts: Parts;
  rows: Rows;
  /** The events of each session, by their ids. */
  found: ReadonlyMap<number, ReadonlyMap<number, ListedEvent>>;
}

/** Reads each turn in a separate step, so that intake gets in between. Resolves with the number of events. */
async function visitTurns({ parts, rows, found }: Found, { maxMessages, each }: Visit): Promise<number> {
  let messages = 0;
  for (const [id, events] of found) {
    const session = parts.sessions.byId(id);
    messages += events.size;
    const ordered = [...events.values()].sort((a, b) => a.id - b.id);
    for (const turn of session === undefined ? [] : partsOfTurns(ordered, maxMessages)) {
      const read = rows.events.all({ ids: JSON.stringify(turn) }).flatMap(readMessage);
      if (session !== undefined && read.length > 0) each(batchOf(parts, session, read));
      await setImmediate();
    }
  }
  return messages;
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
      `select g.raw_event_id as id, ${turnColumns}
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
  const listed = rows.ofSession.all({ sessionId: session.id, failures, limit: maxMessages });
  const [turn = []] = partsOfTurns(listed, maxMessages);
  for (const id of turn) {
    if (ids.has(id)) continue;
    const group = joinedSources([id], sharing(session, [id]));
    if (ids.size > 0 && ids.size + group.length > maxMessages) break;
    for (const member of group) ids.add(member);
  }
  return [...ids].sort((a, b) => a - b);
}

/** The ids that `nextIds` gives for events that no record joins. */
function partsOfTurns(events: readonly ListedEvent[], maxMessages: number): number[][] {
  const turns: number[][] = [];
  let before: ListedEvent | undefined;
  for (const event of events) {
    const isNext = before === undefined || isOfNextTurn(before, event);
    if (isNext || turns.at(-1)?.length === maxMessages) turns.push([]);
    turns.at(-1)?.push(event.id);
    before = event;
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

/**
 * True while every message, event, title and prompt of `shown` exists as it was; checked before a call and when its
 * answer is stored.
 */
function createStanding(db: Sqlite): (shown: ClaimedBatch) => boolean {
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

  return ({ session: { id: session, sdk_session_id: sdk, user_prompt }, messages, recentTitles, turn }) => {
    const ids = JSON.stringify([...messages.map(({ id }) => id), ...(turn?.shown ?? [])]);
    const said = [...(turn?.prompts ?? []), turn?.previous?.prompt ?? ""];
    const prompts = JSON.stringify(said.filter((text) => text !== ""));
    return (
      goneMessage.get({ ids }) === undefined &&
      goneTitle.get({ titles: JSON.stringify(recentTitles), sdk }) === undefined &&
      first.get(session) === user_prompt &&
      gonePrompt.get({ prompts, session, ids }) === undefined
    );
  };
}
