// Imports of transcripts into a worker on a real database file, and what is stored afterwards.
import { expect } from "vitest";
import type { ImportBatch } from "../../src/core/records/imports.ts";
import { exportLine } from "../../src/core/records/memory-export.ts";
import { type ImportProgress, importAll } from "../../src/imports/import.ts";
import type { Source } from "../../src/imports/source.ts";
import { openSnapshot } from "../../src/store/sqlite/memory-export.ts";
import type { Json } from "../../src/text/json.ts";
import { ask, db, generated } from "./trash-world.ts";

export interface Cut {
  /** Fails before this batch. */
  before?: number;
}

/** Imports the sources through the worker's routes; resolves once their records are generated. */
export async function importInto(
  sources: readonly Source[],
  { before = Number.POSITIVE_INFINITY }: Cut = {},
): Promise<ImportProgress> {
  let batches = 0;
  const port = {
    async importBatch(batch: ImportBatch) {
      batches += 1;
      if (batches >= before) throw new Error("killed");
      const { status, body } = await ask("POST", "/api/import/events", batch);
      expect(status).toBe(200);
      return body;
    },
    async importRecords(records: readonly Json[]) {
      const { status, body } = await ask("POST", "/api/import/records", { records });
      expect(status).toBe(200);
      return body;
    },
    importState: async (source: string) => ({
      ...(await ask("GET", `/api/import/sources/${source}`)).body,
      waiting: 0,
    }),
  };
  const signal = new AbortController().signal;
  const ended = await importAll(sources, { port, signal, filter: null, onProgress: () => undefined });
  await generated();
  return ended;
}

/** Sessions, prompts, events and records, without the times of the import. */
export function stored(): Record<string, unknown> {
  const read = (sql: string) => db.prepare(sql).all();
  return {
    sessions: read(
      "select claude_session_id, project, host, cwd, status, prompt_count, created_at_epoch, completed_at_epoch from sessions",
    ),
    prompts: read(
      "select prompt_number, prompt_text, private, event_key, created_at_epoch from user_prompts order by id",
    ),
    events: read(
      "select kind, payload, created_at_epoch from raw_events order by created_at_epoch, event_key",
    ),
    observations: read(
      "select title, obs_type, prompt_number, said_by, standing, status, created_at_epoch from observations order by created_at_epoch, title",
    ),
    summaries: read(
      "select summary_text, prompt_number, created_at_epoch from session_summaries order by id",
    ),
  };
}

/** The records of an export, as `mem import jsonl` sends them. */
export function exportLines(): Json[] {
  const snapshot = openSnapshot(db.name, {});
  try {
    return [...snapshot.rows()].map(({ type, row }) => JSON.parse(exportLine(type, row)) as Json);
  } finally {
    snapshot.close();
  }
}
