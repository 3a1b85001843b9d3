// Imports: how far each source was read, and which sessions an import created.
import { deletedDeliveryKey, deletedTextKey } from "../../core/prompt-key.ts";
import type { Json } from "../../text/json.ts";
import type { Sqlite } from "./open.ts";
import type { StoredPrompt } from "./prompts.ts";
import { createSql } from "./sql.ts";
import { endsTurn } from "./turns.ts";

// The clocks of a host's hook and of its transcript differ by less.
const sameWithinMs = 60_000;

interface At {
  session: number;
  at: number;
}

interface Delivery {
  claude: string;
  at: number;
  /** The host's id of the prompt, and the key with the one of its text. */
  key: string;
  delivery: string;
  text: string;
}

export function createImports(db: Sqlite) {
  const sql = createSql(db);
  const position = sql.value<[key: string], string>("select position from import_sources where key = ?");
  const setPosition = sql.run<[key: string, position: string, now: number]>(
    `insert into import_sources (key, position, updated_at_epoch)
     values (?, ?, ?)
     on conflict (key) do update set position = excluded.position, updated_at_epoch = excluded.updated_at_epoch`,
  );
  const hasEnd = sql.value<[{ session: number; prompt: number }], number>(
    `select exists (
         select 1
         from raw_events e
         where session_id = @session and ${endsTurn("e")} and json_valid(payload)
           and payload ->> '$.prompt_number' = @prompt)
       or exists (
         select 1
         from session_summaries
         where sdk_session_id = (select sdk_session_id from sessions where id = @session)
           and prompt_number = @prompt)`,
  );
  const hasEvent = sql.value<[session: number, key: string], number>(
    "select exists (select 1 from raw_events where session_id = ? and event_key = ?)",
  );
  const isRepresented = sql.value<[session: number, at: number], number>(
    "select 1 from sessions where id = ? and represented_until_epoch >= ?",
  );
  const waiting = sql.value<[], number>(
    `select count(*)
     from pending_messages p
     cross join raw_events r on r.id = p.id
     where p.status <> 'dead' and r.imported_at_epoch is not null`,
  );
  return {
    /** Where sessions of the host ran, the last 200. */
    foldersOf: sql.values<[host: string], string>(
      `select cwd
       from sessions
       where host = ? and cwd is not null
       group by cwd
       order by max(last_active_at_epoch) desc
       limit 200`,
    ),
    /** Imported messages that are not finished. */
    waiting: () => waiting() ?? 0,
    /** What the reader of the source stored last; null before the first import. */
    position(key: string): Json {
      const text = position(key);
      return text === undefined ? null : (JSON.parse(text) as Json);
    },
    setPosition: (key: string, at: Json, now: number) => setPosition(key, JSON.stringify(at), now),
    ...createPromptLookup(db),
    /** Whether the turn of the prompt ended: its end is stored, or its summary. */
    hasEnd: (session: number, prompt: number) => hasEnd({ session, prompt }) === 1,
    hasEvent: (session: number, key: string) => hasEvent(session, key) === 1,
    /** Whether records of an export or of another device stand for the session's events at this time. */
    isRepresented: (session: number, at: number) => isRepresented(session, at) !== undefined,
    /** The session was created by an import. */
    markSession: sql.run<[{ session: number; now: number }]>(
      `insert into imported_sessions (session_id, imported_at_epoch)
       values (@session, @now)
       on conflict (session_id) do nothing`,
    ),
    /** An import wrote to the session again. */
    touchSession: sql.run<[{ session: number; now: number }]>(
      "update imported_sessions set imported_at_epoch = @now where session_id = @session",
    ),
    /** When an import last wrote to a session that an import created; undefined for a live one. */
    importedAt: sql.value<[session: number], number>(
      "select imported_at_epoch from imported_sessions where session_id = ?",
    ),
  };
}

/** Prompts that an import may bring again. */
function createPromptLookup(db: Sqlite) {
  const sql = createSql(db);
  const promptsNear = sql.all<[At & { within: number }], StoredPrompt>(
    `select *
     from user_prompts
     where session_id = @session and created_at_epoch between @at - @within and @at + @within
     order by abs(created_at_epoch - @at)`,
  );
  const promptElsewhere = sql.value<[Delivery & { within: number }], number>(
    `select 1
     from user_prompts
     where private = 0 and created_at_epoch between @at - @within and @at + @within
       and claude_session_id <> @claude
       and (event_key = @delivery or (event_key = @key and prompt_text = @text))`,
  );
  const deletedNear = sql.value<[{ key: string; text: string; at: number; within: number }], number>(
    `select 1
     from tombstones
     where kind = 'prompt' and delivery_key in (@key, @text)
       and asked_at_epoch between @at - @within and @at + @within`,
  );
  return {
    /** Prompts of the session from a minute around `at`, the nearest first. */
    promptsNear: ({ session, at }: At) => promptsNear({ session, at, within: sameWithinMs }),
    /** Whether another session has the delivery: a host copies lines into the transcript of a resumed session. */
    isElsewhere: (prompt: Delivery) => promptElsewhere({ ...prompt, within: sameWithinMs }) !== undefined,
    /** Whether the prompt was deleted: in any session by its delivery, in this one without an id by its text. */
    isDeletedNear({ claude, delivery, at }: Pick<Delivery, "claude" | "delivery" | "at">): boolean {
      const keys = { key: deletedDeliveryKey(delivery), text: deletedTextKey(claude, delivery) };
      return deletedNear({ ...keys, at, within: sameWithinMs }) !== undefined;
    },
    /** The newest prompt of the session until `at`. */
    promptAt: sql.get<[At], StoredPrompt>(
      `select *
       from user_prompts
       where session_id = @session and created_at_epoch <= @at
       order by created_at_epoch desc, id desc
       limit 1`,
    ),
  };
}
