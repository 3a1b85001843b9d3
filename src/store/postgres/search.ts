// Reads the search index for the ranking: best rows for some words, their neighbors, word frequencies, words of a record.
import type { ObservationFilter } from "../../core/records/hosted-record.ts";
import { codesOfPacked, type RecordTerms, unpackTerms } from "../../core/records/record-terms.ts";
import type { Standing } from "../../core/records/search.ts";
import { searchCode } from "../../core/records/search-codes.ts";
import type { ProjectScope } from "../../core/records/tenancy.ts";
import { stillHolds } from "./observations.ts";
import type { Queryable } from "./open.ts";

export interface CandidateRequest {
  /** Codes of the query words. */
  codes: readonly number[];
  /** Approximate number of the project's records. */
  population: number;
  filter: ObservationFilter;
  /** Maximum number of hits. */
  most: number;
}

/** The ids are `seq`s. */
export interface FoundCandidates {
  /** The best by their words, unordered. */
  hits: { id: number; score: number }[];
  /** Neighbors of the best hits in their sessions. */
  standing: Standing[];
  /** In how many records each code is; approximate for frequent codes. */
  frequencies: number[];
  /** Hits and neighbors that rank behind others. */
  behind: RankedBehind;
}

/** Records that rank behind others; read on every search, since the end of a turn changes them. */
export interface RankedBehind {
  routine: ReadonlySet<number>;
  superseded: ReadonlySet<number>;
}

/** The words of a record; immutable. */
export interface IndexedRecord {
  id: number;
  created_at_epoch: number;
  terms: RecordTerms;
}

/** Finds candidates, inside the caller's transaction, bound to its tenant. */
export async function findCandidates(
  connection: Queryable,
  { team_id, project_id }: ProjectScope,
  { codes, population, filter, most }: CandidateRequest,
): Promise<FoundCandidates> {
  const { rows } = await connection.query<CandidateRow>({
    name: "search-candidates",
    text: candidatesText,
    values: [
      team_id,
      project_id,
      codes.map((code) => searchCode(project_id, code)),
      codes.map((code) => searchCode(project_id, code, true)),
      population,
      filter.kind,
      filter.obs_type,
      filter.platform_source,
      most,
    ],
  });
  const { ids, scores, found, beside, others, ...behind } = rows[0] ?? nothingFound;
  return {
    hits: (ids ?? []).map((id, at) => ({ id, score: scores?.[at] ?? 0 })),
    standing: (others ?? []).map((id, at) => ({ beside: beside?.[at] ?? id, id })),
    frequencies: found ?? [],
    behind: behindOf(behind),
  };
}

/** The words of the project's records with these `seq`s, unordered. */
export async function readTerms(
  connection: Queryable,
  { team_id, project_id }: ProjectScope,
  seqs: readonly number[],
): Promise<IndexedRecord[]> {
  const { rows } = await connection.query<TermsRow>({
    name: "search-terms",
    text: termsText,
    values: [team_id, project_id, seqs],
  });
  const { ids, times, sizes, terms } = rows[0] ?? nothingRead;
  const codes = codesOfPacked(terms ?? new Uint8Array());
  let from = 0;
  return (ids ?? []).map((id, at) => {
    const end = from + (sizes?.[at] ?? 0) / codes.BYTES_PER_ELEMENT;
    // A copy: a cached record must not keep the whole buffer.
    const own = unpackTerms(codes.slice(from, end));
    from = end;
    return { id, created_at_epoch: times?.[at] ?? 0, terms: own };
  });
}

/** Reads which of the records rank behind others. */
export async function rankedBehind(
  connection: Queryable,
  { team_id, project_id }: ProjectScope,
  seqs: readonly number[],
): Promise<RankedBehind> {
  const { rows } = await connection.query<BehindRow>({
    name: "ranked-behind",
    text: behindText,
    values: [team_id, project_id, seqs],
  });
  return behindOf(rows[0]);
}

function behindOf(row: BehindRow | undefined): RankedBehind {
  return { routine: new Set(row?.routine), superseded: new Set(row?.superseded) };
}

/** Number of the project's records in the index. */
export async function countRecords(
  connection: Queryable,
  { team_id, project_id }: ProjectScope,
): Promise<number> {
  const { rows } = await connection.query<{ n: number }>({
    name: "count-records",
    text: "select count(*)::float8 as n from observation_search where team_id = $1 and project_id = $2",
    values: [team_id, project_id],
  });
  return rows[0]?.n ?? 0;
}

/** The `seq`s of new records whose text contains one of the parts, those with the most parts first. */
export async function recordsContaining(
  connection: Queryable,
  { team_id, project_id }: ProjectScope,
  { parts, filter, limit }: { parts: readonly string[]; filter: ObservationFilter; limit: number },
): Promise<number[]> {
  const { rows } = await connection.query<{ seq: number }>({
    name: "records-containing",
    text: containingText,
    values: [team_id, project_id, parts, filter.kind, filter.obs_type, filter.platform_source, limit],
  });
  return rows.map(({ seq }) => seq);
}

