// The database of claude-mem, versions 5 to 13: sessions, prompts, observations and summaries.
import { type ForeignDatabase, openCopy } from "./open-copy.ts";

export interface ClaudeMemSession {
  memory: string;
  content: string | null;
  project: string | null;
  host: string | null;
  title: string | null;
  started: number;
  ended: number | null;
}

export interface ClaudeMemRow {
  id: number;
  at: number;
  /** `memory_session_id` of its session; of a prompt, `content_session_id`. */
  session: string;
  project: string | null;
}

export interface ClaudeMemObservation extends ClaudeMemRow {
  type: string;
  title: string | null;
  subtitle: string | null;
  text: string | null;
  narrative: string | null;
  /** JSON arrays. */
  facts: string | null;
  concepts: string | null;
  files_read: string | null;
  files_modified: string | null;
}

export interface ClaudeMemSummary extends ClaudeMemRow {
  request: string | null;
  investigated: string | null;
  learned: string | null;
  completed: string | null;
  next_steps: string | null;
  notes: string | null;
}

export interface ClaudeMemPrompt extends ClaudeMemRow {
  number: number;
  text: string;
}

export interface ClaudeMem {
  /** Sessions by both of their ids. */
  sessions(): ClaudeMemSession[];
  observations(after: number, limit: number): ClaudeMemObservation[];
  summaries(after: number, limit: number): ClaudeMemSummary[];
  prompts(after: number, limit: number): ClaudeMemPrompt[];
  /** The highest id of each. */
  last(): { observation: number; summary: number; prompt: number };
  close(): void;
}

const texts = ["title", "subtitle", "narrative", "facts", "concepts", "files_read", "files_modified"];

export function openClaudeMem(path: string): ClaudeMem {
  const db = openCopy(path, {
    product: "claude-mem",
    needed: {
      sdk_sessions: ["project", "started_at_epoch"],
      observations: ["id", "project", "type", "created_at_epoch", ...texts],
      session_summaries: ["id", "project", "request", "learned", "created_at_epoch"],
      user_prompts: ["id", "prompt_number", "prompt_text", "created_at_epoch"],
    },
  });
  // Renamed in version 8.
  const memory = db.has("observations", "memory_session_id") ? "memory_session_id" : "sdk_session_id";
  const content = db.has("sdk_sessions", "content_session_id") ? "content_session_id" : "claude_session_id";
  const or = (table: string, column: string) => (db.has(table, column) ? column : "null");
  const rows =
    <R>(table: string, columns: string) =>
    (after: number, limit: number) =>
      db.all<R>(
        `select id, created_at_epoch as at, ${columns}
       from ${table}
       where id > ?
       order by id
       limit ?`,
        after,
        limit,
      );
  return {
    sessions: () =>
      db.all<ClaudeMemSession>(
        `select coalesce(${memory}, ${content}) as memory, ${content} as content, project,
           ${or("sdk_sessions", "platform_source")} as host, ${or("sdk_sessions", "custom_title")} as title,
           started_at_epoch as started, ${or("sdk_sessions", "completed_at_epoch")} as ended
         from sdk_sessions`,
      ),
    observations: rows(
      "observations",
      `${memory} as session, project, type, ${or("observations", "text")} as text, ${texts.join(", ")}`,
    ),
    summaries: rows(
      "session_summaries",
      `${memory} as session, project, request, investigated, learned, completed, next_steps, notes`,
    ),
    prompts: rows(
      "user_prompts",
      `${or("user_prompts", content)} as session, ${or("user_prompts", "project")} as project,
       prompt_number as number, prompt_text as text`,
    ),
    last: () =>
      lastOf(db, { observation: "observations", summary: "session_summaries", prompt: "user_prompts" }),
    close: db.close,
  };
}

/** The highest ids of tables. */
export function lastOf<K extends string>(db: ForeignDatabase, tables: Record<K, string>): Record<K, number> {
  const highest = (table: string) =>
    db.all<{ id: number | null }>(
      `select max(id) as id
       from ${table}`,
    )[0]?.id ?? 0;
  return Object.fromEntries(
    Object.entries<string>(tables).map(([kind, table]) => [kind, highest(table)]),
  ) as Record<K, number>;
}
