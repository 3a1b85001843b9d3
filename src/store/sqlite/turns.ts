// The turn that a summarize message ends: its prompt, its closing, the turn before it, and the tool uses up to it.

import { failOpenSync } from "../../core/errors.ts";
import type { ClaimedMessage, PendingMessage } from "../../core/records/messages.ts";
import type { ToolUseOfTurn, Turn } from "../../core/records/turn.ts";
import type { Sqlite } from "./open.ts";

/** A turn with the ids of the raw events that it was read from, besides the message that ends it. */
export interface StoredTurn extends Turn {
  shown: readonly number[];
}

export type TurnsByMessage = ReadonlyMap<number, StoredTurn>;

export interface Turns {
  /** By the id of each of the messages that asks for a summary. */
  of(messages: readonly ClaimedMessage[]): TurnsByMessage;
}

// A turn of more than this is a night of work: the newest uses are what its closing is about.
const mostUses = 150;
// Those among them that are no tool uses are passed over.
const mostEvents = 2 * mostUses;
const mostUseChars = 400_000;
// Failures of earlier sessions that were not fixed, and how long one may be.
const mostFailures = 10;
const mostFailureChars = 20_000;
// Prompts that were asked while the turn before was still under way, or broken off.
const mostPrompts = 10;

interface EventRow {
  id: number;
  payload: string;
}

interface Before {
  session: number;
  before: number;
}

export function createTurns(db: Sqlite): Turns {
  const previous = db.prepare<Before, EventRow>(
    `select id, payload
     from raw_events indexed by raw_events_summarize
     where session_id = @session and kind = 'summarize' and id < @before
     order by id desc
     limit 1`,
  );
  // The session's index alone: to look at the kind of 5,000 events took 90 ms. The plus keeps the search in that index, for
  // by the row id it would go through the events of every session.
  const newest = db
    .prepare<Before & { limit: number }, number>(
      `select id
       from raw_events
       where session_id = @session and +id < @before
       order by +id desc
       limit @limit`,
    )
    .pluck();
  const use = db.prepare<[number], EventRow>(
    "select id, payload from raw_events where id = ? and kind = 'observation'",
  );
  const prompts = db.prepare<
    { session: number; after: number; upTo: number; limit: number },
    { prompt_number: number; prompt_text: string }
  >(
    `select prompt_number, prompt_text
     from user_prompts
     where session_id = @session and prompt_number > @after and prompt_number <= @upTo and private = 0
     order by prompt_number desc
     limit @limit`,
  );

  // The few failures of the project first: there is no index on what a record says.
  const failures = db.prepare<{ session: number; limit: number }, EventRow>(
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

  // One by one: a payload behind the last one that fits is not read at all.
  function newestUses(before: Before): EventRow[] {
    const rows: EventRow[] = [];
    let chars = 0;
    for (const id of newest.iterate({ ...before, limit: mostEvents })) {
      const row = use.get(id);
      if (row === undefined) continue;
      chars += row.payload.length;
      if (rows.length > 0 && chars > mostUseChars) break;
      rows.push(row);
      if (rows.length === mostUses) break;
    }
    return rows.reverse();
  }

  // All that was asked since the turn before: a prompt that was broken off ends no turn, and belongs to the next one that
  // ends. The text in the message is one of them, or stands for the one whose number the message has.
  function promptsOf({ session_id, message }: ClaimedMessage, last: PendingMessage | undefined): string[] {
    const { prompt_number: upTo = 0, last_user_message: own } = message;
    const after = last === undefined ? 0 : (last.prompt_number ?? upTo - 1);
    const limit = mostPrompts;
    const asked = prompts
      .all({ session: session_id, after: Math.min(after, upTo - 1), upTo, limit })
      .reverse();
    const isOneOfThem = own === undefined || asked.some(({ prompt_text }) => isSameText(prompt_text, own));
    const kept = isOneOfThem ? asked : asked.filter(({ prompt_number }) => prompt_number !== upTo);
    return [...kept.map(({ prompt_text }) => prompt_text), ...(isOneOfThem ? [] : [own])];
  }

  function turnOf(claimed: ClaimedMessage): StoredTurn {
    const before = { session: claimed.session_id, before: claimed.id };
    const previousRow = previous.get(before);
    const last = previousRow && messageOf(previousRow);
    const rows = newestUses(before);
    const asked = promptsOf(claimed, last);
    const failed = failures.all({ session: claimed.session_id, limit: mostFailures });
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
    of(messages) {
      const ends = messages.filter(({ message }) => message.type === "summarize");
      return new Map(ends.map((claimed) => [claimed.id, turnOf(claimed)]));
    },
  };
}

// A message keeps less of a long text than the prompt itself.
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
