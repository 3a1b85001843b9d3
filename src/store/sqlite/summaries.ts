// Session summaries: several per session are allowed; each is stored with its full-text row.
import type { DraftSummary } from "../../core/records/drafts.ts";
import type { SessionSummary } from "../../core/records/records.ts";
import { createDerivedRows } from "./derived-rows.ts";
import type { Sqlite } from "./open.ts";
import { type Page, type PageRequest, readPage } from "./page.ts";

export interface NewSummary {
  draft: DraftSummary;
  session_id: number;
  sdk_session_id: string;
  project: string;
  prompt_number: number | null;
  generator: string;
  generation_key: string;
  created_at_epoch: number;
  /** True where `local` stood in for a model: worth making again. */
  upgrade?: boolean;
}

export interface Summaries {
  /** Stores the summary; undefined when its generation key is there already. */
  insert(summary: NewSummary): SessionSummary | undefined;
  byId(id: number): SessionSummary | undefined;
  ofSession(sdkSessionId: string): SessionSummary[];
  page(request: PageRequest): Page<SessionSummary>;
}

/** The columns of the wire record, in its order. */
export const summaryColumns = `id, sdk_session_id, project, summary_text, request, investigated, learned, completed,
  next_steps, notes, facts, concepts, files_touched, files_read, files_modified, prompt_number, generator,
  created_at_epoch, synced_at, origin_device_id, origin_local_id, revision`;

export function createSummaries(db: Sqlite): Summaries {
  const derived = createDerivedRows(db);
  const insert = db.prepare<Record<string, string | number | null>, SessionSummary>(
    `insert into session_summaries (session_id, sdk_session_id, project, summary_text, request, investigated, learned,
       completed, next_steps, notes, facts, concepts, files_touched, files_read, files_modified, prompt_number,
       generator, generation_key, created_at_epoch, upgrade)
     values (@session_id, @sdk_session_id, @project, @summary_text, @request, @investigated, @learned,
       @completed, @next_steps, @notes, @facts, @concepts, @files_touched, @files_read, @files_modified,
       @prompt_number, @generator, @generation_key, @created_at_epoch, @upgrade)
     on conflict (generation_key) do nothing
     returning ${summaryColumns}`,
  );
  const byId = db.prepare<[number], SessionSummary>(
    `select ${summaryColumns} from session_summaries where id = ?`,
  );
  const ofSession = db.prepare<[string], SessionSummary>(
    `select ${summaryColumns} from session_summaries where sdk_session_id = ? order by id`,
  );
  const page = readPage<SessionSummary>(db, {
    table: "session_summaries",
    columns: summaryColumns,
    order: "created_at_epoch desc, id desc",
    projectOrder: "created_at_epoch desc, id desc",
  });

  return {
    insert(summary) {
      const stored = insert.get(summaryRow(summary));
      if (stored !== undefined) derived.write("session_summaries", stored);
      return stored;
    },
    byId: (id) => byId.get(id),
    ofSession: (sdkSessionId) => ofSession.all(sdkSessionId),
    page,
  };
}

/** The columns of a new summary. */
export function summaryRow({
  draft,
  upgrade = false,
  ...rest
}: NewSummary): Record<string, string | number | null> {
  return {
    ...rest,
    upgrade: upgrade ? 1 : 0,
    summary_text: summaryText(draft),
    request: draft.request,
    investigated: draft.investigated,
    learned: draft.learned,
    completed: draft.completed,
    next_steps: draft.next_steps,
    notes: draft.notes,
    facts: JSON.stringify(draft.facts),
    concepts: JSON.stringify(draft.concepts),
    files_touched: JSON.stringify(touchedFiles(draft)),
    files_read: JSON.stringify(draft.files_read),
    files_modified: JSON.stringify(draft.files_modified),
  };
}

function touchedFiles(draft: DraftSummary): string[] {
  return [...new Set([...draft.files_modified, ...draft.files_read])];
}

/** The parts of a summary under their names, one paragraph each. */
function summaryText(draft: DraftSummary): string {
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
