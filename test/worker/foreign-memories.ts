// Small memories of other products, with the tables and formats that they write.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { Database } from "../../src/store/sqlite/library.ts";

export const at = Date.UTC(2025, 4, 1);
const token = "ghp_0123456789abcdefghijhunter2hunter2abcd";

/** Tables of claude-mem; versions before 8 name the session's ids differently. */
export function claudeMem(folder: string, { isOld = false } = {}): string {
  const [content, memory] = isOld
    ? ["claude_session_id", "sdk_session_id"]
    : ["content_session_id", "memory_session_id"];
  const path = join(folder, "claude-mem.db");
  const made = new Database(path);
  made.pragma("journal_mode = wal");
  made.exec(`
    create table sdk_sessions (id integer primary key, ${content} text, ${memory} text, project text,
      ${isOld ? "" : "platform_source text default 'claude', custom_title text,"} user_prompt text,
      started_at text, started_at_epoch integer, completed_at_epoch integer, status text);
    create table observations (id integer primary key, ${memory} text, project text, text text, type text, title text,
      subtitle text, facts text, narrative text, concepts text, files_read text, files_modified text,
      prompt_number integer, created_at text, created_at_epoch integer);
    create table session_summaries (id integer primary key, ${memory} text, project text, request text,
      investigated text, learned text, completed text, next_steps text, files_read text, files_edited text, notes text,
      prompt_number integer, created_at text, created_at_epoch integer);
    create table user_prompts (id integer primary key, ${content} text, prompt_number integer, prompt_text text,
      created_at text, created_at_epoch integer);
    insert into sdk_sessions (${content}, ${memory}, project, user_prompt, started_at, started_at_epoch, status)
    values ('host-1', 'memory-1', 'shop', 'x', 't', ${at}, 'completed');
    insert into user_prompts (${content}, prompt_number, prompt_text, created_at, created_at_epoch)
    values ('host-1', 1, 'Why does the login loop? <private>zebra-canary</private>', 't', ${at}),
      ('host-1', 2, 'Use ${token} to deploy', 't', ${at + 1_000});
    insert into observations (${memory}, project, type, title, subtitle, facts, narrative, concepts, files_read,
      files_modified, created_at, created_at_epoch)
    values ('memory-1', 'shop', 'bugfix', 'The cookie had the wrong domain', 'Login', '["Set in session.ts"]',
        'The proxy rewrites the host, so the cookie was never sent back.', '["problem-solution"]', '[]',
        '["src/session.ts"]', 't', ${at + 2_000}),
      ('memory-1', 'shop', 'discovery', 'A row with a damaged list', null, '[oops', 'Key ${token}', 'x', null, null, 't',
        ${at + 3_000}),
      ('gone', 'shop', 'decision', 'Of a session that is gone', null, '[]', 'We chose SQLite.', '[]', '[]', '[]', 't',
        ${at + 4_000});
    insert into session_summaries (${memory}, project, request, learned, completed, created_at, created_at_epoch)
    values ('memory-1', 'shop', 'Fix the login', 'The proxy rewrites hosts', 'The cookie domain is set', 't', ${at + 5_000})`);
  // Stays open for the test: the last rows stand in the log only, and an end of the connection would move them.
  onTestFinished(() => void made.close());
  return path;
}

function engram(folder: string): string {
  const path = join(folder, "engram.db");
  const made = new Database(path);
  made.exec(`
    create table sessions (id text primary key, project text, directory text, started_at text, ended_at text, summary text);
    create table observations (id integer primary key, sync_id text, session_id text, type text, title text, content text,
      project text, scope text, created_at text, updated_at text, deleted_at text);
    create table user_prompts (id integer primary key, session_id text, content text, project text, created_at text);
    insert into sessions values ('s1', 'shop', '/home/user/shop', '2025-05-01 10:00:00', null, null);
    insert into observations values
      (1, 'obs-1', 's1', 'architecture', 'Sessions live in SQLite', 'Two processes write. <private>zebra-canary</private>',
        'shop', 'project', '2025-05-01 10:00:05', 't', null),
      (2, 'obs-2', 's1', 'manual', 'Deleted', 'zebra-canary', 'shop', 'project', '2025-05-01 10:00:06', 't', 't');
    insert into user_prompts values (1, 's1', 'Where do sessions live? ${token}', 'shop', '2025-05-01 10:00:01')`);
  made.close();
  return path;
}

export function mcpMemory(folder: string): string {
  const path = join(folder, "memory.json");
  const said = ["Prefers pnpm", `Has the token ${token}`, "Likes <private>zebra-canary</private> tea"];
  const lines = [
    { type: "entity", name: "Ada", entityType: "person", observations: said },
    { type: "relation", from: "Ada", to: "shop", relationType: "maintains" },
  ];
  // The last line has no line feed.
  writeFileSync(path, `${lines.map((line) => JSON.stringify(line)).join("\n")}\n{"type":"entity", broken`);
  return path;
}

function basicMemory(folder: string): string {
  mkdirSync(join(folder, ".obsidian"));
  writeFileSync(join(folder, ".obsidian", "x.md"), "zebra-canary");
  writeFileSync(
    join(folder, "storage.md"),
    `---\ntitle: Storage\ntype: note\npermalink: storage\ncreated: 2025-05-01T10:00:00Z\n---\n# Storage\n\n- [decision] SQLite instead of files #db\n- [fact] Token ${token}\n\n<private>zebra-canary</private>\n`,
  );
  return folder;
}

/** By the name of their source; each with what an import of it adds, and a title. */
export const memories = {
  "claude-mem": {
    make: claudeMem,
    counts: { sessions: 2, prompts: 2, records: 4 },
    title: "The cookie had the wrong domain",
  },
  engram: { make: engram, counts: { sessions: 1, prompts: 1, records: 1 }, title: "Sessions live in SQLite" },
  "mcp-memory": {
    make: mcpMemory,
    counts: { sessions: 1, prompts: 0, records: 4, malformed: 1 },
    title: "Ada: Prefers pnpm",
  },
  "basic-memory": {
    make: basicMemory,
    counts: { sessions: 1, prompts: 0, records: 1 },
    title: "Storage",
  },
};
