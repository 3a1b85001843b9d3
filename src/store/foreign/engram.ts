// The database of engram, versions 0.1 to 1.x: sessions, observations and prompts. Times are texts in UTC.
import { lastOf } from "./claude-mem.ts";
import { openCopy } from "./open-copy.ts";

export interface EngramSession {
  id: string;
  project: string;
  directory: string;
  started: string;
  ended: string | null;
  summary: string | null;
}

export interface EngramObservation {
  id: number;
  session: string;
  type: string;
  title: string;
  content: string;
  project: string | null;
  at: string;
  sync: string | null;
}

export interface EngramPrompt {
  id: number;
  session: string;
  content: string;
  at: string;
}

export interface Engram {
  sessions(): EngramSession[];
  /** Without deleted ones. */
  observations(after: number, limit: number): EngramObservation[];
  prompts(after: number, limit: number): EngramPrompt[];
  /** The highest id of each. */
  last(): { observation: number; prompt: number };
  close(): void;
}

export function openEngram(path: string): Engram {
  const db = openCopy(path, {
    product: "engram",
    needed: {
      sessions: ["id", "project", "directory", "started_at", "ended_at", "summary"],
      observations: ["id", "session_id", "type", "title", "content", "created_at"],
      user_prompts: ["id", "session_id", "content", "created_at"],
    },
  });
  const or = (column: string) => (db.has("observations", column) ? column : "null");
  return {
    sessions: () =>
      db.all<EngramSession>(
        `select id, project, directory, started_at as started, ended_at as ended, summary
         from sessions`,
      ),
    observations: (after, limit) =>
      db.all<EngramObservation>(
        `select id, session_id as session, type, title, content, ${or("project")} as project, created_at as at,
           ${or("sync_id")} as sync
         from observations
         where id > ? and ${or("deleted_at")} is null
         order by id
         limit ?`,
        after,
        limit,
      ),
    prompts: (after, limit) =>
      db.all<EngramPrompt>(
        `select id, session_id as session, content, created_at as at
         from user_prompts
         where id > ?
         order by id
         limit ?`,
        after,
        limit,
      ),
    last: () => lastOf(db, { observation: "observations", prompt: "user_prompts" }),
    close: db.close,
  };
}
