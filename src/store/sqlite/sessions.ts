// Sessions: one row per session of a host agent.
import type { IntakeSession, NamedPrompt, NewSession, Session } from "../../core/records/records.ts";
import type { Sqlite } from "./open.ts";
import { readPage } from "./page.ts";
import { createSql } from "./sql.ts";
import { createDeletedSessions } from "./tombstones.ts";

export type Sessions = ReturnType<typeof createSessions>;

type IntakeRow = IntakeSession & { newest_prompt_key: string | null; trusts_numbers: 0 | 1 };
type PromptForIntake = Pick<IntakeSession, "prompt_number" | "prompt_private">;

/** The columns of the wire record, in its order. */
export const sessionColumns = `id, claude_session_id, sdk_session_id, project, user_prompt, host, cwd, title, status, prompt_count,
  created_at_epoch, last_active_at_epoch, completed_at_epoch, branch, git_commit as "commit"`;

export function createSessions(db: Sqlite) {
  const sql = createSql(db);
  const select = `select ${sessionColumns} from sessions`;
  const insert = db.prepare<NewSession & { git_commit: string | null }>(
    `insert into sessions (claude_session_id, sdk_session_id, project, host, cwd, created_at_epoch, last_active_at_epoch,
       branch, git_commit)
     values (@claude_session_id, @sdk_session_id, @project, @host, @cwd, @now, @now, @branch, @git_commit)`,
  );
  const deletedPrivacy = sql.value<[claudeSessionId: string], number>(
    `select json_extract(content, '$.prompt_private')
     from trash_rows
     where place = 'sessions' and row_id is not null and json_extract(content, '$.claude_session_id') = ?
     order by id desc
     limit 1`,
  );
  const countActive = sql.value<[], number>("select count(*) from sessions where status = 'active'");
  return {
    byId: sql.get<[id: number], Session>(`${select} where id = ?`),
    byClaudeId: sql.get<[claudeSessionId: string], Session>(`${select} where claude_session_id = ?`),
    bySdkId: sql.get<[sdkSessionId: string], Session>(`${select} where sdk_session_id = ?`),
    forIntake: createForIntake(db),
    isDeletedSince: createDeletedSessions(db).has,
    isDeletedPrivate: (claudeSessionId: string) => deletedPrivacy(claudeSessionId) === 1,
    insert({ branch = null, commit: git_commit = null, ...session }: NewSession): number {
      return Number(insert.run({ ...session, branch, git_commit }).lastInsertRowid);
    },
    ...createSessionUpdates(db),
    // Imported sessions have higher numbers than later ones.
    page: readPage<Session>(db, {
      table: "sessions",
      columns: sessionColumns,
      order: "last_active_at_epoch desc, id desc",
    }),
    countActive: () => countActive() ?? 0,
    /** When each host agent was last active. */
    lastOfHosts: sql.all<[], { host: string; at: number }>(
      "select host, max(last_active_at_epoch) as at from sessions where host <> 'api' group by host",
    ),
  };
}

/** Reads the session with the named prompt's number and privacy; with the newest prompt's if it is unknown. */
function createForIntake(db: Sqlite) {
  const sql = createSql(db);
  const read = sql.get<[claudeSessionId: string], IntakeRow>(
    `select id, claude_session_id, sdk_session_id, project, status, prompt_count, newest_prompt as prompt_number,
       newest_prompt_key, newest_prompt_at_epoch, prompt_private, trusts_numbers,
       last_active_at_epoch, completed_at_epoch, branch, git_commit as "commit", cwd
     from sessions
     where claude_session_id = ?`,
  );
  // Prompts typed while the agent worked share one host id: their keys are `<id>:<hash>` (';' follows ':'). What follows
  // belongs to the last of them, and is private when any of them is.
  const promptByKey = sql.get<[{ session: number; key: string }], PromptForIntake>(
    `select max(prompt_number) as prompt_number, max(private) as prompt_private
     from user_prompts
     where session_id = @session and (event_key = @key or (event_key > @key || ':' and event_key < @key || ';'))
     having count(*) > 0`,
  );
  const promptByNumber = sql.get<[sessionId: number, promptNumber: number], PromptForIntake>(
    `select prompt_number, private as prompt_private
     from user_prompts
     where session_id = ? and prompt_number = ?`,
  );
  return (
    claudeSessionId: string,
    { promptKey, prompt_number }: NamedPrompt = {},
  ): IntakeSession | undefined => {
    const session = read(claudeSessionId);
    if (session === undefined) return undefined;
    if (promptKey !== undefined) {
      if (promptKey === session.newest_prompt_key) return session;
      const named = promptByKey({ session: session.id, key: promptKey });
      return named === undefined ? { ...session, awaits_prompt: true } : { ...session, ...named };
    }
    const namesNewest = prompt_number === undefined || prompt_number === session.prompt_number;
    if (namesNewest || session.trusts_numbers === 0) return session;
    return { ...session, ...promptByNumber(session.id, prompt_number) };
  };
}

function createSessionUpdates(db: Sqlite) {
  const sql = createSql(db);
  const touch = sql.run<[{ id: number; now: number }]>(
    `update sessions
     set last_active_at_epoch = max(last_active_at_epoch, @now), status = 'active', completed_at_epoch = null
     where id = @id`,
  );
  const complete = sql.run<[{ id: number; now: number }]>(
    "update sessions set status = 'completed', completed_at_epoch = @now where id = @id and status = 'active'",
  );
  const completeIdle = sql.all<[{ before: number; now: number }], Session>(
    `update sessions
     set status = 'completed', completed_at_epoch = @now
     where status = 'active' and last_active_at_epoch < @before
       and not exists (
         select 1 from imported_sessions i where i.session_id = sessions.id and i.imported_at_epoch >= @before)
     returning ${sessionColumns}`,
  );
  const setUserPrompt = sql.run<[prompt: string, id: number]>(
    `update sessions
     set user_prompt = ?, revision = revision + 1, synced_at = null
     where id = ? and user_prompt = ''`,
  );
  const countPrompt = sql.run<[promptNumber: number, id: number]>(
    "update sessions set prompt_count = max(prompt_count, ?) where id = ?",
  );
  const setNewestPrompt = sql.run<[NewestPrompt & { id: number }]>(
    `update sessions
     set newest_prompt = @prompt_number, newest_prompt_key = @event_key, newest_prompt_at_epoch = @now,
       prompt_private = @private
     where id = @id`,
  );
  return {
    /** Marks activity; a completed session becomes active again. */
    touch: (id: number, now: number) => touch({ id, now }),
    complete: (id: number, now: number) => complete({ id, now }),
    /** Completes the active sessions without activity since `before`; returns them. */
    completeIdle: (before: number, now: number) => completeIdle({ before, now }),
    setUserPrompt: (id: number, prompt: string) => setUserPrompt(prompt, id),
    /** Counts a new prompt. */
    countPrompt: (id: number, promptNumber: number) => countPrompt(promptNumber, id),
    /** For a client that numbers its prompts differently: from now on its numbers name no prompt. */
    distrustNumbers: sql.run<[id: number]>("update sessions set trusts_numbers = 0 where id = ?"),
    /** Messages that name no prompt belong to this one from now on. */
    setNewestPrompt: (id: number, prompt: NewestPrompt) => setNewestPrompt({ ...prompt, id }),
  };
}

interface NewestPrompt {
  prompt_number: number;
  event_key: string;
  private: 0 | 1;
  now: number;
}
