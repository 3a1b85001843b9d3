// Says in the database that this process uses the vectors of its embedder: those that nobody uses are dropped after a day.
import type { Clock } from "../core/clock.ts";
import type { EmbedderIdentity } from "../recall/embed/embedder.ts";
import type { Queryable } from "../store/postgres/open.ts";
import { markEmbedderUsed } from "../store/postgres/vector-counts.ts";

export interface VectorUse {
  /** Before they are made or searched, as often as one likes. */
  renew(): Promise<void>;
}

// Far below the day.
const renewEveryMs = 60 * 60_000;

export function createVectorUse(
  system: Queryable,
  { identity, clock }: { identity: EmbedderIdentity; clock: Clock },
): VectorUse {
  let renewedAt: number | undefined;
  return {
    async renew() {
      const now = clock.monotonicMs();
      if (renewedAt !== undefined && now - renewedAt < renewEveryMs) return;
      await markEmbedderUsed(system, identity);
      renewedAt = now;
    },
  };
}
