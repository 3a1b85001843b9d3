// Claims of records that lack a vector, and their vectors. As `mem_system`.
import type { ProjectScope } from "../../core/records/tenancy.ts";
import type { Connections, Queryable } from "./open.ts";
import { inTransaction } from "./tenant.ts";
import { vectorText } from "./vectors.ts";

/** The embedder of a set of vectors. */
export interface VectorIdentity {
  embedder: string;
  model: string;
}

/** A record without a vector, with the parts of its text. */
export interface UnembeddedRecord {
  seq: number;
  title: string;
  subtitle: string | null;
  summary: string;
  narrative: string | null;
  /** As a JSON list. */
  facts: string;
}

export interface ClaimRequest extends VectorIdentity {
  /** Id of the claim. */
  claim: string;
  /** Vectors of another dimension do not count; null while it is unknown. */
  dimension: number | null;
  /** Only records with numbers between them. */
  before: number;
  after: number;
  /** Records to look at. */
  window: number;
  /** Records to claim. */
  limit: number;
}

export interface Claimed {
  records: UnembeddedRecord[];
  /** Continue below this number; null at the end. */
  next: number | null;
}

/**
 * Claims the project's newest records that lack a vector; null when the project is being purged, or another process is
 * claiming some.
 */
export function claimRecords(
  system: Connections,
  { team_id, project_id }: ProjectScope,
  request: ClaimRequest,
): Promise<Claimed | null> {
  return inTransaction(system, async (connection) => {
    const { rows: held } = await connection.query<{ held: boolean }>({
      name: "hold-for-vectors",
      text: `select pg_try_advisory_xact_lock_shared(hashtextextended($1::uuid::text, 6))
          and pg_try_advisory_xact_lock(hashtextextended($1::uuid::text, 7)) as held`,
      values: [project_id],
    });
    if (held[0]?.held !== true) return null;
    const { embedder, model, claim, dimension, before, after, window, limit } = request;
    const { rows } = await connection.query<ClaimRow>({
      name: "claim-for-vectors",
      text: claimText,
      values: [team_id, project_id, before, after, window, embedder, model, dimension, limit, claim],
    });
    const [row] = rows;
    const records = row?.records ?? [];
    if (row === undefined) return { records, next: null };
    // More of the records in the window may lack one.
    if (row.lacking.count >= limit) return { records, next: row.lacking.lowest };
    return { records, next: row.looked.count < window ? null : row.looked.lowest };
  });
}

interface Looked {
  count: number;
  lowest: number | null;
}

interface ClaimRow {
  looked: Looked;
  lacking: Looked;
  records: UnembeddedRecord[] | null;
}

// A record that is being deleted is skipped.
const claimText = `with looked as materialized (
    select o.seq
    from observations o
    where o.team_id = $1 and o.project_id = $2 and o.seq < $3::float8::bigint and o.seq > $4::float8::bigint
    order by o.seq desc
    limit $5
  ),
  lacking as materialized (
    select l.seq
    from looked l
    where not exists (
      select 1
      from observation_vectors v
      where v.team_id = $1 and v.project_id = $2 and v.seq = l.seq and v.embedder = $6 and v.model = $7
        and (v.free_at > now() or (v.free_at is null and v.dimension = coalesce($8, v.dimension))))
    order by l.seq desc
    limit $9
  ),
  record as materialized (
    select o.seq, o.title, o.subtitle, o.summary, o.narrative, o.facts
    from observations o
    where o.team_id = $1 and o.project_id = $2 and o.seq in (select seq from lacking)
    order by o.seq
    for key share skip locked
  ),
  claimed as (
    insert into observation_vectors (team_id, project_id, seq, embedder, model, claim, free_at)
    select $1, $2, r.seq, $6, $7, $10, now() + interval '3 minutes'
    from record r
    on conflict (team_id, project_id, seq, embedder, model)
      do update set claim = excluded.claim, free_at = excluded.free_at
  )
  select
    (select json_build_object('count', count(*), 'lowest', min(seq)) from looked) as looked,
    (select json_build_object('count', count(*), 'lowest', min(seq)) from lacking) as lacking,
    (select json_agg(json_build_object('seq', seq, 'title', title, 'subtitle', subtitle, 'summary', summary,
        'narrative', narrative, 'facts', array_to_json(facts)::text) order by seq desc)
      from record) as records`;

/** A claimed record's vector, of length one; null for a refused text. */
export interface EmbeddedRecord {
  seq: number;
  vector: Float32Array | null;
}

/**
 * Stores vectors; returns how many records still exist: deleted ones have lost their claim. A refused text is retried
 * after a day.
 */
export function putVectors(
  system: Connections,
  { team_id, project_id }: ProjectScope,
  { claim, schema, made }: { claim: string; schema: string; made: readonly EmbeddedRecord[] },
): Promise<number> {
  return inTransaction(system, async (connection) => {
    // A purge deletes records before their vectors: without the lock the two could deadlock.
    const { rows } = await connection.query<{ held: boolean }>({
      name: "share-for-vectors",
      text: "select pg_try_advisory_xact_lock_shared(hashtextextended($1::uuid::text, 6)) as held",
      values: [project_id],
    });
    if (rows[0]?.held !== true) return 0;
    const { rowCount } = await connection.query({
      text: `update observation_vectors v
        set embedding = g.embedding::${schema}.halfvec, dimension = g.dimension, claim = null,
          free_at = case when g.embedding is null then now() + interval '1 day' end
        from jsonb_to_recordset($4::jsonb) as g (seq bigint, dimension integer, embedding text)
        where v.team_id = $1 and v.project_id = $2 and v.claim = $3 and v.seq = g.seq`,
      values: [team_id, project_id, claim, JSON.stringify(made.map(rowOf))],
    });
    return rowCount ?? 0;
  });
}

function rowOf({ seq, vector }: EmbeddedRecord) {
  if (vector === null) return { seq, dimension: 0 };
  return { seq, dimension: vector.length, embedding: vectorText(vector) };
}

/** Releases the rest of a claim. */
export async function releaseClaim(
  system: Queryable,
  { team_id, project_id }: ProjectScope,
  { claim, after }: { claim: string; after: number },
): Promise<void> {
  await system.query({
    text: `delete from observation_vectors
      where team_id = $1 and project_id = $2 and claim = $3 and seq >= $4::float8::bigint`,
    values: [team_id, project_id, claim, after],
  });
}

/**
 * Deletes at most `limit` vectors of the project by other embedders; returns how many. Vectors that a process has used
 * within a day stay: two servers with different models would otherwise delete each other's.
 */
export async function dropUnusedVectors(
  system: Queryable,
  { team_id, project_id }: ProjectScope,
  { embedder, model, limit }: VectorIdentity & { limit: number },
): Promise<number> {
  const { rowCount } = await system.query({
    name: "drop-unused-vectors",
    text: `delete from observation_vectors
      where team_id = $1 and project_id = $2 and ctid in (
        select v.ctid
        from observation_vectors v
        where v.team_id = $1 and v.project_id = $2 and (v.embedder, v.model) <> ($3, $4)
          and not exists (
            select 1
            from embedder_states s
            where s.embedder = v.embedder and s.model = v.model and s.used_at > now() - interval '1 day')
        limit $5)`,
    values: [team_id, project_id, embedder, model, limit],
  });
  return rowCount ?? 0;
}
