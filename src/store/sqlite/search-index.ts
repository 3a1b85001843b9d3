// Full-text search and filtered lists over observations, summaries and prompts: ids first, records by key after.
import type {
  HitPage,
  ObservationLine,
  RecordFilter,
  ScanPlace,
  ScanStep,
  TextHit,
} from "../../core/records/search.ts";
import { summaryContent, withoutTemplateWords } from "../../core/records/template-words.ts";
import { createDateRange, everything } from "./date-range.ts";
import type { Sqlite } from "./open.ts";
import {
  conditionsOf,
  type FilterRow,
  isOnly,
  observations,
  ofProject,
  prompts,
  restricts,
  type Searched,
  summaries,
  toRow,
} from "./record-filter.ts";
import { createSql } from "./sql.ts";
import { createVocabulary } from "./vocabulary.ts";

/** One searcher for each kind of record. */
export function createSearchIndex(db: Sqlite) {
  db.function("without_template_words", { deterministic: true }, withoutTemplateWords);
  db.function("summary_content", { deterministic: true }, summaryContent);
  return {
    observations: { ...createTextSearch(db, observations), lines: createLines(db) },
    summaries: createTextSearch(db, summaries),
    prompts: createTextSearch(db, prompts),
  };
}

function createLines(db: Sqlite): (ids: readonly number[]) => ObservationLine[] {
  const lines = createSql(db).all<[ids: string], ObservationLine>(
    `select o.id, o.obs_type, o.title, o.summary, o.project, o.created_at_epoch, o.status, o.superseded_by,
       o.provenance, o.said_by, o.statement_kind, o.standing, o.reach, o.routine, o.branch,
       o.git_commit as "commit"
     from json_each(?) one
     cross join observations o on o.id = one.value`,
  );
  return (ids) => lines(JSON.stringify(ids));
}

function createTextSearch(db: Sqlite, searched: Searched) {
  return {
    match: createMatch(db, searched),
    ...createVocabulary(db, `${searched.table}_fts`),
    scan: createScan(db, searched),
    newest: createNewest(db, searched),
    containing: createContaining(db, searched),
  };
}

type Paged = FilterRow & HitPage;

/** Reads the best rows for an FTS5 expression, best first, newer first among equals. */
function createMatch(db: Sqlite, searched: Searched) {
  const { table, weights, always } = searched;
  const sql = createSql(db);
  const fts = `${table}_fts`;
  // bm25() as an expression keeps a sorter of `limit` rows: 1.6 to 2 times faster than `order by rank`.
  const match = sql.all<[Paged & { match: string }], TextHit>(
    `select hit.id, hit.score, r.created_at_epoch
     from (
       select rowid as id, bm25(${fts}, ${weights}) as score
       from ${fts}
       where ${fts} match @match
       order by score, rowid desc
       limit @limit
       offset @offset
     ) hit
     cross join ${table} r on r.id = hit.id
     where ${always} and ${ofProject}
     order by hit.score, hit.id desc`,
  );
  const rangeOf = table === "observations" ? createDateRange(db) : () => everything;
  const matchFiltered = sql.all<[Paged & { match: string; first: number; last: number }], TextHit>(
    `select ${fts}.rowid as id, bm25(${fts}, ${weights}) as score, r.created_at_epoch
     from ${fts}
     cross join ${table} r on r.id = ${fts}.rowid
     where ${fts} match @match and ${fts}.rowid between @first and @last
       and ${isOnly(fts)} and ${ofProject} and ${conditionsOf(searched)}
     order by score, id desc
     limit @limit
     offset @offset`,
  );
  return (text: string, filter: RecordFilter, page: HitPage): TextHit[] => {
    const row = { match: text, ...toRow(filter), ...page };
    if (!restricts(filter)) return match(row);
    const range = rangeOf(filter);
    return range === null ? [] : matchFiltered({ ...row, first: range.first, last: range.last });
  };
}

