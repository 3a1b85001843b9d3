// What the ranking of observations reads: the best of the full-text index, who stands beside them, how common a word is.
import { codesOfPacked, packTerms, type TermSource, unpackTerms } from "../../domain/record-terms.ts";
import type { ObservationStatus } from "../../domain/records.ts";
import type { Candidate, RecordFilter, Standing } from "../../domain/search.ts";
import type { Sqlite } from "./open.ts";
import { conditionsOf, type FilterRow, observations, ofProject, restricts, toRow } from "./record-filter.ts";

export interface Candidates {
  /** The best rows for an FTS5 expression, best first, newer first among equals; rejected ones are among them. */
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

/** All rows at once: their figures as JSON, their terms one behind the other. */
interface Rows {
  figures: string;
  terms: Uint8Array | null;
}

/** Score, id, time, what the user said of it, how many bytes its terms take. */
type Figures = [
  score: number,
  id: number,
  created_at_epoch: number | null,
  status: ObservationStatus | null,
  bytes: number | null,
];

type Source = TermSource & { created_at_epoch: number };

export function createCandidates(db: Sqlite): Candidates {
  const { weights } = observations;
  const filters = conditionsOf(observations);
  const score = `bm25(observations_fts, ${weights})`;
  // Records are not read: 200 of them cost more than the full-text match at 10,000 observations. The tiny index of
  // those that a user judged says which are rejected. One row for all of them: a row and a buffer for each took three
  // times as long, and left the collector as much to do again.
  const rowsOf = (hits: string) => `select
       json_group_array(json_array(hit.score, hit.id, t.created_at_epoch, (
         select j.status
         from observations j indexed by observations_judged
         where j.status <> 'active' and j.id = hit.id), length(t.terms))) as figures,
       cast(group_concat(t.terms, '') as blob) as terms
     from (${hits}) hit
     left join observation_terms t on t.observation_id = hit.id`;

  const best = db.prepare<{ match: string; limit: number }, Rows>(
    rowsOf(`
       select rowid as id, ${score} as score
       from observations_fts
       where observations_fts match @match
       order by score, rowid desc
       limit @limit`),
  );
  const bestFiltered = db.prepare<FilterRow & { match: string; limit: number }, Rows>(
    rowsOf(`
       select observations_fts.rowid as id, ${score} as score
       from observations_fts
       cross join observations r on r.id = observations_fts.rowid
       where observations_fts match @match and ${ofProject} and ${filters}
       order by score, id desc
       limit @limit`),
  );
  const some = db.prepare<FilterRow & { ids: string }, Rows>(
    rowsOf(`
       select r.id, 0 as score
       from json_each(@ids) one
       cross join observations r on r.id = one.value
       where ${ofProject} and ${filters}`),
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
  const source = db.prepare<[number], Source>(
    `select title, subtitle, summary, narrative, facts, files_touched, created_at_epoch
     from observations
     where id = ?`,
  );
  const frequency = db
    .prepare<[string], number>("select count(*) from observations_fts where observations_fts match ?")
    .pluck();
  const all = db.prepare<[], number>("select ifnull(max(id), 0) from observations").pluck();
  const inProject = db
    .prepare<[string], number>("select count(*) from observations where project = ?")
    .pluck();

  function toCandidates(rows: Rows | undefined): Candidate[] {
    if (rows === undefined) return [];
    const codes = codesOfPacked(rows.terms ?? new Uint8Array());
    let from = 0;
    // What the figures are is said by the query above.
    const figures = JSON.parse(rows.figures) as Figures[];
    const candidates = figures.flatMap(([score, id, created_at_epoch, judged, bytes]): Candidate[] => {
      const status = judged ?? "active";
      // A record of an older version has no terms yet.
      if (bytes === null || created_at_epoch === null) return made(id, score, status);
      const end = from + bytes / codes.BYTES_PER_ELEMENT;
      const terms = unpackTerms(codes, from, end);
      from = end;
      return [{ id, score, created_at_epoch, status, terms }];
    });
    return candidates.sort((a, b) => a.score - b.score || b.id - a.id);
  }

  function made(id: number, score: number, status: ObservationStatus): Candidate[] {
    const record = source.get(id);
    if (record === undefined) return [];
    const terms = unpackTerms(codesOfPacked(packTerms(record)));
    return [{ id, score, created_at_epoch: record.created_at_epoch, status, terms }];
  }

  return {
    best: (match, filter, limit) =>
      toCandidates(
        restricts(filter) ? bestFiltered.get({ match, limit, ...toRow(filter) }) : best.get({ match, limit }),
      ),
    some: (ids, filter) => toCandidates(some.get({ ids: JSON.stringify(ids), ...toRow(filter) })),
    beside: (ids) => beside.all(JSON.stringify(ids)),
    frequency: (match) => frequency.get(match) ?? 0,
    population: (project) => (project === null ? all.get() : inProject.get(project)) ?? 0,
  };
}
