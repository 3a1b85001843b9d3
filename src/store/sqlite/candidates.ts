// What the ranking of observations reads: the best of the full-text index, who stands beside them, how common a word is.
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

export interface Candidates {
  /** The best rows for an FTS5 expression, best first, newer first among equals; rejected ones are among them. */
  best(match: string, filter: RecordFilter, limit: number): Candidate[];
  /** The same without what the ranking reads of each. */
  scores(match: string, filter: RecordFilter, limit: number): Scored[];
  /** What the ranking reads of those that are there, best first. */
  candidates(scored: readonly Scored[]): Candidate[];
  /** Those of the ids that the filter lets through; their score is 0. */
  some(ids: readonly number[], filter: RecordFilter): Candidate[];
  /** Up to two observations of the same session before each id, and up to two after it. */
  beside(ids: readonly number[]): Standing[];
  /** How many rows an FTS5 expression matches; with a term, when it is that one alone, in no scope. */
  frequency(match: string, term?: string): number;
  /** The same, but counting ends at `limit`. */
  frequencyUpTo(match: string, limit: number): number;
  /** About how many observations there are. */
  population(project: string | null): number;
}

type ScoredRow = [score: number, id: number];

/** An id, and as JSON those right before it and right behind it. */
interface Around {
  beside: number;
  before: string;
  after: string;
}

export function createCandidates(db: Sqlite): Candidates {
  const { weights } = observations;
  const filters = conditionsOf(observations);
  const score = `bm25(observations_fts, ${weights})`;
  const known = createKnownTerms(db);
  const rangeOf = createDateRange(db);
  // As one text: a row for each took a tenth of the match at 1,000 observations.
  const asText = (hits: string) => `select json_group_array(json_array(score, id)) from (${hits})`;
  const best = db
    .prepare<{ match: string; limit: number }, string>(
      asText(`
        select rowid as id, ${score} as score
        from observations_fts
        where observations_fts match @match
        order by score, rowid desc
        limit @limit`),
    )
    .pluck();
  const inRange = db
    .prepare<{ match: string; limit: number; first: number; last: number }, string>(
      asText(`
        select rowid as id, ${score} as score
        from observations_fts
        where observations_fts match @match and rowid between @first and @last
        order by score, rowid desc
        limit @limit`),
    )
    .pluck();
  // Best first and then looked up, until there are enough: when a filter lets much through that is a few hundred rows.
  // The limit inside keeps the order from being left out.
  const filtered = db
    .prepare<FilterRow & { match: string; limit: number; first: number; last: number }, string>(
      asText(`
        select hit.id, hit.score
        from (
          select rowid as id, ${score} as score
          from observations_fts
          where observations_fts match @match and rowid between @first and @last
            and ${isOnly("observations_fts")}
          order by score, rowid desc
          limit 1000000000
        ) hit
        cross join observations r on r.id = hit.id
        where ${ofProject} and ${filters}
        limit @limit`),
    )
    .pluck();
  const passing = db
    .prepare<FilterRow & { ids: string }, number>(
      `select r.id
       from json_each(@ids) one
       cross join observations r on r.id = one.value
       where ${ofProject} and ${filters}`,
    )
    .pluck();
  // Along the index of the sessions, which holds the ids: joined to the records it took three times as long.
  const beside = db.prepare<[string], Around>(
    `select me.id as beside, (
       select json_group_array(id)
       from (
         select id
         from observations
         where sdk_session_id = me.sdk_session_id and id < me.id
         order by id desc
         limit 2)) as before, (
       select json_group_array(id)
       from (
         select id
         from observations
         where sdk_session_id = me.sdk_session_id and id > me.id
         order by id
         limit 2)) as after
     from json_each(?) one
     cross join observations me on me.id = one.value
     order by one.key`,
  );
  const frequency = db
    .prepare<[string], number>("select count(*) from observations_fts where observations_fts match ?")
    .pluck();
  db.exec(
    `create virtual table if not exists temp.observation_words using fts5vocab('main', 'observations_fts', 'row')`,
  );
  const inIndex = db
    .prepare<[string], number>("select doc from temp.observation_words where term = ?")
    .pluck();
  const upTo = db
    .prepare<[string, number], number>(
      "select count(*) from (select 1 from observations_fts where observations_fts match ? limit ?)",
    )
    .pluck();
  const all = db.prepare<[], number>("select ifnull(max(id), 0) from observations").pluck();
  const inProject = db
    .prepare<[string], number>("select count(*) from observations where project = ?")
    .pluck();

  function narrowed(match: string, filter: RecordFilter, limit: number): string | undefined {
    const range = rangeOf(filter);
    if (range === null) return undefined;
    const { first, last, isExact } = range;
    return isExact && !filter.lasting && filter.concepts.length === 0 && filter.files.length === 0
      ? inRange.get({ match, limit, first, last })
      : filtered.get({ match, limit, first, last, ...toRow(filter) });
  }

  function toCandidates(hits: readonly Scored[]): (Candidate & Known)[] {
    const all = known.of(hits.map(({ id }) => id));
    const candidates = hits.flatMap(({ id, score }, index) => {
      const one = all[index];
      if (one === undefined) return [];
      return [{ id, score, ...one }];
    });
    return candidates.sort((a, b) => a.score - b.score || b.id - a.id);
  }

  function withoutScore(ids: readonly number[]): (Candidate & Known)[] {
    return toCandidates(ids.map((id) => ({ id, score: 0 })));
  }

  function scores(match: string, filter: RecordFilter, limit: number): Scored[] {
    const found = restricts(filter) ? narrowed(match, filter, limit) : best.get({ match, limit });
    // What stands in it is said by the query above.
    return (JSON.parse(found ?? "[]") as ScoredRow[]).map(([score, id]) => ({ id, score }));
  }

  return {
    best: (match, filter, limit) => toCandidates(scores(match, filter, limit)),
    scores,
    candidates: toCandidates,
    some: (ids, filter) =>
      restricts(filter)
        ? withoutScore(passing.all({ ids: JSON.stringify(ids), ...toRow(filter) }))
        : withoutScore(ids).filter((one) => one.status !== "rejected" && isInside(one, filter)),
    beside: (ids) => beside.all(JSON.stringify(ids)).flatMap(standingAround),
    frequency: (match, term = "") =>
      (plainStem.test(term) ? inIndex.get(term) : undefined) ?? frequency.get(match) ?? 0,
    frequencyUpTo: (match, limit) => upTo.get(match, limit) ?? 0,
    population: (project) => (project === null ? all.get() : inProject.get(project)) ?? 0,
  };
}

// Stems of letters are those of the tokenizer. The index counts its words in half the time of a match, or a third at
// 100,000 observations; no word is a token of the scope.
const plainStem = /^(?!x[ptu])[a-z]+$/;

function isInside({ project, obs_type }: Known, filter: RecordFilter): boolean {
  return (
    (filter.project === null || project === filter.project) &&
    (filter.obs_type === null || obs_type === filter.obs_type)
  );
}

function standingAround({ beside, before, after }: Around): Standing[] {
  const ids: number[] = [...JSON.parse(before), ...JSON.parse(after)];
  return ids.map((id) => ({ beside, id }));
}
