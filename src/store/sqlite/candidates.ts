// What the ranking of observations reads: the best of the full-text index, who stands beside them, how common a word is.
import { packTerms, type TermSource, unpackTerms } from "../../domain/record-terms.ts";
import type { Candidate, RecordFilter, Standing } from "../../domain/search.ts";
import type { Sqlite } from "./open.ts";
import { conditionsOf, type FilterRow, observations, ofProject, restricts, toRow } from "./record-filter.ts";

export interface Candidates {
  /** The best rows for an FTS5 expression, best first, newer first among equals. */
  best(match: string, filter: RecordFilter, limit: number): Candidate[];
  /** Those of the ids that the filter lets through; their score is 0. */
  some(ids: readonly number[], filter: RecordFilter): Candidate[];
  /** Up to two observations of the same session before each id, and up to two after it. */
  beside(ids: readonly number[]): Standing[];
  /** How many rows an FTS5 expression matches. */
  frequency(match: string): number;
  /** About how many observations there are. */
  population(project: string | null): number;
}

interface Row extends Omit<Candidate, "terms"> {
  terms: Uint8Array | null;
}

export function createCandidates(db: Sqlite): Candidates {
  const { weights, always } = observations;
  const filters = conditionsOf(observations);
  const columns = "r.created_at_epoch, r.status, t.terms";
  const withTerms = "left join observation_terms t on t.observation_id = r.id";
  const score = `bm25(observations_fts, ${weights})`;

  // Inside the sorter only ids and scores: the record is read of those that stay.
  const best = db.prepare<FilterRow & { match: string; limit: number }, Row>(
    `select hit.id, hit.score, ${columns}
     from (
       select rowid as id, ${score} as score
       from observations_fts
       where observations_fts match @match
       order by score, rowid desc
       limit @limit
     ) hit
     cross join observations r on r.id = hit.id
     ${withTerms}
     where ${always} and ${ofProject}
     order by hit.score, hit.id desc`,
  );
  const bestFiltered = db.prepare<FilterRow & { match: string; limit: number }, Row>(
    `select hit.id, hit.score, ${columns}
     from (
       select observations_fts.rowid as id, ${score} as score
       from observations_fts
       cross join observations r on r.id = observations_fts.rowid
       where observations_fts match @match and ${ofProject} and ${filters}
       order by score, id desc
       limit @limit
     ) hit
     cross join observations r on r.id = hit.id
     ${withTerms}
     order by hit.score, hit.id desc`,
  );
  const some = db.prepare<FilterRow & { ids: string }, Row>(
    `select r.id, 0 as score, ${columns}
     from json_each(@ids) one
     cross join observations r on r.id = one.value
     ${withTerms}
     where ${ofProject} and ${filters}`,
  );
  const beside = db.prepare<[string], Standing>(
    `select one.value as beside, o.id
     from json_each(?) one
     cross join observations me on me.id = one.value
     cross join observations o on o.id in (
       select id from (
         select id from observations
         where sdk_session_id = me.sdk_session_id and id < me.id
         order by id desc
         limit 2)
       union all
       select id from (
         select id from observations
         where sdk_session_id = me.sdk_session_id and id > me.id
         order by id
         limit 2))
     order by one.key, o.id`,
  );
  const source = db.prepare<[number], TermSource>(
    "select title, subtitle, summary, narrative, facts, files_touched from observations where id = ?",
  );
  const frequency = db
    .prepare<[string], number>("select count(*) from observations_fts where observations_fts match ?")
    .pluck();
  const all = db.prepare<[], number>("select ifnull(max(id), 0) from observations").pluck();
  const inProject = db
    .prepare<[string], number>("select count(*) from observations where project = ?")
    .pluck();

  // A record of an older version has no terms yet.
  const termsOf = (id: number) => {
    const text = source.get(id);
    return text === undefined ? new Uint8Array(8) : packTerms(text);
  };
  const toCandidate = ({ terms, ...row }: Row): Candidate => ({
    ...row,
    terms: unpackTerms(terms ?? termsOf(row.id)),
  });

  return {
    best: (match, filter, limit) =>
      (restricts(filter) ? bestFiltered : best).all({ match, limit, ...toRow(filter) }).map(toCandidate),
    some: (ids, filter) => some.all({ ids: JSON.stringify(ids), ...toRow(filter) }).map(toCandidate),
    beside: (ids) => beside.all(JSON.stringify(ids)),
    frequency: (match) => frequency.get(match) ?? 0,
    population: (project) => (project === null ? all.get() : inProject.get(project)) ?? 0,
  };
}
