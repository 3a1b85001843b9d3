// The status of search by meaning, and its text for users.

/**
 * - `off`: embedding is off; `reason` says why.
 * - `ready`: every observation has its vector, or was refused.
 * - `embedding`: some observations have no vector yet.
 * - `re-embedding`: another embedder or model takes over; `earlier` names the embedder of the existing vectors.
 * - `failing`: embedding is paused, or the last query got no vector; `reason` says why, `next` what to do.
 */
export interface VectorStatus {
  state: "off" | "ready" | "embedding" | "re-embedding" | "failing";
  embedder: string;
  model: string;
  /** Null before the first vector. */
  dimension: number | null;
  done: number;
  total: number;
  /** Observations that the embedder refuses, and the reason of one. Absent from earlier workers and from the server. */
  refused?: { count: number; id: number; reason: string } | null | undefined;
  reason: string | null;
  next: string | null;
  /**
   * The embedder of the existing vectors, until the vectors of `model` are complete. `asked` false: search by meaning is off until
   * then, because a query would go to a server that is no longer configured.
   */
  earlier?: { embedder: string; model: string; asked: boolean } | null | undefined;
}

/** Vectors of one embedder, model and dimension: only these can be compared. */
export interface VectorSet {
  id: number;
  embedder: string;
  model: string;
  dimension: number;
  /** 1 once every observation had a vector in it. */
  complete: 0 | 1;
}

/** `onnx (Xenova/all-MiniLM-L6-v2), re-embedding 1,234 of 5,000`. */
export function vectorsInWords(status: VectorStatus): string {
  const earlier = earlierInWords(status);
  // A reason ends with a full stop, which the continuation drops.
  const refused = refusedInWords(status);
  const state = stateInWords(status);
  return `${earlier + refused === "" ? state : state.replace(/\.$/, "")}${refused}${earlier}`;
}

/** `onnx (Xenova/all-MiniLM-L6-v2)`. */
export function embedderInWords({ embedder, model }: { embedder: string; model: string }): string {
  return model === "" ? embedder : `${embedder} (${model})`;
}

function earlierInWords({ earlier }: VectorStatus): string {
  // A worker of an earlier version does not report it.
  if (!earlier) return "";
  const who = embedderInWords(earlier);
  return earlier.asked
    ? `; until then the vectors of ${who} are searched`
    : `; the vectors are from ${who}, which is no longer configured: no search by meaning until then`;
}

function refusedInWords({ refused }: VectorStatus): string {
  if (!refused) return "";
  return `; ${count(refused.count)} without a vector, such as observation ${refused.id}: ${refused.reason.replace(/\.$/, "")}`;
}

function stateInWords(status: VectorStatus): string {
  const { state, done, total, reason } = status;
  const who = embedderInWords(status);
  const progress = `${count(done)} of ${count(total)}`;
  switch (state) {
    case "off":
      return `off${reason === null ? "" : `: ${reason}`}`;
    case "ready":
      return `${who}, ${count(total)} observations`;
    case "embedding":
      return `${who}, embedding ${progress}`;
    case "re-embedding":
      return `${who}, re-embedding ${progress}`;
    case "failing":
      // Searching needs a vector of the query too.
      if (done >= total)
        return `${who}, all ${count(total)} embedded, but not available now${reason === null ? "" : `: ${reason}`}`;
      return `${who}, ${progress} embedded${reason === null ? "" : `: ${reason}`}`;
    default:
      return state satisfies never;
  }
}

function count(value: number): string {
  return value.toLocaleString("en");
}
