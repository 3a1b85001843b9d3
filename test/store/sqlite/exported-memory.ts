// A store that is its own little world, for tests of export and import: filled, exported as lines, imported from them.
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { exportLine, readExportLine } from "../../../src/core/records/memory-export.ts";
import type { StatementMarks } from "../../../src/core/records/statement.ts";
import { createGenerationQueue } from "../../../src/store/sqlite/generation-queue.ts";
import { type ExportFilter, openSnapshot } from "../../../src/store/sqlite/memory-export.ts";
import { createMemoryImport } from "../../../src/store/sqlite/memory-import.ts";
import type { Sqlite } from "../../../src/store/sqlite/open.ts";
import { createStore, type Store } from "../../../src/store/sqlite/store.ts";
import { openMigrated } from "../../helpers/memory-store.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { draft, summaryDraft } from "./regeneration-support.ts";

export interface Memory {
  path: string;
  db: Sqlite;
  store: Store;
}

export function emptyMemory(): Memory {
  const path = join(tempDir(), "mem.db");
  const db = openMigrated(path);
  onTestFinished(() => void db.close());
  return { path, db, store: createStore(db) };
}

/** The lines of an export, without its header and its end. */
export function exported({ path }: Memory, filter: ExportFilter = {}): string[] {
  const snapshot = openSnapshot(path, filter);
  try {
    return [...snapshot.rows()].map(({ type, row }) => exportLine(type, row));
  } finally {
    snapshot.close();
  }
}

/** Imports the lines, each in a transaction; how many had which outcome. */
export async function importInto({ db, store }: Memory, lines: readonly string[]) {
  const importRecord = createMemoryImport(db);
  const counts = { added: 0, present: 0, deleted: 0 };
  for (const line of lines) {
    const record = readExportLine(JSON.parse(line));
    if ("fault" in record) throw new Error(`${record.fault} ${line}`);
    const { outcome } = await store.commit(() => importRecord(record));
    counts[outcome] += 1;
  }
  return counts;
}

const fix: StatementMarks = {
  said_by: "tool",
  standing: false,
  reach: "project",
  salience: 1.5,
  families: ["npm test", "make"],
};

/** Sessions named `<name> 1` and `<name> 2` with every kind of record in every state. */
export async function fill(memory: Memory, name: string, project = "shop"): Promise<void> {
  const { db, store } = memory;
  for (const number of [1, 2]) {
    const session = await addSession(memory, `${name} ${number}`, project);
    for (const prompt of [1, 2, 3]) addPrompt(memory, session, prompt);
    const [one, two] = [addEvent(memory, session), addEvent(memory, session)];
    const end = addEvent(memory, session, "summarize");
    const queue = createGenerationQueue(store, "one");
    const batch = await queue.claim(session, { now: 2_000, leaseMs: 1_000, limit: 50, maxChars: 1_000_000 });
    if (batch === null) throw new Error("nothing to generate");
    await queue.complete(batch, {
      observations: [
        draft(`${name} ${number} a`, one),
        draft(`${name} ${number} b`, one, two),
        { ...draft(`${name} ${number} fix`, end, one), statement: fix },
        draft(`${name} ${number} d`, two),
      ],
      summaries: [summaryDraft(`${name} ${number} asked`, end)],
      generator: "local",
      upgrade: number === 2,
    });
  }
  await review(memory, 6_000 + name.charCodeAt(0));
  db.exec(`insert or ignore into observation_blobs (observation_id, path, place, blob_id, size, mtime_ns, spans)
    select id, 'src/x.ts', 'src/x.ts', 'abc', 12, '1700000000000000001', '{"lines":[[20,1800,"0a1b"]],"symbols":[]}' from observations where title like '% b'`);
}

async function addSession({ store }: Memory, name: string, project: string): Promise<number> {
  store.projects.ensure(project);
  const names = { claude_session_id: name, sdk_session_id: `sdk ${name}` };
  const id = store.sessions.insert({
    ...names,
    project,
    host: "claude-code",
    cwd: "/home/me/shop",
    now: 1_000,
  });
  store.sessions.setUserPrompt(id, "the first prompt");
  await store.commit(() => store.edits.session(id, `Title of ${name}`, 1_500));
  store.sessions.complete(id, 3_000);
  return id;
}

function addPrompt({ store }: Memory, session: number, prompt_number: number): void {
  const isPrivate = prompt_number === 3;
  const found = store.sessions.byId(session);
  if (found === undefined) throw new Error("no session");
  const { claude_session_id, sdk_session_id, project } = found;
  store.prompts.insert({
    ...{ session_id: session, claude_session_id, sdk_session_id, project, prompt_number },
    prompt_text: isPrivate ? "" : `please do it, ${prompt_number}`,
    private: isPrivate ? 1 : 0,
    event_key: `event-${prompt_number}`,
    now: 1_000 + prompt_number,
  });
  store.sessions.countPrompt(session, prompt_number);
}

function addEvent({ db, store }: Memory, session: number, kind: "observation" | "summarize" = "observation") {
  const key = String(db.prepare("select coalesce(max(id), 0) + 1 from raw_events").pluck().get());
  const payload = JSON.stringify({ type: kind, tool_name: "Edit", tool_input: {} });
  const id = store.rawEvents.insert({ session_id: session, kind, event_key: key, payload, now: 1_000 });
  if (id === null) throw new Error("no event");
  store.pending.enqueue(id, session, 1_000);
  return id;
}

/** Pins, rejects, replaces, edits and deletes; adds a rule of every project and renames the project. */
async function review({ db, store }: Memory, rememberedAt: number): Promise<void> {
  const id = (title: string) =>
    Number(db.prepare("select max(id) from observations where title like ?").pluck().get(`% ${title}`));
  await store.commit(() => {
    store.review.setStanding(id("1 b"), { status: "active", pinned: 1, superseded_by: null });
    store.review.setStanding(id("1 a"), { status: "superseded", pinned: 0, superseded_by: id("2 b") });
    store.review.setStanding(id("2 a"), { status: "rejected", pinned: 0, superseded_by: null });
    store.edits.observation(id("1 b"), { title: "edited by me", narrative: "as I say" }, 4_000);
    store.deletions.observation(id("2 d"), 5_000);
    store.deletions.prompt(2, 5_000);
  });
  store.observations.insert({
    draft: {
      ...draft("use pnpm"),
      statement: { said_by: "user", standing: true, reach: "everywhere", salience: 4 },
    },
    ...{ session_id: null, sdk_session_id: "remembered", project: "shop", prompt_number: null, sources: [] },
    ...{ generator: "manual", agent_id: null, agent_type: null, discovery_tokens: 0 },
    ...{ generation_key: null, created_at_epoch: rememberedAt },
  });
}
