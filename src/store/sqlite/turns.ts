// The turn that a summarize message ends: its prompts, closing message, previous turn and tool uses.
import { failOpenSync } from "../../core/errors.ts";
import { type ClaimedMessage, endsTurn as isEnd, type PendingMessage } from "../../core/records/messages.ts";
import type { ToolUseOfTurn, Turn } from "../../core/records/turn.ts";
import type { Sqlite } from "./open.ts";
import { createSql } from "./sql.ts";

/** A turn with the ids of the raw events that it was read from, without the message that ends it. */
export interface StoredTurn extends Turn {
  shown: readonly number[];
}

/** Whether a raw event ends its turn: a summary before a compaction does not. */
export const endsTurn = (event: string): string => `${event}.kind = 'summarize'
  and not case when json_valid(${event}.payload) then ${event}.payload ->> '$.goes_on' is 1 else 0 end`;

/** Of a raw event `r`: the prompt of its turn, and whether it ends it. */
export const turnColumns = `case when json_valid(r.payload) then r.payload ->> '$.prompt_number' end as prompt,
  ${endsTurn("r")} as is_end`;

export interface TurnPlace {
  prompt: number | null;
  is_end: 0 | 1;
}

/** Whether the second of two events belongs to a later turn: the first ended its own, or the user sent a prompt between. */
export function isOfNextTurn(one: TurnPlace, { prompt }: TurnPlace): boolean {
  return one.is_end === 1 || (one.prompt !== null && prompt !== null && one.prompt !== prompt);
}

// A longer turn is a night of work, and its closing is about the newest uses.
const mostUses = 150;
// Includes events that are not tool uses.
const mostEvents = 2 * mostUses;
const mostUseChars = 400_000;
// Failures of earlier sessions that were not fixed, and their largest size.
const mostFailures = 10;
const mostFailureChars = 20_000;
// Prompts typed during the previous turn, or interrupted.
const mostPrompts = 10;

interface EventRow {
  id: number;
  payload: string;
}

interface Before {
  session: number;
  before: number;
}

export type Turns = ReturnType<typeof createTurns>;

/** Reads the turn that ends with messages; undefined where it goes on. */
export function createTurns(db: Sqlite) {
  const previous = createSql(db).get<[Before], EventRow>(
    `select id, payload
     from raw_events e indexed by raw_events_summarize
     where session_id = @session and ${endsTurn("e")} and id < @before
     order by id desc
     limit 1`,
  );
  const newestUses = createNewestUses(db);
  const promptsOf = createPromptsOf(db);
  const failures = createFailures(db);

  function turnOf(claimed: ClaimedMessage): StoredTurn {
    const before = { session: claimed.session_id, before: claimed.id };
    const previousRow = previous(before);
    const last = previousRow && messageOf(previousRow);
    const rows = newestUses(before);
    const asked = promptsOf(claimed, last);
    const failed = failures({ session: claimed.session_id, limit: mostFailures });
    return {
      prompt: asked.join("\n\n"),
      prompts: asked,
      closing: claimed.message.last_assistant_message ?? "",
      previous: last === undefined ? null : saidOf(last),
      uses: rows.flatMap((row) => useOf(row, previousRow?.id ?? 0)),
      failures: failed.flatMap((row) => useOf(row, row.id)),
      shown: [...(previousRow === undefined ? [] : [previousRow]), ...rows, ...failed].map(({ id }) => id),
    };
  }

  return {
    endedBy(messages: readonly ClaimedMessage[]): StoredTurn | undefined {
      const last = messages.at(-1);
      return last !== undefined && isEnd(last.message) ? turnOf(last) : undefined;
    },
  };
}

function createNewestUses(db: Sqlite): (before: Before) => EventRow[] {
  // From the session's index alone: reading the kind of 5,000 events took 90 ms. The plus keeps the search in that index,
  // for by the row id it would go through the events of every session.
  const newest = db
    .prepare<Before & { limit: number }, number>(
      `select id
       from raw_events
       where session_id = @session and +id < @before
       order by +id desc
       limit @limit`,
    )
    .pluck();
  const use = createSql(db).get<[id: number], EventRow>(
    "select id, payload from raw_events where id = ? and kind = 'observation'",
  );
  // One by one: a payload after the last one that fits is not read at all.
  return (before) => {
    const rows: EventRow[] = [];
    let chars = 0;
    for (const id of newest.iterate({ ...before, limit: mostEvents })) {
      const row = use(id);
      if (row === undefined) continue;
      chars += row.payload.length;
      if (rows.length > 0 && chars > mostUseChars) break;
      rows.push(row);
      if (rows.length === mostUses) break;
    }
    return rows.reverse();
  };
}

/**
 * Reads all prompts since the turn before: an interrupted prompt ends no turn and belongs to the next one. The text in
 * the message is one of them, or replaces the one with the message's number.
 */
function createPromptsOf(db: Sqlite) {
  const prompts = createSql(db).all<
    [{ session: number; after: number; upTo: number; limit: number }],
    { prompt_number: number; prompt_text: string }
  >(
    `select prompt_number, prompt_text
     from user_prompts
     where session_id = @session and prompt_number > @after and prompt_number <= @upTo and private = 0
     order by prompt_number desc
     limit @limit`,
  );
  return ({ session_id, message }: ClaimedMessage, last: PendingMessage | undefined): string[] => {
    const { prompt_number: upTo = 0, last_user_message: own } = message;
    const after = Math.min(last === undefined ? 0 : (last.prompt_number ?? upTo - 1), upTo - 1);
    const asked = prompts({ session: session_id, after, upTo, limit: mostPrompts }).reverse();
    const isOneOfThem = own === undefined || asked.some(({ prompt_text }) => isSameText(prompt_text, own));
    const kept = isOneOfThem ? asked : asked.filter(({ prompt_number }) => prompt_number !== upTo);
    return [...kept.map(({ prompt_text }) => prompt_text), ...(isOneOfThem ? [] : [own])];
  };
}

/** Reads the events of the project's open failures from earlier sessions. */
function createFailures(db: Sqlite) {
  // The few failures of the project first: no index covers a record's text.
  return createSql(db).all<[{ session: number; limit: number }], EventRow>(
    `with failed as materialized (
       select distinct o.id
       from fix_commands f
       cross join observations o on o.id = f.observation_id
       where o.project = (select project from sessions where id = @session)
         and o.status = 'active' and o.said_by = 'tool' and o.obs_type = 'discovery'
       order by o.id desc
       limit @limit)
     select distinct e.id, e.payload
     from failed
     cross join observation_sources s on s.observation_id = failed.id
     cross join raw_events e on e.id = s.raw_event_id
     where e.kind = 'observation' and e.session_id <> @session and length(e.payload) <= ${mostFailureChars}
     order by e.id`,
  );
}

// A message holds a shorter excerpt of a long text than the prompt itself.
function isSameText(prompt: string, own: string): boolean {
  return prompt.slice(0, comparedChars).trim() === own.slice(0, comparedChars).trim();
}

const comparedChars = 2_000;

function saidOf({ last_user_message, last_assistant_message }: PendingMessage) {
  return { prompt: last_user_message ?? "", closing: last_assistant_message ?? "" };
}

function useOf(row: EventRow, turnBeginsAfter: number): ToolUseOfTurn[] {
  const message = messageOf(row);
  return message === undefined ? [] : [{ id: row.id, isOfTurn: row.id > turnBeginsAfter, message }];
}

function messageOf({ payload }: EventRow): PendingMessage | undefined {
  return failOpenSync("reading a raw event", () => JSON.parse(payload) as PendingMessage);
}
