// User prompts: what the user asked, and whether it was private.
import type { UserPrompt } from "../../core/records/records.ts";
import { createDerivedRows } from "./derived-rows.ts";
import type { Sqlite } from "./open.ts";
import { type Page, type PageRequest, readPage } from "./page.ts";

export interface NewPrompt {
  session_id: number;
  claude_session_id: string;
  sdk_session_id: string;
  project: string;
  prompt_number: number;
  /** Empty when the prompt is private. */
  prompt_text: string;
  private: 0 | 1;
  event_key: string;
  now: number;
}

/** A prompt as intake sees it: private ones too. */
export interface StoredPrompt extends UserPrompt {
  private: 0 | 1;
  event_key: string;
}

export interface Prompts {
  /** Stores and indexes the prompt; a private one is stored without its text and not indexed. */
  insert(prompt: NewPrompt): UserPrompt;
  byEventKey(sessionId: number, eventKey: string): StoredPrompt | undefined;
  byNumber(sessionId: number, promptNumber: number): StoredPrompt | undefined;
  /** Private prompts are in no page. */
  page(request: PageRequest): Page<UserPrompt>;
  byId(id: number): UserPrompt | undefined;
  /** The newest prompts of sessions of a host whose turn, asked after `since`, has not ended. */
  underWay(since: number): number[];
  /** The newest public prompt that was asked after the last turn ended; only of a session of a host. */
  unfinished(sessionId: number): Pick<UserPrompt, "prompt_number" | "prompt_text"> | undefined;
}

/** The columns of the wire record, in its order. */
export const promptColumns = `id, claude_session_id, sdk_session_id, project, prompt_number, prompt_text, created_at_epoch,
  synced_at, origin_device_id, origin_local_id, revision`;

export function createPrompts(db: Sqlite): Prompts {
  const derived = createDerivedRows(db);
  const insert = db.prepare<NewPrompt, UserPrompt>(
    `insert into user_prompts (session_id, claude_session_id, sdk_session_id, project, prompt_number, prompt_text,
       private, event_key, created_at_epoch)
     values (@session_id, @claude_session_id, @sdk_session_id, @project, @prompt_number, @prompt_text,
       @private, @event_key, @now)
     returning ${promptColumns}`,
  );
  const byEventKey = db.prepare<[number, string], StoredPrompt>(
    "select * from user_prompts where session_id = ? and event_key = ?",
  );
  const byNumber = db.prepare<[number, number], StoredPrompt>(
    "select * from user_prompts where session_id = ? and prompt_number = ?",
  );
  const byId = db.prepare<[number], UserPrompt>(
    `select ${promptColumns} from user_prompts where id = ? and private = 0`,
  );
  // A client of the API does not say when a turn ends.
  const underWay = db
    .prepare<{ since: number }, number>(
      `select p.id
       from sessions s
       cross join user_prompts p on p.session_id = s.id and p.prompt_number = s.newest_prompt
       where s.status = 'active' and s.last_active_at_epoch >= @since and s.host <> 'api' and p.created_at_epoch >= @since
         and not exists (
           select 1
           from raw_events e
           where e.session_id = s.id and e.kind = 'summarize' and e.created_at_epoch >= p.created_at_epoch)`,
    )
    .pluck();
  const unfinished = db.prepare<[number], Pick<UserPrompt, "prompt_number" | "prompt_text">>(
    `select p.prompt_number, p.prompt_text
     from sessions s
     cross join user_prompts p on p.session_id = s.id and p.private = 0
     where s.id = ? and s.host <> 'api'
       and p.prompt_number > coalesce((
         select case when json_valid(e.payload) then e.payload ->> '$.prompt_number' end
         from raw_events e
         where e.session_id = s.id and e.kind = 'summarize'
         order by e.id desc
         limit 1), 0)
     order by p.prompt_number desc
     limit 1`,
  );
  const page = readPage<UserPrompt>(db, {
    table: "user_prompts",
    columns: promptColumns,
    order: "created_at_epoch desc, id desc",
    projectOrder: "created_at_epoch desc, id desc",
    where: "private = 0",
  });

  return {
    insert(prompt) {
      const stored = insert.get(prompt);
      if (stored === undefined) throw new TypeError("insert ... returning gave no row");
      derived.write("user_prompts", { ...stored, private: prompt.private });
      return stored;
    },
    byEventKey: (sessionId, eventKey) => byEventKey.get(sessionId, eventKey),
    byNumber: (sessionId, promptNumber) => byNumber.get(sessionId, promptNumber),
    page,
    byId: (id) => byId.get(id),
    underWay: (since) => underWay.all({ since }),
    unfinished: (sessionId) => unfinished.get(sessionId),
  };
}
