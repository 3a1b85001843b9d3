// How far the embedding is, and whether its embedder works, over all teams, for who runs the server.
import type { Connections, Queryable } from "./open.ts";
import { about } from "./server-counts.ts";
import { inTransaction } from "./tenant.ts";
import type { VectorIdentity } from "./vector-work.ts";

export interface VectorCounts {
  /** Records that the embedder has answered for; about, above a hundred thousand. */
  done: number;
  /** Records there are; about, too. */
  total: number;
  /** Why the embedder does not work at the moment. */
  failure: string | null;
}

/** As `mem_system`; the database itself gives up after `timeoutMs`. */
export async function countVectors(
  system: Connections,
  { embedder, model }: VectorIdentity,
  timeoutMs: number,
): Promise<VectorCounts> {
  return inTransaction(system, async (connection) => {
    await connection.query({ text: `set local statement_timeout = ${Math.ceil(timeoutMs)}` });
    const { rows } = await connection.query<{ counts: VectorCounts }>({
      text: `select json_build_object(
          'done', ${about("observation_vectors", "where embedder = $1 and model = $2")} - (
            select count(*)
            from observation_vectors
            where embedder = $1 and model = $2 and claim is not null),
          'total', ${about("observations")},
          'failure', (select failure from embedder_states where embedder = $1 and model = $2)
        ) as counts`,
      values: [embedder, model],
    });
    const counts = rows[0]?.counts ?? { done: 0, total: 0, failure: null };
    return { ...counts, done: Math.min(counts.done, counts.total) };
  });
}

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
