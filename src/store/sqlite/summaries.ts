// Session summaries: several per session are allowed; each is stored with its full-text row.
import type { DraftSummary } from "../../core/records/drafts.ts";
import type { SessionSummary } from "../../core/records/records.ts";
import { createDerivedRows } from "./derived-rows.ts";
import type { Sqlite } from "./open.ts";
import { readPage } from "./page.ts";
import { createSql } from "./sql.ts";

export interface NewSummary {
  draft: DraftSummary;
  session_id: number;
  sdk_session_id: string;
  project: string;
  prompt_number: number | null;
  generator: string;
  generation_key: string;
  created_at_epoch: number;
  /** True if `local` replaced a model: worth regenerating. */
  upgrade?: boolean;
}

export type Summaries = ReturnType<typeof createSummaries>;

/** The columns of the wire record, in its order. */
export const summaryColumns = `id, sdk_session_id, project, summary_text, request, investigated, learned, completed,
  next_steps, notes, facts, concepts, files_touched, files_read, files_modified, prompt_number, generator,
  created_at_epoch, synced_at, origin_device_id, origin_local_id, revision`;

export function createSummaries(db: Sqlite) {
  const sql = createSql(db);
  const derived = createDerivedRows(db);
  const insert = sql.get<[Record<string, string | number | null>], SessionSummary>(
    `insert into session_summaries (session_id, sdk_session_id, project, summary_text, request, investigated, learned,
       completed, next_steps, notes, facts, concepts, files_touched, files_read, files_modified, prompt_number,
       generator, generation_key, created_at_epoch, upgrade)
     values (@session_id, @sdk_session_id, @project, @summary_text, @request, @investigated, @learned,
       @completed, @next_steps, @notes, @facts, @concepts, @files_touched, @files_read, @files_modified,
       @prompt_number, @generator, @generation_key, @created_at_epoch, @upgrade)
     on conflict (generation_key) do nothing
     returning ${summaryColumns}`,
  );
  const select = `select ${summaryColumns} from session_summaries`;
  return {
    /** Stores the summary; undefined when its generation key exists. */
    insert(summary: NewSummary): SessionSummary | undefined {
      const stored = insert(summaryRow(summary));
      if (stored !== undefined) derived.write("session_summaries", stored);
      return stored;
    },
    byId: sql.get<[id: number], SessionSummary>(`${select} where id = ?`),
    ofSession: sql.all<[sdkSessionId: string], SessionSummary>(
      `${select} where sdk_session_id = ? order by id`,
    ),
    page: readPage<SessionSummary>(db, { table: "session_summaries", columns: summaryColumns }),
  };
}

/** The columns of a new summary. */
export function summaryRow({
  draft,
  upgrade = false,
  ...rest
}: NewSummary): Record<string, string | number | null> {
  const { facts, concepts, files_read, files_modified } = draft;
  const { request, investigated, learned, completed, next_steps, notes } = draft;
  return {
    ...rest,
    ...{ request, investigated, learned, completed, next_steps, notes },
    upgrade: upgrade ? 1 : 0,
    summary_text: summaryText(draft),
    facts: JSON.stringify(facts),
    concepts: JSON.stringify(concepts),
    files_touched: JSON.stringify([...new Set([...files_modified, ...files_read])]),
    files_read: JSON.stringify(files_read),
    files_modified: JSON.stringify(files_modified),
  };
}

type SummaryParts = Pick<
  DraftSummary,
  "request" | "investigated" | "learned" | "completed" | "next_steps" | "notes"
>;

/** The parts of a summary under their names, one paragraph each. */
export function summaryText(draft: SummaryParts): string {
  const parts: [string, string | null][] = [
    ["Request", draft.request],
    ["Investigated", draft.investigated],
    ["Learned", draft.learned],
    ["Completed", draft.completed],
    ["Next steps", draft.next_steps],
    ["Notes", draft.notes],
  ];
  return parts
    .flatMap(([name, text]) => (text === null || text === "" ? [] : [`${name}: ${text}`]))
    .join("\n");
}
