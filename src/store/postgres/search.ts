// What the ranking reads of the search index: the best rows for some words, who stands beside them, how common each is.
import { codesOfPacked, unpackTerms } from "../../domain/record-terms.ts";
import type { Candidate, Standing } from "../../domain/search.ts";
import { searchCode } from "../../domain/search-codes.ts";
import type { ProjectScope } from "../../domain/tenancy.ts";
import type { ObservationFilter } from "./observations.ts";
import type { Queryable } from "./open.ts";

export interface CandidateRequest {
  /** The codes of the words that are asked for. */
  codes: readonly number[];
  /** About how many records the project has. */
  population: number;
  filter: ObservationFilter;
  /** How many of the best. */
  most: number;
}

/** The ids are `seq`s. */
export interface FoundCandidates {
  /** The best by their own words and those beside them, in no order; the score of the latter is 0. */
  candidates: Candidate[];
  standing: Standing[];
  /** In how many records each code is. */
  frequencies: number[];
}

/** Finds the candidates, inside the caller's transaction, whose tenant it is bound to. */
export async function findCandidates(
  connection: Queryable,
  { team_id, project_id }: ProjectScope,
  { codes, population, filter, most }: CandidateRequest,
): Promise<FoundCandidates> {
  const { rows } = await connection.query<Row>({
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
  const [row] = rows;
  return {
    candidates: toCandidates(row?.figures ?? [], row?.terms ?? new Uint8Array()),
    standing: (row?.standing ?? []).map(([beside, id]) => ({ beside, id })),
    frequencies: row?.found ?? [],
  };
}

/** How many records the project has in the index. */
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

/** The `seq`s of the newest records that hold one of the parts anywhere in their text, those with the most first. */
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

/** One row for all: a row and a buffer for each record took three times as long. */
interface Row {
  /** In the order of the terms. */
  figures: Figures[] | null;
  terms: Uint8Array | null;
  standing: [beside: number, id: number][] | null;
  found: number[] | null;
}

type Figures = [seq: number, score: number, created_at_epoch: number, bytes: number];

// The function answers with numbers of this tenant; what they stand for is read under row-level security, each by its
// key: `limit 1` keeps the planner from reading a whole project for a hundred rows.
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
  ),
  record as materialized (
    select one.seq, one.score, s.created, s.terms
    from (
      select seq, max(score) as score
      from (select seq, score from hit union all select seq, 0 from standing) each
      group by seq
    ) one
    cross join lateral (
      select o.terms, floor(extract(epoch from o.created_at)::float8 * 1000) as created
      from observation_search o
      where o.team_id = $1 and o.project_id = $2 and o.seq = one.seq
        and ($6::text is null or o.kind = $6)
        and ($7::text is null or o.obs_type = $7)
        and ($8::text is null or o.platform_source = $8)
      limit 1
    ) s
  )
  select
    (select json_agg(json_build_array(seq, score, created, octet_length(terms)) order by seq) from record)
      as figures,
    (select string_agg(terms, ''::bytea order by seq) from record) as terms,
    (select json_agg(json_build_array(beside, seq)) from standing) as standing,
    (select found from hit limit 1) as found`;

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

function toCandidates(figures: readonly Figures[], packed: Uint8Array): Candidate[] {
  const codes = codesOfPacked(packed);
  let from = 0;
  return figures.map(([id, score, created_at_epoch, bytes]) => {
    const end = from + bytes / codes.BYTES_PER_ELEMENT;
    const terms = unpackTerms(codes, from, end);
    from = end;
    return { id, score: -score, created_at_epoch, status: "active", terms };
  });
}
