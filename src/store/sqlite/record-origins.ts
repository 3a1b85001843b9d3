// Where an observation comes from: its raw events and its prompt; and which observations it supersedes.
import type { PendingMessage } from "../../core/records/messages.ts";
import type { Sqlite } from "./open.ts";
import { readPayload } from "./raw-events.ts";
import { createSql } from "./sql.ts";

interface SourceRow {
  id: number;
  kind: "observation" | "summarize" | "other";
  payload: string;
  at_epoch: number;
  cited: 0 | 1;
}

/** A raw event that an observation was made from, or that it cites. */
export interface ObservationSource extends Omit<SourceRow, "payload"> {
  message: Partial<PendingMessage>;
}

export function createRecordOrigins(db: Sqlite) {
  const sql = createSql(db);
  const sources = sql.all<[id: number, limit: number], SourceRow>(
    `select r.id, r.kind, r.payload, r.created_at_epoch as at_epoch, s.cited
     from observation_sources s
     cross join raw_events r on r.id = s.raw_event_id
     where s.observation_id = ? and r.kind <> 'other'
     order by s.cited, r.id
     limit ?`,
  );
  return {
    /** The events that are still there, own ones first. */
    sources: (id: number, limit: number): ObservationSource[] =>
      sources(id, limit).map(({ payload, ...row }) => ({
        ...row,
        message: readPayload(payload) as Partial<PendingMessage>,
      })),
    /** The observation's prompt, if known and not private. */
    prompt: sql.get<[id: number], { id: number; prompt_number: number; prompt_text: string }>(
      `select p.id, p.prompt_number, p.prompt_text
       from observations o
       cross join user_prompts p on p.session_id = o.session_id and p.prompt_number = o.prompt_number
       where o.id = ? and p.private = 0`,
    ),
    supersedes: sql.all<[id: number, limit: number], { id: number; title: string }>(
      "select id, title from observations where superseded_by = ? order by id desc limit ?",
    ),
  };
}
