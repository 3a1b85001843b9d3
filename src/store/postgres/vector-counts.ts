// How far the embedding is, and whether its embedder works, over all teams, for who runs the server.
import type { Connections, Queryable } from "./open.ts";
import { inTransaction } from "./tenant.ts";
import type { VectorIdentity } from "./vector-work.ts";

export interface VectorCounts {
  /** Records with a vector, or whose text was refused. */
  done: number;
  total: number;
  /** Why the embedder does not work at the moment. */
  failure: string | null;
}

/**
 * As `mem_system`; fails after `timeoutMs`. Exact counts: with the planner's estimates `done` would reach `total` too early
 * or never.
 */
export async function countVectors(
  system: Connections,
  { embedder, model }: VectorIdentity,
  timeoutMs: number,
): Promise<VectorCounts> {
  return inTransaction(system, async (connection) => {
    await connection.query({ text: `set local statement_timeout = ${Math.ceil(timeoutMs)}` });
    const { rows } = await connection.query<{ counts: VectorCounts }>({
      text: countText,
      values: [embedder, model],
      timeoutMs,
    });
    const counts = rows[0]?.counts ?? { done: 0, total: 0, failure: null };
    return { ...counts, done: Math.min(counts.done, counts.total) };
  });
}

// Each count is an index-only scan; the few claims have their own index.
const countText = `select json_build_object(
    'done', (
      select count(*)
      from observation_vectors
      where embedder = $1 and model = $2) - (
      select count(*)
      from observation_vectors
      where embedder = $1 and model = $2 and claim is not null),
    'total', (select count(*) from observations),
    'failure', (select failure from embedder_states where embedder = $1 and model = $2)
  ) as counts`;

/** Saves why the embedder does not work, or null. */
export async function saveEmbedderState(
  system: Queryable,
  { embedder, model }: VectorIdentity,
  failure: string | null,
): Promise<void> {
  await system.query({
    text: `insert into embedder_states (embedder, model, failure)
      values ($1, $2, $3)
      on conflict (embedder, model) do update set failure = excluded.failure, told_at = now()`,
    values: [embedder, model, failure],
  });
}

/** Notes that a process uses the embedder's vectors, which are dropped after a day without use. */
export async function markEmbedderUsed(
  system: Queryable,
  { embedder, model }: VectorIdentity,
): Promise<void> {
  await system.query({
    text: `insert into embedder_states (embedder, model)
      values ($1, $2)
      on conflict (embedder, model) do update set used_at = now()`,
    values: [embedder, model],
  });
}
