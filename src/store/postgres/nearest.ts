// Nearest records of one project by meaning, by exact comparison. A nearest-neighbor index would span all tenants and
// mostly return records of others; one project has few vectors.
import type { ObservationFilter } from "../../core/records/hosted-record.ts";
import { codesOfPacked, unpackTerms } from "../../core/records/record-terms.ts";
import type { Candidate } from "../../core/records/search.ts";
import type { ProjectScope } from "../../core/records/tenancy.ts";
import type { Queryable } from "./open.ts";
import type { VectorIdentity } from "./vector-work.ts";
import { vectorText } from "./vectors.ts";

export interface NearestRequest extends VectorIdentity {
  /** The schema of the extension. */
  schema: string;
  /** The query vector, of length one. */
  unit: Float32Array;
  filter: ObservationFilter;
  limit: number;
}

export interface NearestRecord {
  /** Without a score for words. */
  candidate: Candidate;
  /** The cosine. */
  similarity: number;
}

/** Only this many of a project's newest vectors are compared. */
const maxCompared = 100_000;

/** Inside the caller's transaction, bound to its tenant. */
export async function nearestRecords(
  connection: Queryable,
  { team_id, project_id }: ProjectScope,
  { embedder, model, schema, unit, filter, limit }: NearestRequest,
): Promise<NearestRecord[]> {
  const { kind, obs_type, platform_source } = filter;
  const isNarrowed = kind !== null || obs_type !== null || platform_source !== null;
  const common = [team_id, project_id, embedder, model, unit.length, vectorText(unit), limit];
  const { rows } = await connection.query<Row>({
    name: isNarrowed ? "nearest-narrowed" : "nearest",
    text: nearestText(schema, isNarrowed ? narrowed : ""),
    values: isNarrowed ? [...common, kind, obs_type, platform_source] : common,
  });
  return rows.map(({ seq, similarity, created, terms }) => ({
    candidate: {
      id: seq,
      score: 0,
      created_at_epoch: created,
      status: "active",
      terms: unpackTerms(codesOfPacked(terms)),
    },
    similarity,
  }));
}

interface Row {
  seq: number;
  similarity: number;
  created: number;
  terms: Uint8Array;
}

const narrowed = `
      join observation_search f
        on f.team_id = $1 and f.project_id = $2 and f.seq = v.seq
        and ($8::text is null or f.kind = $8)
        and ($9::text is null or f.obs_type = $9)
        and ($10::text is null or f.platform_source = $10)`;

// All have length one, so the inner product is the cosine, at a third of the time. The subquery parses the query vector
// once: in a generic plan a parameter is not a constant.
function nearestText(schema: string, joined: string): string {
  return `with near as materialized (
    select compared.seq, compared.embedding operator(${schema}.<#>) (select $6::${schema}.halfvec) as distance
    from (
      select v.seq, v.embedding
      from observation_vectors v${joined}
      where v.team_id = $1 and v.project_id = $2 and v.embedder = $3 and v.model = $4 and v.dimension = $5
        and v.embedding is not null
      order by v.seq desc
      limit ${maxCompared}
    ) compared
    order by distance, compared.seq desc
    limit $7
  )
  select near.seq::float8 as seq, -near.distance as similarity, s.created, s.terms
  from near
  cross join lateral (
    select o.terms, floor(extract(epoch from o.created_at)::float8 * 1000) as created
    from observation_search o
    where o.team_id = $1 and o.project_id = $2 and o.seq = near.seq
    limit 1
  ) s
  order by near.distance, near.seq desc`;
}
