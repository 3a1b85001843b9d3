// How far the embedding is, and whether its embedder works, over all teams, for who runs the server.
import type { Connections, Queryable } from "./open.ts";
import { inTransaction } from "./tenant.ts";
import type { VectorIdentity } from "./vector-work.ts";

export interface VectorCounts {
  /** Records that the embedder has answered for. */
  done: number;
  total: number;
  /** Why the embedder does not work at the moment. */
  failure: string | null;
}

/**
 * As `mem_system`; the database itself gives up after `timeoutMs`. Counted to the end: the planner's figure is for a table
 * with the vectors of every model, and what compares it with another figure says too early or never that all is done.
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

// Each count can be read from an index alone; those that are claimed are few and have one of their own.
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

/** Writes down that the embedder does not work, or does again (null). */
export async function tellEmbedder(
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

/** Writes down that a process uses the embedder's vectors: as long as one does, they are not dropped. */
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
