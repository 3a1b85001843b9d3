// The status of search by meaning.
import type { Clock } from "../core/clock.ts";
import type { VectorSet, VectorStatus } from "../core/records/vector-status.ts";
import type { Background } from "../recall/embed/background.ts";
import type { EmbedderIdentity } from "../recall/embed/embedder.ts";

interface StatusDeps {
  chosen: EmbedderIdentity;
  background: Background;
  serving(): VectorSet | undefined;
  mayAsk(set: VectorSet): boolean;
  /** Why the last query got no vector, or null. */
  unasked(): { message: string; hint: string | undefined } | null;
  progress(setId: number): { done: number; total: number };
  clock: Clock;
}

// Counting 100,000 rows takes 3 ms, and health is requested often.
const countEveryMs = 2_000;

/** The status of a configured embedder. */
export function createVectorStatus(deps: StatusDeps) {
  const { chosen, background, serving, mayAsk, unasked, progress, clock } = deps;
  let counted: { done: number; total: number; setId: number; at: number } | undefined;
  function counts(setId: number): { done: number; total: number } {
    const at = clock.monotonicMs();
    if (counted?.setId !== setId || at - counted.at > countEveryMs)
      counted = { ...progress(setId), setId, at };
    return counted;
  }
  return (): VectorStatus => {
    const current = background.current();
    const { done, total } = counts(current?.id ?? 0);
    const refused = background.refused();
    const [first] = refused;
    const failure = background.failure() ?? asFailure(unasked());
    const served = serving();
    const earlier = served === undefined || served.id === current?.id ? null : served;
    const moves = earlier === null ? "embedding" : "re-embedding";
    return {
      state: failure !== null ? "failing" : done + refused.size >= total ? "ready" : moves,
      ...chosen,
      dimension: current?.dimension ?? null,
      done,
      total,
      refused: first === undefined ? null : { count: refused.size, id: first[0], reason: first[1] },
      reason: failure?.message ?? null,
      next: failure?.next ?? null,
      earlier: earlier && { embedder: earlier.embedder, model: earlier.model, asked: mayAsk(earlier) },
    };
  };
}

function asFailure(unasked: { message: string; hint: string | undefined } | null) {
  return unasked && { message: unasked.message, next: unasked.hint };
}
