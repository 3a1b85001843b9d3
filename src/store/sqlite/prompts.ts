// User prompts: what the user asked, and whether it was private.
import type { NewPrompt, UserPrompt } from "../../core/records/records.ts";
import { createDerivedRows } from "./derived-rows.ts";
import type { Sqlite } from "./open.ts";
import { readPage } from "./page.ts";
import { createSql } from "./sql.ts";
import { endsTurn } from "./turns.ts";

/** A prompt as intake sees it: private ones too. */
export type StoredPrompt = UserPrompt & Pick<NewPrompt, "private" | "event_key">;

/** The columns of the wire record, in its order. */
export const promptColumns = `id, claude_session_id, sdk_session_id, project, prompt_number, prompt_text, created_at_epoch,
  branch, git_commit as "commit", synced_at, origin_device_id, origin_local_id, revision`;

export type Prompts = ReturnType<typeof createPrompts>;

export function createPrompts(db: Sqlite) {
  const sql = createSql(db);
  const derived = createDerivedRows(db);
  const insert = sql.get<[NewPrompt & { git_commit: string | null }], UserPrompt>(
    `insert into user_prompts (session_id, claude_session_id, sdk_session_id, project, prompt_number, prompt_text,
       private, event_key, created_at_epoch, branch, git_commit)
     values (@session_id, @claude_session_id, @sdk_session_id, @project, @prompt_number, @prompt_text,
       @private, @event_key, @now, @branch, @git_commit)
     returning ${promptColumns}`,
  );
  return {
    /** Stores and indexes the prompt; a private one is stored without its text and not indexed. */
    insert(prompt: NewPrompt): UserPrompt {
      const { branch = null, commit: git_commit = null } = prompt;
      const stored = insert({ ...prompt, branch, git_commit });
      if (stored === undefined) throw new TypeError("insert ... returning gave no row");
      derived.write("user_prompts", { ...stored, private: prompt.private });
      return stored;
    },
    byEventKey: sql.get<[sessionId: number, eventKey: string], StoredPrompt>(
      "select * from user_prompts where session_id = ? and event_key = ?",
    ),
    byNumber: sql.get<[sessionId: number, promptNumber: number], StoredPrompt>(
      "select * from user_prompts where session_id = ? and prompt_number = ?",
    ),
    deletedByKey: createDeletedByKey(db),
    /** Without private prompts. */
    page: readPage<UserPrompt>(db, { table: "user_prompts", columns: promptColumns, where: "private = 0" }),
    byId: sql.get<[id: number], UserPrompt>(
      `select ${promptColumns} from user_prompts where id = ? and private = 0`,
    ),
    underWay: createUnderWay(db),
    /** The newest public prompt since the end of the last turn; only in a session of a host. */
    unfinished: sql.get<[sessionId: number], Pick<UserPrompt, "prompt_number" | "prompt_text">>(
      `select p.prompt_number, p.prompt_text
       from sessions s
       cross join user_prompts p on p.session_id = s.id and p.private = 0
       where s.id = ? and s.host <> 'api' and p.created_at_epoch > coalesce(s.represented_until_epoch, -1)
         and p.prompt_number > coalesce((
           select case when json_valid(e.payload) then e.payload ->> '$.prompt_number' end
           from raw_events e
           where e.session_id = s.id and ${endsTurn("e")}
           order by e.id desc
           limit 1), 0)
       order by p.prompt_number desc
       limit 1`,
    ),
  };
}

/**
 * Ids of the newest prompts, asked after `since`, whose turn has not ended. A client of the API is left out: it does not
 * report the end of a turn.
 */
function createUnderWay(db: Sqlite): (since: number) => number[] {
  const underWay = createSql(db).values<[{ since: number }], number>(
    `select p.id
     from sessions s
     cross join user_prompts p on p.session_id = s.id and p.prompt_number = s.newest_prompt
     where s.status = 'active' and s.last_active_at_epoch >= @since and s.host <> 'api' and p.created_at_epoch >= @since
       and not exists (
         select 1
         from raw_events e
         where e.session_id = s.id and ${endsTurn("e")} and e.created_at_epoch >= p.created_at_epoch)`,
  );
  return (since) => underWay({ since });
}

/** A deleted prompt by its key in the tombstones. Its places are 0 once it has left the trash. */
function createDeletedByKey(db: Sqlite) {
  return createSql(db).get<[key: string], { session_id: number; prompt_number: number }>(
    `select coalesce(r.content ->> '$.session_id', 0) as session_id,
       coalesce(r.content ->> '$.prompt_number', 0) as prompt_number
     from tombstones t
     left join trash_rows r on r.place = 'user_prompts' and r.row_id = t.record_id
     where t.kind = 'prompt' and t.generation_key = ?
     order by r.id desc
     limit 1`,
  );
}
