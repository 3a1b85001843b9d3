// What the check of a record that an agent keeps needs of its session and project.
import type { AgentSession, Judged, Observation } from "../../core/records/records.ts";
import { keptByAgent } from "../../core/records/statement.ts";
import type { ToolUse } from "../../core/tools/tool-kind.ts";
import { createDerivedRows } from "./derived-rows.ts";
import { observationColumns } from "./observations.ts";
import type { Sqlite } from "./open.ts";
import { readPayload } from "./raw-events.ts";
import { createSql } from "./sql.ts";
import { createTombstones } from "./tombstones.ts";

export function createAgentRecords(db: Sqlite) {
  const sql = createSql(db);
  const toolUses = sql.values<[sessionId: number, limit: number], string>(
    `select payload
     from raw_events
     where session_id = ? and kind = 'observation'
     order by id desc
     limit ?`,
  );
  const count = sql.value<[sdkSessionId: string, generator: string, since: number], number>(
    `select count(*)
     from observations
     where sdk_session_id = ? and generator = ? and created_at_epoch >= ?`,
  );
  return {
    session: sql.get<[{ project: string; host: string | null }], AgentSession>(
      `select id, sdk_session_id, newest_prompt, prompt_private, branch, git_commit as "commit"
       from sessions
       where project = @project
       order by status = 'active' desc, host is @host desc, last_active_at_epoch desc, id desc
       limit 1`,
    ),
    prompts: sql.values<[sessionId: number], string>(
      "select prompt_text from user_prompts where session_id = ? and private = 0",
    ),
    /** The newest tool uses of the session; of some no record is made. */
    toolUses: (sessionId: number): ToolUse[] => toolUses(sessionId, mostUses).map(readPayload),
    count: (sdkSessionId: string, since: number): number => count(sdkSessionId, keptByAgent, since) ?? 0,
    sameText: sql.get<[{ project: string; text: string }], Observation>(
      `select ${observationColumns}
       from observations
       where (project = @project or (reach = 'everywhere' and standing = 1)) and status = 'active'
         and statement_kind is not null and lower(coalesce(narrative, summary)) = lower(@text)
       order by standing desc, id
       limit 1`,
    ),
  };
}

const mostUses = 2_000;

export interface AgentTurns {
  turns: number;
  /** Records that the agent kept, and the turns that it kept one in. */
  kept: number;
  keptTurns: number;
  /** Turns with a rule, decision or cause in a sentence, of which the agent kept nothing. */
  missedTurns: number;
}

/** Counts the turns since a time. In an imported one no agent could keep anything. */
export function createAgentTurns(db: Sqlite): (since: number) => AgentTurns {
  const read = createSql(db).get<[{ since: number }], AgentTurns>(
    `with marked as (
       select session_id, prompt_number, sum(generator = '${keptByAgent}') as kept,
         sum(statement_kind in ('rule', 'preference', 'decision', 'cause')) as seen
       from observations
       where created_at_epoch >= @since and statement_kind is not null and generator <> 'manual'
       group by 1, 2)
     select count(*) as turns, cast(total(kept) as integer) as kept, count(iif(kept > 0, 1, null)) as keptTurns,
       count(iif(kept = 0 and seen > 0, 1, null)) as missedTurns
     from user_prompts p
     left join marked m on m.session_id = p.session_id and m.prompt_number = p.prompt_number
     where p.private = 0 and p.created_at_epoch >= @since
       and p.session_id not in (select session_id from imported_sessions)`,
  );
  return (since) => read({ since }) ?? { turns: 0, kept: 0, keptTurns: 0, missedTurns: 0 };
}

/** Records of facts in the hosts' own memories, by the beginning of their keys. */
export function createMemoryRecords(db: Sqlite) {
  const sql = createSql(db);
  const { hasKey } = createTombstones(db);
  return {
    withKeys: sql.all<[{ from: string }], { id: number; key: string }>(
      `select id, generation_key as "key"
       from observations
       where generation_key >= @from and generation_key < @from || '~'`,
    ),
    isDeleted: (key: string) => hasKey("observation", key),
    /** What is no longer in its file. Without its key: the same text may come back. */
    end: sql.get<[id: number], Observation>(
      `update observations
       set status = 'superseded', superseded_by = null, pinned = 0, generation_key = null,
         revision = revision + 1, synced_at = null
       where id = ? and status = 'active' and generator = '${keptByAgent}'
       returning ${observationColumns}`,
    ),
  };
}

/** Sets whether a record stands; the note says who judged, and why. Undefined when no observation has the id. */
export function createJudge(db: Sqlite): (id: number, judged: Judged) => Observation | undefined {
  const derived = createDerivedRows(db);
  const judge = createSql(db).get<[Judged & { id: number }], Observation>(
    `update observations
     set status = @status, superseded_by = @superseded_by, pinned = 0, revision = revision + 1, synced_at = null,
       facts = iif(@note is null, facts, json_insert(facts, '$[#]', @note))
     where id = @id
     returning ${observationColumns}`,
  );
  return (id, judged) => {
    const changed = judge({ id, ...judged });
    if (changed !== undefined && judged.note !== null) derived.rewrite("observations", changed);
    return changed;
  };
}