/** Reads the ids of the newest rows, newest first. */
function createNewest(db: Sqlite, searched: Searched) {
  const newest = (project: string) =>
    createSql(db).values<[Paged], number>(
      `select r.id
       from ${searched.table} r
       where ${project} and ${conditionsOf(searched)}
       order by r.created_at_epoch desc, r.id desc
       limit @limit
       offset @offset`,
    );
  const all = newest("true");
  const inProject = newest("r.project = @project");
  return (filter: RecordFilter, page: HitPage): number[] =>
    (filter.project === null ? all : inProject)({ ...toRow(filter), ...page });
}

/** Reads the rows that hold the most of `parts` (lower case) anywhere, also inside words, among the newest 5,000. */
function createContaining(db: Sqlite, searched: Searched) {
  const { table, text, content } = searched;
  // Only asked when nothing else was found. 5,000 rows of 1 KB take about 20 ms.
  const containing = createSql(db).all<[Paged & { parts: string }], TextHit>(
    `select id, -parts as score, created_at_epoch
     from (
       select r.id, r.created_at_epoch, (
         select count(*)
         from json_each(@parts) part
         where instr(lower(${text}), part.value) > 0 and instr(lower(${content}), part.value) > 0) as parts
       from ${table} r
       where (@only is null or r.id in (select value from json_each(@only))) and ${ofProject} and ${conditionsOf(searched)}
       order by r.created_at_epoch desc, r.id desc
       limit 5000
     )
     where parts > 0
     order by parts desc, created_at_epoch desc, id desc
     limit @limit
     offset @offset`,
  );
  return (parts: readonly string[], filter: RecordFilter, page: HitPage): TextHit[] =>
    containing({ parts: JSON.stringify(parts), ...toRow(filter), ...page });
}

// A row that a filter reads costs a microsecond or two.
const rowsPerStep = 5_000;

type Step = FilterRow & { limit: number; at: number; before: number; endAt: number; endId: number };

/**
 * Scans from the newest row to the oldest in steps of at most `rowsPerStep` rows, each giving at most `limit` ids. A filter
 * that passes nothing reads every row: in one statement that would block the worker for 60 to 120 ms at 100,000
 * observations.
 */
function createScan(db: Sqlite, searched: Searched) {
  const { table } = searched;
  const sql = createSql(db);
  const scan = (project: string) => ({
    placeAfter: sql.get<[Pick<Step, "at" | "before"> & { project: string | null }], ScanPlace>(
      `select created_at_epoch, id
       from ${table}
       where ${project.replace("r.", "")} and (created_at_epoch, id) < (@at, @before)
       order by created_at_epoch desc, id desc
       limit 1
       offset ${rowsPerStep - 1}`,
    ),
    step: sql.values<[Step], number>(
      `select r.id
       from ${table} r
       where ${project} and (r.created_at_epoch, r.id) < (@at, @before)
         and (r.created_at_epoch, r.id) >= (@endAt, @endId)
         and ${conditionsOf(searched)}
       order by r.created_at_epoch desc, r.id desc
       limit @limit`,
    ),
  });
  const all = scan("true");
  const inProject = scan("r.project = @project");
  return (filter: RecordFilter, limit: number, from: ScanPlace | null): ScanStep => {
    const { placeAfter, step } = filter.project === null ? all : inProject;
    const at = from?.created_at_epoch ?? filter.dateEnd ?? Number.MAX_SAFE_INTEGER;
    const before = from?.id ?? Number.MAX_SAFE_INTEGER;
    const next = placeAfter({ at, before, project: filter.project }) ?? null;
    const end = { endAt: next?.created_at_epoch ?? Number.MIN_SAFE_INTEGER, endId: next?.id ?? 0 };
    const ids = step({ ...toRow(filter), limit, at, before, ...end });
    const isOver = next === null || (filter.dateStart !== null && next.created_at_epoch < filter.dateStart);
    return { ids, next: isOver ? null : next };
  };
}
