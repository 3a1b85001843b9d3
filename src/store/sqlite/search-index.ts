// Full-text search and filtered lists over observations, summaries and prompts: ids first, records by key after.
import type { HitPage, RecordFilter, TextHit } from "../../domain/search.ts";
import type { Sqlite } from "./open.ts";

export interface TextSearch {
  /** The best rows for an FTS5 expression, best first, newer first among equals. */
  match(match: string, filter: RecordFilter, page: HitPage): TextHit[];
  /** Ids of the newest rows, newest first. */
  newest(filter: RecordFilter, page: HitPage): number[];
}

/** One searcher per kind of record; the statements are prepared once. */
export function createSearchIndex(db: Sqlite) {
  return {
    observations: createTextSearch(db, observations),
    summaries: createTextSearch(db, summaries),
    prompts: createTextSearch(db, prompts),
  };
}

interface Searched {
  table: "observations" | "session_summaries" | "user_prompts";
  /** Weights of the full-text columns; `scope`, the first, never scores. */
  weights: string;
  /** Conditions that every row must meet. */
  always: string;
  /** Conditions that only this kind has; each is passed when its parameter is null. */
  own: string;
}

// Title 3, facts 2, narrative 1, files 4: fitted on the development half of commit-fixes, held against Cranfield
// (R@10 60.5 and 41.3; equal weights 60.7 and 40.5, title 5 and files 2 59.9 and 41.1).
const observations: Searched = {
  table: "observations",
  weights: "0, 3, 2, 1, 4",
  always: "true",
  own: `and (@obs_type is null or r.obs_type = @obs_type)
     and (@concepts is null or exists (
       select 1
       from json_each(iif(json_valid(r.concepts), r.concepts, '[]')) have
       join json_each(@concepts) want on want.value = have.value))
     and (@files is null or exists (
       select 1
       from observation_files have
       join json_each(@files) want on ${pathMatches("have.path", "want.value")}
       where have.observation_id = r.id))`,
};

const summaries: Searched = {
  table: "session_summaries",
  weights: "0, 1",
  always: "true",
  own: `and (@concepts is null or exists (
       select 1
       from json_each(iif(json_valid(r.concepts), r.concepts, '[]')) have
       join json_each(@concepts) want on want.value = have.value))
     and (@files is null or exists (
       select 1
       from json_each(iif(json_valid(r.files_touched), r.files_touched, '[]')) have
       join json_each(@files) want on ${pathMatches("have.value", "want.value")}))`,
};

const prompts: Searched = { table: "user_prompts", weights: "0, 1", always: "r.private = 0", own: "" };

function pathMatches(path: string, wanted: string): string {
  return `(${path} = ${wanted}
         or substr(${path}, -length(${wanted}) - 1) in ('/' || ${wanted}, '\\' || ${wanted}))`;
}

interface FilterRow {
  project: string | null;
  obs_type: string | null;
  concepts: string | null;
  files: string | null;
  dateStart: number | null;
  dateEnd: number | null;
}

function createTextSearch(db: Sqlite, searched: Searched): TextSearch {
  const { table, weights, always, own } = searched;
  const fts = `${table}_fts`;
  const filters = `${always}
     and (@dateStart is null or r.created_at_epoch >= @dateStart)
     and (@dateEnd is null or r.created_at_epoch <= @dateEnd)
     ${own}`;
  // The project stands in the match already; asking again costs nothing and holds when a row was moved.
  const ofProject = "(@project is null or r.project = @project)";

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
  };
}

// The type is a token of the match as well, so it needs no join.
function restricts(filter: RecordFilter): boolean {
  return (
    filter.concepts.length > 0 ||
    filter.files.length > 0 ||
    filter.dateStart !== null ||
    filter.dateEnd !== null
  );
}

function toRow(filter: RecordFilter): FilterRow {
  return {
    project: filter.project,
    obs_type: filter.obs_type,
    concepts: filter.concepts.length === 0 ? null : JSON.stringify(filter.concepts),
    files: filter.files.length === 0 ? null : JSON.stringify(filter.files),
    dateStart: filter.dateStart,
    dateEnd: filter.dateEnd,
  };
}
