// Full-text search and filtered lists over observations, summaries and prompts: ids first, records by key after.
import type { HitPage, ObservationLine, RecordFilter, TextHit } from "../../domain/search.ts";
import type { Sqlite } from "./open.ts";
import {
  conditionsOf,
  type FilterRow,
  observations,
  ofProject,
  prompts,
  restricts,
  type Searched,
  summaries,
  toRow,
} from "./record-filter.ts";

export interface TextSearch {
  /** The best rows for an FTS5 expression, best first, newer first among equals. */
  match(match: string, filter: RecordFilter, page: HitPage): TextHit[];
  /** Ids of the newest rows, newest first. */
  newest(filter: RecordFilter, page: HitPage): number[];
  /** The rows that hold the most of `parts` (lower case) anywhere, also within words; looks at the newest rows only. */
  containing(parts: readonly string[], filter: RecordFilter, page: HitPage): TextHit[];
}

/** One searcher per kind of record; the statements are prepared once. */
export function createSearchIndex(db: Sqlite) {
  return {
    observations: { ...createTextSearch(db, observations), line: createLines(db) },
    summaries: createTextSearch(db, summaries),
    prompts: createTextSearch(db, prompts),
  };
}

function createLines(db: Sqlite): (id: number) => ObservationLine | undefined {
  const line = db.prepare<[number], ObservationLine>(
    `select id, obs_type, title, summary, project, created_at_epoch, status, superseded_by, provenance
     from observations
     where id = ?`,
  );
  return (id) => line.get(id);
}

function createTextSearch(db: Sqlite, searched: Searched): TextSearch {
  const { table, weights, always, text } = searched;
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
  const matchFiltered = db.prepare<FilterRow & HitPage & { match: string }, TextHit>(
    `select ${fts}.rowid as id, bm25(${fts}, ${weights}) as score, r.created_at_epoch
     from ${fts}
     cross join ${table} r on r.id = ${fts}.rowid
     where ${fts} match @match and ${ofProject} and ${filters}
     order by score, id desc
     limit @limit
     offset @offset`,
  );
  // Only asked when nothing else was found. 5,000 rows of 1 KB are looked through in about 20 ms.
  const containing = db.prepare<FilterRow & HitPage & { parts: string }, TextHit>(
    `select id, -parts as score, created_at_epoch
     from (
       select r.id, r.created_at_epoch, (
         select count(*) from json_each(@parts) part where instr(lower(${text}), part.value) > 0) as parts
       from ${table} r
       where ${ofProject} and ${filters}
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

  return {
    match: (text, filter, page) =>
      (restricts(filter) ? matchFiltered : match).all({ match: text, ...toRow(filter), ...page }),
    newest: (filter, page) =>
      (filter.project === null ? newestOfAll : newestOfProject)
        .all({ ...toRow(filter), ...page })
        .map((row) => row.id),
    containing: (parts, filter, page) =>
      containing.all({ parts: JSON.stringify(parts), ...toRow(filter), ...page }),
  };
}
