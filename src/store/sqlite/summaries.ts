// Session summaries: several per session are allowed; each is stored with its full-text row.
import type { DraftSummary } from "../../core/records/drafts.ts";
import type { GitPlace, SessionSummary } from "../../core/records/records.ts";
import { summaryPartsOf, summaryText } from "../../core/records/summary-parts.ts";
import { createDerivedRows } from "./derived-rows.ts";
import { generatedColumns, listsOf, ownerColumns } from "./generated-columns.ts";
import type { Sqlite } from "./open.ts";
import { readPage } from "./page.ts";
import { createSql, insertInto } from "./sql.ts";

export interface NewSummary extends GitPlace {
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
  created_at_epoch, branch, git_commit as "commit", synced_at, origin_device_id, origin_local_id, revision`;

export function createSummaries(db: Sqlite) {
  const sql = createSql(db);
  const derived = createDerivedRows(db);
  const insert = sql.get<[Record<string, string | number | null>], SessionSummary>(
    `${insertInto("session_summaries", [...ownerColumns, "generation_key", ...generatedColumns.summary])}
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
  branch = null,
  commit: git_commit = null,
  ...rest
}: NewSummary): Record<string, string | number | null> {
  return {
    ...rest,
    ...{ branch, git_commit },
    ...summaryPartsOf(draft),
    upgrade: upgrade ? 1 : 0,
    summary_text: summaryText(draft),
    ...listsOf(draft),
  };
}
