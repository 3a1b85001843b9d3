// Sessions: one row per session of a host agent.
import type { Session } from "../../core/records/records.ts";
import type { Sqlite } from "./open.ts";
import { type Page, type PageRequest, readPage } from "./page.ts";

/** What intake must know of a session before it takes a message, and whether the message's prompt is private. */
export interface SessionForIntake {
  id: number;
  claude_session_id: string;
  sdk_session_id: string;
  project: string;
  status: "active" | "completed";
  prompt_count: number;
  /** The prompt that the message belongs to: the newest when it names none, or one that is not known; 0 for none. */
  prompt_number: number;
  prompt_private: 0 | 1;
  newest_prompt_at_epoch: number;
  last_active_at_epoch: number;
  completed_at_epoch: number | null;
  /** True when the message names its prompt by a key that no prompt has yet. */
  awaits_prompt?: boolean;
}

/** The prompt that a message names: by the host's id of it, else by its number. */
export interface NamedPrompt {
  promptKey?: string | undefined;
  prompt_number?: number | undefined;
}

export interface NewSession {
  claude_session_id: string;
  sdk_session_id: string;
  project: string;
  host: string;
  cwd: string | null;
  now: number;
}

export interface Sessions {
  byId(id: number): Session | undefined;
  byClaudeId(claudeSessionId: string): Session | undefined;
  /** The session, with number and privacy of the prompt that is named; of the newest when it is not known. */
  forIntake(claudeSessionId: string, named?: NamedPrompt): SessionForIntake | undefined;
  insert(session: NewSession): number;
  /** Marks activity; a completed session becomes active again. */
  touch(id: number, now: number): void;
  complete(id: number, now: number): void;
  /** Completes the active sessions without activity since `before`; returns them. */
  completeIdle(before: number, now: number): Session[];
  setTitle(id: number, title: string): void;
  setUserPrompt(id: number, prompt: string): void;
  /** Counts a new prompt. */
  countPrompt(id: number, promptNumber: number): void;
  /** The client numbers its prompts otherwise: from now on its numbers name no prompt. */
  distrustNumbers(id: number): void;
  /** Makes it the prompt that what names no prompt belongs to. */
  setNewestPrompt(
    id: number,
    prompt: { prompt_number: number; event_key: string; private: 0 | 1; now: number },
  ): void;
  page(request: PageRequest): Page<Session>;
  countActive(): number;
}

type IntakeRow = SessionForIntake & { newest_prompt_key: string | null; trusts_numbers: 0 | 1 };
type PromptForIntake = Pick<SessionForIntake, "prompt_number" | "prompt_private">;

/** The columns of the wire record, in its order. */
const sessionColumns = `id, claude_session_id, sdk_session_id, project, user_prompt, host, cwd, title, status, prompt_count,
  created_at_epoch, last_active_at_epoch, completed_at_epoch`;