// Columns of arrays: one row per record took three times as long, JSON pairs a third longer.
interface CandidateRow extends BehindRow {
  ids: number[] | null;
  scores: number[] | null;
  found: number[] | null;
  beside: number[] | null;
  others: number[] | null;
}

interface BehindRow {
  routine: number[] | null;
  superseded: number[] | null;
}

interface TermsRow {
  ids: number[] | null;
  times: number[] | null;
  sizes: number[] | null;
  terms: Uint8Array | null;
}

const nothingFound: CandidateRow = {
  ...{ ids: null, scores: null, found: null, beside: null, others: null },
  ...{ routine: null, superseded: null },
};
const nothingRead: TermsRow = { ids: null, times: null, sizes: null, terms: null };

const behindColumns = `array_agg(r.seq::float8) filter (where r.routine) as routine,
    array_agg(r.seq::float8) filter (where not r.holds) as superseded`;

// Each of `asked` by its key; a record that ranks with the others is no row.
const behindRows = `cross join lateral (
    select o.seq, o.routine, ${stillHolds} as holds
    from observations o
    where o.team_id = $1 and o.project_id = $2 and o.seq = asked.seq and (o.routine or not (${stillHolds}))
    limit 1
  ) r`;

const behindText = `select ${behindColumns}
  from unnest($3::bigint[]) asked (seq)
  ${behindRows}`;

// The function returns numbers of this tenant; the records are read under row-level security, each by its key: `limit 1`
// keeps the planner from reading a whole project for twenty rows.
const candidatesText = `with hit as materialized (
    select seq, score, found
    from search_candidates($2, $3, $4, $5, $6, $7, $8, $9)
  ),
  ahead as materialized (
    select best.seq, s.session_id
    from (select seq from hit order by score desc, seq desc limit 20) best
    cross join lateral (
      select o.session_id
      from observation_search o
      where o.team_id = $1 and o.project_id = $2 and o.seq = best.seq
      limit 1
    ) s
    where s.session_id is not null
  ),
  standing as materialized (
    select l.seq as beside, o.seq
    from ahead l
    cross join lateral (
      (select n.seq
        from observations n
        where n.team_id = $1 and n.project_id = $2 and n.session_id = l.session_id and n.seq < l.seq
        order by n.seq desc
        limit 2)
      union all
      (select n.seq
        from observations n
        where n.team_id = $1 and n.project_id = $2 and n.session_id = l.session_id and n.seq > l.seq
        order by n.seq
        limit 2)
    ) o
    where coalesce($6::text, $7::text, $8::text) is null
      or exists (
        select 1
        from observation_search s
        where s.team_id = $1 and s.project_id = $2 and s.seq = o.seq
          and ($6::text is null or s.kind = $6)
          and ($7::text is null or s.obs_type = $7)
          and ($8::text is null or s.platform_source = $8)
      )
  )
  select
    (select array_agg(seq::float8) from hit) as ids,
    (select array_agg(score) from hit) as scores,
    (select found from hit limit 1) as found,
    (select array_agg(beside::float8) from standing) as beside,
    (select array_agg(seq::float8) from standing) as others,
    ${behindColumns}
  from (select seq from hit union select seq from standing) asked
  ${behindRows}`;

const termsText = `select
    array_agg(seq::float8 order by seq) as ids,
    array_agg(floor(extract(epoch from created_at) * 1000)::float8 order by seq) as times,
    array_agg(octet_length(terms) order by seq) as sizes,
    string_agg(terms, ''::bytea order by seq) as terms
  from (
    select s.seq, s.created_at, s.terms
    from unnest($3::bigint[]) asked (seq)
    cross join lateral (
      select o.seq, o.created_at, o.terms
      from observation_search o
      where o.team_id = $1 and o.project_id = $2 and o.seq = asked.seq
      limit 1
    ) s
  ) record`;

const containingText = `select o.seq::float8 as seq
  from (
    select r.seq, r.content, r.files_read, r.files_modified
    from observations r
    left join sessions s on s.team_id = $1 and s.project_id = $2 and s.id = r.session_id
    where r.team_id = $1 and r.project_id = $2
      and ($4::text is null or r.kind = $4)
      and ($5::text is null or r.obs_type = $5)
      and ($6::text is null or s.platform_source = $6)
    order by r.seq desc
    limit 2000
  ) o
  cross join lateral (
    select count(*) as parts
    from unnest($3::text[]) part
    where position(part in lower(o.content)) > 0
      or position(part in lower(array_to_string(o.files_read || o.files_modified, ' '))) > 0
  ) held
  where held.parts > 0
  order by held.parts desc, o.seq desc
  limit $7`;
