// Full-text search and filtered lists over observations, summaries and prompts: ids first, records by key after.
import type {
  HitPage,
  ObservationLine,
  RecordFilter,
  TextHit,
  WalkPlace,
  WalkStep,
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
import { createVocabulary, type Vocabulary } from "./vocabulary.ts";

export interface TextSearch extends Vocabulary {
  /** The best rows for an FTS5 expression, best first, newer first among equals. */
  match(match: string, filter: RecordFilter, page: HitPage): TextHit[];
  /** Ids of the newest rows, newest first. */
  newest(filter: RecordFilter, page: HitPage): number[];
  /** The next of those from a place on: looks at some thousand rows at most, and gives `limit` ids at most. */
  walk(filter: RecordFilter, limit: number, from: WalkPlace | null): WalkStep;
  /** The rows that hold the most of `parts` (lower case) anywhere, also within words; looks at the newest rows only. */
  containing(parts: readonly string[], filter: RecordFilter, page: HitPage): TextHit[];
}

/** One searcher per kind of record; the statements are prepared once. */
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
  const lines = db.prepare<[string], ObservationLine>(
    `select o.id, o.obs_type, o.title, o.summary, o.project, o.created_at_epoch, o.status, o.superseded_by,
       o.provenance, o.said_by, o.standing, o.routine
     from json_each(?) one
     cross join observations o on o.id = one.value`,
  );
  return (ids) => lines.all(JSON.stringify(ids));
}

// A row that a filter looks into costs a microsecond or two.
const rowsPerStep = 5_000;

type Step = FilterRow & { limit: number; at: number; before: number; endAt: number; endId: number };

// A filter that lets nothing through looks at every row: 60 to 120 ms at 100,000 observations, during which nothing else
// would be answered.
function createWalk(db: Sqlite, searched: Searched): TextSearch["walk"] {
  const { table } = searched;
  const ofOne = (project: string) => {
    const placeAfter = db.prepare<Pick<Step, "at" | "before"> & { project: string | null }, WalkPlace>(
      `select created_at_epoch, id
       from ${table}
       where ${project.replace("r.", "")} and (created_at_epoch, id) < (@at, @before)
       order by created_at_epoch desc, id desc
       limit 1
       offset ${rowsPerStep - 1}`,
    );
    const step = db
      .prepare<Step, number>(
        `select r.id
         from ${table} r
         where ${project} and (r.created_at_epoch, r.id) < (@at, @before)
           and (r.created_at_epoch, r.id) >= (@endAt, @endId)
           and ${conditionsOf(searched)}
         order by r.created_at_epoch desc, r.id desc
         limit @limit`,
      )
      .pluck();
    return { placeAfter, step };
  };
  const all = ofOne("true");
  const inProject = ofOne("r.project = @project");

  return (filter, limit, from) => {
    const { placeAfter, step } = filter.project === null ? all : inProject;
    const at = from?.created_at_epoch ?? filter.dateEnd ?? Number.MAX_SAFE_INTEGER;
    const before = from?.id ?? Number.MAX_SAFE_INTEGER;
    const next = placeAfter.get({ at, before, project: filter.project }) ?? null;
    const end = { endAt: next?.created_at_epoch ?? Number.MIN_SAFE_INTEGER, endId: next?.id ?? 0 };
    const ids = step.all({ ...toRow(filter), limit, at, before, ...end });
    const isOver = next === null || (filter.dateStart !== null && next.created_at_epoch < filter.dateStart);
    return { ids, next: isOver ? null : next };
  };
}

interface Narrowed {
  match: string;
  first: number;
  last: number;
}

function createTextSearch(db: Sqlite, searched: Searched): TextSearch {
  const { table, weights, always, text, content } = searched;
  const fts = `${table}_fts`;
  const filters = conditionsOf(searched);

  // bm25() as an expression keeps a sorter of `limit` rows: 1.6 to 2 times faster than `order by rank`.
  const match = db.prepare<FilterRow & HitPage & { match: string }, TextHit>(
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
  const matchFiltered = db.prepare<FilterRow & HitPage & Narrowed, TextHit>(
    `select ${fts}.rowid as id, bm25(${fts}, ${weights}) as score, r.created_at_epoch
     from ${fts}
     cross join ${table} r on r.id = ${fts}.rowid
     where ${fts} match @match and ${fts}.rowid between @first and @last
       and ${isOnly(fts)} and ${ofProject} and ${filters}
     order by score, id desc
     limit @limit
     offset @offset`,
  );
  // Only asked when nothing else was found. 5,000 rows of 1 KB are looked through in about 20 ms.
  const containing = db.prepare<FilterRow & HitPage & { parts: string }, TextHit>(
    `select id, -parts as score, created_at_epoch
     from (
       select r.id, r.created_at_epoch, (
         select count(*)
         from json_each(@parts) part
         where instr(lower(${text}), part.value) > 0 and instr(lower(${content}), part.value) > 0) as parts
       from ${table} r
       where (@only is null or r.id in (select value from json_each(@only))) and ${ofProject} and ${filters}
       order by r.created_at_epoch desc, r.id desc
       limit 5000
     )
     where parts > 0
     order by parts desc, created_at_epoch desc, id desc
     limit @limit
     offset @offset`,
  );
  const newestOf = (project: string) =>
    db.prepare<FilterRow & HitPage, { id: number }>(
      `select r.id
     from ${table} r
     where ${project} and ${filters}
     order by r.created_at_epoch desc, r.id desc
     limit @limit
     offset @offset`,
    );
  const newestOfAll = newestOf("true");
  const newestOfProject = newestOf("r.project = @project");

  function narrowed(text: string, filter: RecordFilter, page: HitPage): TextHit[] {
    const range = rangeOf(filter);
    if (range === null) return [];
    const { first, last } = range;
    return matchFiltered.all({ match: text, first, last, ...toRow(filter), ...page });
  }

  return {
    match: (text, filter, page) =>
      restricts(filter)
        ? narrowed(text, filter, page)
        : match.all({ match: text, ...toRow(filter), ...page }),
    ...createVocabulary(db, fts),
    walk: createWalk(db, searched),
    newest: (filter, page) =>
      (filter.project === null ? newestOfAll : newestOfProject)
        .all({ ...toRow(filter), ...page })
        .map((row) => row.id),
    containing: (parts, filter, page) =>
      containing.all({ parts: JSON.stringify(parts), ...toRow(filter), ...page }),
  };
}
