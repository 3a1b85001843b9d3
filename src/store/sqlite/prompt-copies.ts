// Copies of a prompt's text outside its record: the session's first prompt, the ends of its turn, causes of injections,
// subtitles of its statements.
import { promptCause } from "../../core/records/injection.ts";
import { askedMark } from "../../core/records/record-terms.ts";
import type { Observation } from "../../core/records/records.ts";
import { createDerivedRows } from "./derived-rows.ts";
import type { Sqlite } from "./open.ts";
import { readPayload } from "./raw-events.ts";
import { createSql } from "./sql.ts";
import type { KeptRow, Row, Trash } from "./trash.ts";

export function createPromptCopies(db: Sqlite, trash: Pick<Trash, "keep" | "kept" | "replace">) {
  const sql = createSql(db);
  const first = sql.all<[id: number, text: string], Row>(
    "select id, user_prompt from sessions where id = ? and user_prompt = ?",
  );
  const setFirst = sql.run<[{ id: number; text: string }]>(
    "update sessions set user_prompt = @text, revision = revision + 1, synced_at = null where id = @id",
  );
  const ends = sql.all<[session: number, number: number], Row>(
    `select id, kind, payload
     from raw_events indexed by raw_events_summarize
     where session_id = ? and kind = 'summarize'
       and case when json_valid(payload) then payload ->> '$.prompt_number' = ? and payload ->> '$.last_user_message' <> '' end`,
  );
  // Emptied ends too: their texts are in the trash.
  const allEnds = sql.values<[session: number], number>(
    "select id from raw_events indexed by raw_events_summarize where session_id = ? and kind = 'summarize'",
  );
  const setPayload = sql.run<[{ id: number; payload: string }]>(
    "update raw_events set payload = @payload where id = @id",
  );
  // A running regeneration was sent the text.
  const unlist = sql.run<[id: number]>("delete from regenerations where raw_event_id = ?");
  const causes = sql.all<[session: string, cause: string], Row>(
    "select id, cause from injections where session = ? and moment = 'prompt' and cause = ?",
  );
  const clearCause = sql.run<[id: number]>("update injections set cause = null where id = ?");

  function keptEnds(session: number, number: number): KeptRow[] {
    return allEnds(session).flatMap((id) =>
      trash.kept("events", id).filter(({ row }) => {
        const { prompt_number, last_user_message = "" } = readPayload(String(row.payload));
        return prompt_number === number && last_user_message !== "";
      }),
    );
  }

  return {
    /**
     * Moves the copies into the entry. After an edit the session begins with `text`. True for the session's first prompt,
     * which every model call of the session is sent.
     */
    remove(entry: number, prompt: Row, text = ""): boolean {
      const { session_id, claude_session_id, prompt_number, prompt_text } = prompt;
      if (typeof session_id !== "number") return false;
      const firsts = first(session_id, String(prompt_text));
      trash.keep(entry, "first_prompt", firsts);
      for (const { id } of firsts) setFirst({ id: Number(id), text });
      for (const event of ends(session_id, Number(prompt_number))) {
        const left = withoutPrompt(event);
        trash.keep(entry, "turn_ends", [{ ...event, left }]);
        setPayload({ id: Number(event.id), payload: left });
        unlist(Number(event.id));
      }
      for (const { key, row } of keptEnds(session_id, Number(prompt_number))) {
        const { id = null, kind = null, payload = null } = row;
        const left = withoutPrompt(row);
        trash.keep(entry, "turn_ends", [{ id, kind, payload, left }]);
        trash.replace(key, { ...row, payload: left });
      }
      const cause = promptCause(String(prompt_text));
      const caused = causes(String(claude_session_id), cause);
      trash.keep(entry, "causes", caused);
      for (const { id } of caused) clearCause(Number(id));
      return firsts.length > 0;
    },
    removeSubtitles: createRemoveSubtitles(db, trash),
  };
}

function withoutPrompt({ payload }: Row): string {
  const { last_user_message: _text, ...others } = readPayload(String(payload));
  return JSON.stringify(others);
}

/** Moves subtitles of statements that quote the prompt into the entry; returns the ids of these. */
function createRemoveSubtitles(
  db: Sqlite,
  trash: Pick<Trash, "keep">,
): (entry: number, prompt: Row) => number[] {
  const sql = createSql(db);
  const asked = sql.all<[session: number, number: number, mark: string], Row>(
    `select id, subtitle
     from observations
     where session_id = ? and prompt_number = ? and instr(subtitle, ?) = 1`,
  );
  const clearSubtitle = sql.get<[id: number], Observation>(
    `update observations
     set subtitle = null, revision = revision + 1, synced_at = null
     where id = ?
     returning *`,
  );
  const derived = createDerivedRows(db);
  return (entry, { session_id, prompt_number }) => {
    if (typeof session_id !== "number") return [];
    const found = asked(session_id, Number(prompt_number), askedMark);
    trash.keep(entry, "subtitles", found);
    return found.map(({ id }) => {
      const left = clearSubtitle(Number(id));
      if (left !== undefined) derived.rewrite("observations", left);
      return Number(id);
    });
  };
}