export function createSessions(db: Sqlite): Sessions {
  const byId = db.prepare<[number], Session>(`select ${sessionColumns} from sessions where id = ?`);
  const byClaudeId = db.prepare<[string], Session>(
    `select ${sessionColumns} from sessions where claude_session_id = ?`,
  );
  const forIntake = db.prepare<[string], IntakeRow>(
    `select id, claude_session_id, sdk_session_id, project, status, prompt_count, newest_prompt as prompt_number,
       newest_prompt_key, newest_prompt_at_epoch, prompt_private, trusts_numbers,
       last_active_at_epoch, completed_at_epoch
     from sessions
     where claude_session_id = ?`,
  );
  // Several prompts have the same id of the host when some were typed while the agent worked: they are keyed
  // `<id>:<hash>` (';' follows ':'). What follows belongs to the last of them, and is private when any of them is.
  const promptByKey = db.prepare<{ session: number; key: string }, PromptForIntake>(
    `select max(prompt_number) as prompt_number, max(private) as prompt_private
     from user_prompts
     where session_id = @session and (event_key = @key or (event_key > @key || ':' and event_key < @key || ';'))
     having count(*) > 0`,
  );
  const promptByNumber = db.prepare<[number, number], PromptForIntake>(
    `select prompt_number, private as prompt_private
     from user_prompts
     where session_id = ? and prompt_number = ?`,
  );
  const insert = db.prepare<NewSession>(
    `insert into sessions (claude_session_id, sdk_session_id, project, host, cwd, created_at_epoch, last_active_at_epoch)
     values (@claude_session_id, @sdk_session_id, @project, @host, @cwd, @now, @now)`,
  );
  const touch = db.prepare<{ id: number; now: number }>(
    `update sessions
     set last_active_at_epoch = max(last_active_at_epoch, @now), status = 'active', completed_at_epoch = null
     where id = @id`,
  );
  const complete = db.prepare<{ id: number; now: number }>(
    "update sessions set status = 'completed', completed_at_epoch = @now where id = @id and status = 'active'",
  );
  const completeIdle = db.prepare<{ before: number; now: number }, Session>(
    `update sessions
     set status = 'completed', completed_at_epoch = @now
     where status = 'active' and last_active_at_epoch < @before
     returning ${sessionColumns}`,
  );
  const setTitle = db.prepare<[string, number]>("update sessions set title = ? where id = ?");
  const setUserPrompt = db.prepare<[string, number]>(
    "update sessions set user_prompt = ? where id = ? and user_prompt = ''",
  );
  const countPrompt = db.prepare<[number, number]>(
    "update sessions set prompt_count = max(prompt_count, ?) where id = ?",
  );
  const distrustNumbers = db.prepare<[number]>("update sessions set trusts_numbers = 0 where id = ?");
  const setNewestPrompt = db.prepare<[number, string, number, 0 | 1, number]>(
    `update sessions
     set newest_prompt = ?, newest_prompt_key = ?, newest_prompt_at_epoch = ?, prompt_private = ?
     where id = ?`,
  );
  const countActive = db.prepare<[], { n: number }>(
    "select count(*) as n from sessions where status = 'active'",
  );
  const page = readPage<Session>(db, {
    table: "sessions",
    columns: sessionColumns,
    order: "id desc",
    projectOrder: "id desc",
  });

  return {
    byId: (id) => byId.get(id),
    byClaudeId: (claudeSessionId) => byClaudeId.get(claudeSessionId),
    forIntake(claudeSessionId, { promptKey, prompt_number } = {}) {
      const session = forIntake.get(claudeSessionId);
      if (session === undefined) return undefined;
      if (promptKey !== undefined) {
        if (promptKey === session.newest_prompt_key) return session;
        const named = promptByKey.get({ session: session.id, key: promptKey });
        return named === undefined ? { ...session, awaits_prompt: true } : { ...session, ...named };
      }
      const namesNewest = prompt_number === undefined || prompt_number === session.prompt_number;
      if (namesNewest || session.trusts_numbers === 0) return session;
      return { ...session, ...promptByNumber.get(session.id, prompt_number) };
    },
    insert: (session) => Number(insert.run(session).lastInsertRowid),
    touch: (id, now) => void touch.run({ id, now }),
    complete: (id, now) => void complete.run({ id, now }),
    completeIdle: (before, now) => completeIdle.all({ before, now }),
    setTitle: (id, title) => void setTitle.run(title, id),
    setUserPrompt: (id, prompt) => void setUserPrompt.run(prompt, id),
    countPrompt: (id, promptNumber) => void countPrompt.run(promptNumber, id),
    distrustNumbers: (id) => void distrustNumbers.run(id),
    setNewestPrompt: (id, prompt) =>
      void setNewestPrompt.run(prompt.prompt_number, prompt.event_key, prompt.now, prompt.private, id),
    page,
    countActive: () => countActive.get()?.n ?? 0,
  };
}
