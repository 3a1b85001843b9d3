// What a project knows from before a turn, for the model that writes the turn's records, and what the model ends of it.
import type { ClaimedMessage } from "../../core/records/messages.ts";
import type { Observation, Session } from "../../core/records/records.ts";
import { type KnownRecord, keptByAgent } from "../../core/records/statement.ts";
import { closingNote, observationColumns } from "./observations.ts";
import type { Sqlite } from "./open.ts";
import { createSql } from "./sql.ts";

export type KnownThings = ReturnType<typeof createKnownThings>;

const mostKnown = 200;

export function createKnownThings(db: Sqlite) {
  const sql = createSql(db);
  const statements = sql.all<
    [{ project: string; sdk: string; at: number; prompt: number; events: string }],
    Omit<KnownRecord, "standing" | "isKeptNow"> & { standing: 0 | 1; is_kept_now: 0 | 1 }
  >(
    `select id, statement_kind as kind, coalesce(narrative, summary) as text, standing,
       generator = '${keptByAgent}' and sdk_session_id = @sdk and prompt_number is @prompt as is_kept_now
     from observations
     where project = @project and status = 'active' and statement_kind is not null
       and statement_kind not in ('fix', 'outcome') and created_at_epoch <= @at
       and not exists (
         select 1
         from observation_sources s
         where s.observation_id = observations.id and s.raw_event_id in (select value from json_each(@events)))
     order by created_at_epoch desc, id desc
     limit ${mostKnown}`,
  );
  const summary = sql.value<[{ sdk: string; project: string; before: number }], string>(
    `select summary_text
     from session_summaries
     where sdk_session_id = @sdk and project = @project and cast(generation_key as integer) < @before
     order by cast(generation_key as integer) desc
     limit 1`,
  );
  const end = sql.get<[{ id: number; by: number | null; note: string | null }], Observation>(
    `update observations
     set status = 'superseded', superseded_by = @by, revision = revision + 1, synced_at = null,
       facts = iif(@note is null, facts, json_insert(facts, '$[#]', @note))
     where id = @id and status = 'active' and pinned = 0 and generator not in ('manual', '${keptByAgent}') and id is not @by
     returning ${observationColumns}`,
  );
  return {
    of({ project, sdk_session_id: sdk }: Session, messages: readonly ClaimedMessage[]) {
      const [first] = messages;
      const last = messages.at(-1);
      const records = statements({
        ...{ project, sdk, at: last?.created_at_epoch ?? 0, prompt: last?.message.prompt_number ?? 0 },
        events: JSON.stringify(messages.map(({ id }) => id)),
      }).map(({ is_kept_now, standing, ...row }) => ({
        ...row,
        standing: standing === 1,
        isKeptNow: is_kept_now === 1,
      }));
      return { records, summary: summary({ sdk, project, before: first?.id ?? 0 }) ?? "" };
    },
    /** Ends records that a later one replaces; the user's own and pinned ones stay. */
    replace: (ids: readonly number[], by: number) => ids.flatMap((id) => end({ id, by, note: null }) ?? []),
    close: (ids: readonly number[], generator: string) =>
      ids.flatMap((id) => end({ id, by: null, note: `${closingNote}${generator}` }) ?? []),
  };
}
