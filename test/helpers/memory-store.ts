// A store in memory with short ways to put records into it, for tests of what reads them.
import { existsSync, writeFileSync } from "node:fs";
import { beforeEach } from "vitest";
import type { Intake, IntakeDeps } from "../../src/capture/inputs.ts";
import { createIntake } from "../../src/capture/intake.ts";
import { createLedger, type Ledger } from "../../src/context/ledger.ts";
import type { DraftObservation, DraftSummary } from "../../src/core/records/drafts.ts";
import type { Observation, SessionSummary, UserPrompt } from "../../src/core/records/records.ts";
import { withLateStatements } from "../../src/store/sqlite/late-statements.ts";
import { openDatabase, type Sqlite } from "../../src/store/sqlite/open.ts";
import { createStore, type Store } from "../../src/store/sqlite/store.ts";

interface Owner {
  project?: string;
  /** The host's session id; one per project when not given. */
  session?: string;
  at?: number;
}

export interface MemoryStore {
  db: Sqlite;
  store: Store;
  addObservation(
    observation: Partial<DraftObservation> &
      Owner & { work?: number; generator?: string; prompt_number?: number },
  ): Observation;
  addSummary(summary: Partial<DraftSummary> & Owner & { generator?: string }): SessionSummary;
  addPrompt(text: string, prompt?: Owner & { private?: boolean }): UserPrompt;
  close(): void;
}

/** The time of a record that names none: 2026-11-20 12:00 UTC. */
export const someTime = Date.UTC(2026, 10, 20, 12);

/** In memory, or in a file that others can open too. */
export function createMemoryStore(path?: string): MemoryStore {
  const db = openMigrated(path);
  const store = createStore(db);
  let keys = 0;

  function ownerOf({ project = "app", session = `session of ${project}`, at = someTime }: Owner) {
    const id =
      store.sessions.byClaudeId(session)?.id ??
      store.sessions.insert({
        claude_session_id: session,
        sdk_session_id: `sdk ${session}`,
        project,
        host: "api",
        cwd: null,
        now: at,
      });
    return { session_id: id, sdk_session_id: `sdk ${session}`, project, created_at_epoch: at };
  }
  return {
    db,
    store,
    addObservation({
      work = 0,
      sources = [],
      prompt_number,
      project,
      session,
      at,
      generator = "local",
      ...draft
    }) {
      const stored = store.observations.insert({
        ...ownerOf({ ...(project && { project }), ...(session && { session }), ...(at && { at }) }),
        draft: { ...plainObservation, ...draft },
        sources,
        prompt_number: prompt_number ?? null,
        generator,
        agent_id: null,
        agent_type: null,
        discovery_tokens: work,
        generation_key: null,
      });
      if (stored === undefined) throw new Error("the observation was not stored");
      return stored;
    },
    addSummary({ source: _source, project, session, at, generator = "local", ...draft }) {
      const stored = store.summaries.insert({
        ...ownerOf({ ...(project && { project }), ...(session && { session }), ...(at && { at }) }),
        draft: { ...plainSummary, ...draft },
        prompt_number: null,
        generator,
        generation_key: `test ${++keys}`,
      });
      if (stored === undefined) throw new Error("the summary was not stored");
      return stored;
    },
    addPrompt(text, { private: hidden = false, ...owner } = {}) {
      const { session_id, sdk_session_id, project, created_at_epoch } = ownerOf(owner);
      const number = ++keys;
      return store.prompts.insert({
        session_id,
        claude_session_id: sdk_session_id.slice(4),
        sdk_session_id,
        project,
        prompt_number: number,
        prompt_text: text,
        private: hidden ? 1 : 0,
        event_key: `prompt ${number}`,
        now: created_at_epoch,
      });
    },
    close: () => db.close(),
  };
}

/** A new store in memory for each test of the file. */
export function eachMemoryStore(): MemoryStore {
  let made: MemoryStore;
  beforeEach(() => {
    made = createMemoryStore();
    return () => made.close();
  });
  return {
    get db() {
      return made.db;
    },
    get store() {
      return made.store;
    },
    addObservation: (observation) => made.addObservation(observation),
    addSummary: (summary) => made.addSummary(summary),
    addPrompt: (text, prompt) => made.addPrompt(text, prompt),
    close: () => made.close(),
  };
}

/** The ledger of injected context, in the store. */
export function ledgerIn({ contextLedger, injections, commit }: Store, now: () => number): Ledger {
  return createLedger({ port: { ...contextLedger, log: injections.add }, now, commit });
}

/** An intake that skips, publishes and withdraws nothing, and knows one project; except for what `parts` has. */
export function intakeInto(store: Store, now: () => number, parts: Partial<IntakeDeps> = {}): Intake {
  return createIntake({
    store,
    clock: { now, monotonicMs: now },
    skipTools: () => new Set(),
    projectOf: () => "demo",
    projectNamed: (label) => label,
    publish: () => undefined,
    onQueued: () => undefined,
    onWithdrawn: async () => undefined,
    ...parts,
  });
}

/** An empty database in memory, or in this file if it is new. Statements are as in the worker: most tests use few of 160. */
export function openMigrated(path?: string): Sqlite {
  if (path !== undefined && !existsSync(path)) writeFileSync(path, emptyDatabase(), { mode: 0o600 });
  return withLateStatements(openDatabase(path ?? emptyDatabase(), { product: "0.0.0", now: someTime }));
}

let empty: Buffer | undefined;

// The migrations take 8 ms in memory and 18 ms in a file.
function emptyDatabase(): Buffer {
  if (empty === undefined) {
    const db = openDatabase(":memory:", { product: "0.0.0", now: someTime });
    empty = db.serialize();
    db.close();
  }
  return empty;
}

const plainObservation: Omit<DraftObservation, "sources"> = {
  obs_type: "change",
  title: "Edited a file",
  subtitle: null,
  summary: "A file was edited.",
  narrative: null,
  facts: [],
  concepts: [],
  files_read: [],
  files_modified: [],
  provenance: "file",
};

const plainSummary: DraftSummary = {
  request: null,
  investigated: null,
  learned: null,
  completed: null,
  next_steps: null,
  notes: null,
  facts: [],
  concepts: [],
  files_read: [],
  files_modified: [],
  source: 0,
};
