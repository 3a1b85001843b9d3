// Prompts, observations and summaries of one session, in order of time.
import type { Observation, SessionSummary, UserPrompt } from "../../core/records/records.ts";
import { observationColumns } from "./observations.ts";
import type { Sqlite } from "./open.ts";
import type { Page } from "./page.ts";
import { promptColumns } from "./prompts.ts";
import { createSql } from "./sql.ts";
import { summaryColumns } from "./summaries.ts";

export type SessionRecord =
  | { kind: "prompt"; record: UserPrompt }
  | { kind: "observation"; record: Observation }
  | { kind: "summary"; record: SessionSummary };

interface Wanted {
  session: number;
  sdk: string;
  offset: number;
  limit: number;
}

/** Reads a page, oldest first; at one moment the prompt comes first and the summary last. */
export function createSessionRecords(db: Sqlite): (wanted: Wanted) => Page<SessionRecord> {
  const sql = createSql(db);
  const ids = sql.all<[Wanted], { kind: SessionRecord["kind"]; id: number }>(
    `select kind, id
     from (
       select 'prompt' as kind, 1 as place, id, created_at_epoch
       from user_prompts
       where session_id = @session and private = 0
       union all
       select 'observation', 2, id, created_at_epoch from observations where sdk_session_id = @sdk
       union all
       select 'summary', 3, id, created_at_epoch from session_summaries where sdk_session_id = @sdk
     )
     order by created_at_epoch, place, id
     limit @limit offset @offset`,
  );
  const byId = <R>(table: string, columns: string) =>
    sql.get<[id: number], R>(`select ${columns} from ${table} where id = ?`);
  const readers = {
    prompt: byId<UserPrompt>("user_prompts", promptColumns),
    observation: byId<Observation>("observations", observationColumns),
    summary: byId<SessionSummary>("session_summaries", summaryColumns),
  };
  return ({ limit, ...wanted }) => {
    const rows = ids({ ...wanted, limit: limit + 1 });
    const items = rows.slice(0, limit).flatMap(({ kind, id }) => {
      const record = readers[kind](id);
      return record === undefined ? [] : [{ kind, record } as SessionRecord];
    });
    return { items, hasMore: rows.length > limit };
  };
}
