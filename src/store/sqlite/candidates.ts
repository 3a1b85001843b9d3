// Reads for the ranking of observations: best full-text rows, their neighbors in the session, and word frequencies.
import type { Candidate, RecordFilter, Scored, Standing } from "../../core/records/search.ts";
import { createDateRange } from "./date-range.ts";
import { createKnownTerms, type Known } from "./known-terms.ts";
import type { Sqlite } from "./open.ts";
import {
  conditionsOf,
  type FilterRow,
  isOnly,
  observations,
  ofProject,
  restricts,
  toRow,
} from "./record-filter.ts";
import { createSql } from "./sql.ts";

export type Candidates = ReturnType<typeof createCandidates>;

export function createCandidates(db: Sqlite) {
  const sql = createSql(db);
  const known = createKnownTerms(db);
  const scores = createScores(db);
  const passing = sql.values<[FilterRow & { ids: string }], number>(
    `select r.id
     from json_each(@ids) one
     cross join observations r on r.id = one.value
     where ${ofProject} and ${conditionsOf(observations)}`,
  );

  function candidates(hits: readonly Scored[]): (Candidate & Known)[] {
    const terms = known.of(hits.map(({ id }) => id));
    return hits
      .flatMap(({ id, score }, index) => {
        const one = terms[index];
        return one === undefined ? [] : [{ id, score, ...one }];
      })
      .sort((a, b) => a.score - b.score || b.id - a.id);
  }

  const withoutScore = (ids: readonly number[]) => candidates(ids.map((id) => ({ id, score: 0 })));

  return {
    /** The best rows for an FTS5 expression, best first, newer first among equals; includes rejected ones. */
    best: (match: string, filter: RecordFilter, limit: number): Candidate[] =>
      candidates(scores(match, filter, limit)),
    /** The same rows with their scores alone. */
    scores,
    /** The rows that exist with the columns that the ranking reads, best first. */
    candidates: (scored: readonly Scored[]): Candidate[] => candidates(scored),
    /** The rows among `ids` that pass the filter, with score 0. */
    some: (ids: readonly number[], filter: RecordFilter): Candidate[] =>
      restricts(filter)
        ? withoutScore(passing({ ids: JSON.stringify(ids), ...toRow(filter) }))
        : withoutScore(ids).filter((one) => one.status !== "rejected" && isInside(one, filter)),
    beside: createBeside(db),
    ...createCounts(db),
  };
}

type ScoredRow = [score: number, id: number];
type Match = { match: string; limit: number };
type Range = { first: number; last: number };

function createScores(db: Sqlite) {
  const sql = createSql(db);
  const rangeOf = createDateRange(db);
  const score = `bm25(observations_fts, ${observations.weights})`;
  const order = "order by score, rowid desc";
  const hits = (condition: string) =>
    `select rowid as id, ${score} as score
     from observations_fts
     where observations_fts match @match ${condition}`;
  // As one text: a row for each took a tenth of the match at 1,000 observations.
  const asText = (rows: string) => `select json_group_array(json_array(score, id)) from (${rows})`;
  const best = sql.value<[Match], string>(asText(`${hits("")} ${order} limit @limit`));
  const inRange = sql.value<[Match & Range], string>(
    asText(`${hits("and rowid between @first and @last")} ${order} limit @limit`),
  );
  // Ordered and then looked up until there are enough: when a filter passes much that is a few hundred rows. The limit
  // inside keeps SQLite from dropping the order.
  const filtered = sql.value<[FilterRow & Match & Range], string>(
    asText(
      `select hit.id, hit.score
       from (
         ${hits(`and rowid between @first and @last and ${isOnly("observations_fts")}`)}
         ${order}
         limit 1000000000
       ) hit
       cross join observations r on r.id = hit.id
       where ${ofProject} and ${conditionsOf(observations)}
       limit @limit`,
    ),
  );

  function narrowed(match: string, filter: RecordFilter, limit: number): string | undefined {
    const range = rangeOf(filter);
    if (range === null) return undefined;
    const { first, last, isExact } = range;
    return isExact && !restricts({ ...filter, dateStart: null, dateEnd: null })
      ? inRange({ match, limit, first, last })
      : filtered({ match, limit, first, last, ...toRow(filter) });
  }

  return (match: string, filter: RecordFilter, limit: number): Scored[] => {
    const found = restricts(filter) ? narrowed(match, filter, limit) : best({ match, limit });
    return (JSON.parse(found ?? "[]") as ScoredRow[]).map(([score, id]) => ({ id, score }));
  };
}

/** Reads up to two observations of the same session before each id, and up to two after it. */
function createBeside(db: Sqlite): (ids: readonly number[]) => Standing[] {
  const neighbors = (side: string, order: string) =>
    `(select json_group_array(id)
       from (
         select id
         from observations
         where sdk_session_id = me.sdk_session_id and id ${side} me.id
         order by id ${order}
         limit 2))`;
  // From the index of sessions, which holds the ids: joined to the records it took three times as long.
  const beside = createSql(db).all<[ids: string], { beside: number; before: string; after: string }>(
    `select me.id as beside, ${neighbors("<", "desc")} as before, ${neighbors(">", "asc")} as after
     from json_each(?) one
     cross join observations me on me.id = one.value
     order by one.key`,
  );
  return (ids) =>
    beside(JSON.stringify(ids)).flatMap(({ beside, before, after }) => {
      const around: number[] = [...JSON.parse(before), ...JSON.parse(after)];
      return around.map((id) => ({ beside, id }));
    });
}

function createCounts(db: Sqlite) {
  const sql = createSql(db);
  const frequency = sql.value<[match: string], number>(
    "select count(*) from observations_fts where observations_fts match ?",
  );
  db.exec(
    `create virtual table if not exists temp.observation_words using fts5vocab('main', 'observations_fts', 'row')`,
  );
  const inIndex = sql.value<[term: string], number>("select doc from temp.observation_words where term = ?");
  const upTo = sql.value<[match: string, limit: number], number>(
    "select count(*) from (select 1 from observations_fts where observations_fts match ? limit ?)",
  );
  const all = sql.value<[], number>("select ifnull(max(id), 0) from observations");
  const inProject = sql.value<[project: string], number>(
    "select count(*) from observations where project = ?",
  );
  return {
    /** How many rows an FTS5 expression matches; `term` is set when the expression is that term alone, in no scope. */
    frequency: (match: string, term = "") =>
      (plainStem.test(term) ? inIndex(term) : undefined) ?? frequency(match) ?? 0,
    /** The same; the count ends at `limit`. */
    frequencyUpTo: (match: string, limit: number) => upTo(match, limit) ?? 0,
    /** Approximate number of observations. */
    population: (project: string | null) => (project === null ? all() : inProject(project)) ?? 0,
  };
}

// Stems of plain letters equal the tokenizer's. The index counts a word in half the time of a match, or a third at
// 100,000 observations. Scope tokens are excluded.
const plainStem = /^(?!x[ptu])[a-z]+$/;

function isInside({ project, obs_type }: Known, filter: RecordFilter): boolean {
  return (
    (filter.project === null || project === filter.project) &&
    (filter.obs_type === null || obs_type === filter.obs_type)
  );
}
