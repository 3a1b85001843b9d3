// A store with records that `local` wrote, for tests of regeneration.
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import type { DraftObservation, DraftSummary } from "../../../src/core/records/drafts.ts";
import { createGenerationQueue } from "../../../src/store/sqlite/generation-queue.ts";
import type { Sqlite } from "../../../src/store/sqlite/open.ts";
import { createStore, type Store } from "../../../src/store/sqlite/store.ts";
import { openMigrated } from "../../helpers/memory-store.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

let path: string;
export let db: Sqlite;
export let store: Store;

/** Every test of the file gets a new empty store. */
export function eachInAStoreOfItsOwn(): void {
  beforeEach(() => {
    path = join(tempDir(), "mem.db");
    open();
  });
  afterEach(() => {
    db.close();
  });
}

function open(): void {
  db = openMigrated(path);
  store = createStore(db);
}

/** Opens the file again without closing it, as after a kill. */
export function reopen(): void {
  db.close();
  open();
}

export const maxMessages = 20;
export const local = { generator: "local" };

export function addSession(name: string, project = "app"): number {
  return store.sessions.insert({
    claude_session_id: name,
    sdk_session_id: `sdk-${name}`,
    project,
    host: "api",
    cwd: null,
    now: 1_000,
  });
}

export function addEvent(
  session: number,
  type: "observation" | "summarize" = "observation",
  at = 1_000,
): number {
  const key = String(Math.floor((db.prepare("select count(*) from raw_events").pluck().get() as number) + 1));
  const payload = JSON.stringify({ type, tool_name: `Tool ${key}`, tool_input: { command: "x".repeat(37) } });
  const id = store.rawEvents.insert({ session_id: session, kind: type, event_key: key, payload, now: at });
  if (id === null) throw new Error("no event");
  store.pending.enqueue(id, session, at);
  store.pending.count("accepted", 1);
  return id;
}

export function draft(title: string, ...sources: number[]): DraftObservation {
  return {
    obs_type: "change",
    title,
    subtitle: null,
    summary: `${title} happened.`,
    narrative: null,
    facts: [`fact of ${title}`],
    concepts: [],
    files_read: [],
    files_modified: [`src/${title}.ts`],
    provenance: "file",
    sources,
  };
}

export function summaryDraft(request: string, source: number): DraftSummary {
  return {
    request,
    investigated: null,
    learned: null,
    completed: null,
    next_steps: null,
    notes: null,
    facts: [],
    concepts: [],
    files_read: [],
    files_modified: [],
    source,
  };
}

/** Takes everything of the session through the generation queue, as the loop does. */
export async function generate(
  session: number,
  observations: DraftObservation[],
  { summaries = [], generator = "local", upgrade = false }: GenerateOptions = {},
): Promise<void> {
  const queue = createGenerationQueue(store, "instance-1");
  const claim = { now: 2_000, leaseMs: 1_000, limit: 50, maxChars: 1_000_000 };
  const batch = await queue.claim(session, claim);
  if (batch === null) throw new Error("nothing to generate");
  await queue.complete(batch, { observations, summaries, generator, upgrade });
}

/** A record named after each event. */
export function generateEach(session: number, events: readonly number[]): Promise<void> {
  return generate(
    session,
    events.map((id) => draft(`t${id}`, id)),
  );
}

interface GenerateOptions {
  summaries?: DraftSummary[];
  generator?: string;
  upgrade?: boolean;
}

export function titles(): unknown[] {
  return db.prepare("select title from observations order by id").pluck().all();
}

export function found(word: string): unknown[] {
  return db.prepare("select rowid from observations_fts where observations_fts match ?").pluck().all(word);
}

export async function nextBatch() {
  const batch = await store.regenerations.next(maxMessages);
  if (batch === null) throw new Error("no batch");
  return batch;
}

export async function complete(observations: DraftObservation[], summaries: DraftSummary[] = []) {
  const reply = { observations, summaries, generator: "model-1" };
  const replaced = await store.regenerations.complete(await nextBatch(), reply);
  if (replaced === null) throw new Error("nothing was replaced");
  return replaced;
}
