// How search by meaning is: what the worker says of it, and its words for people.

/**
 * - `off`: nothing is embedded; `reason` says why.
 * - `ready`: every observation has its vector.
 * - `embedding`: some have none yet.
 * - `re-embedding`: another embedder or model takes over; `earlier` says whose vectors there are, and if they serve.
 * - `failing`: nothing is embedded at the moment, or the last question got no vector; `reason` says why, `next` what to do.
 */
export interface VectorStatus {
  state: "off" | "ready" | "embedding" | "re-embedding" | "failing";
  embedder: string;
  model: string;
  /** Null before the first vector. */
  dimension: number | null;
  done: number;
  total: number;
  reason: string | null;
  next: string | null;
  /**
   * Whose vectors are there instead of those of `model`, until these take over. `asked` false: nothing is searched by
   * meaning until then, a question to that embedder would go where the settings do not point any more.
   */
  earlier?: { embedder: string; model: string; asked: boolean } | null | undefined;
}

/** `onnx (Xenova/all-MiniLM-L6-v2), re-embedding 1,234 of 5,000`. */
export function vectorsInWords(status: VectorStatus): string {
  const earlier = earlierInWords(status);
  // A reason is a whole sentence; what goes on behind it goes on without its full stop.
  const state = earlier === "" ? stateInWords(status) : stateInWords(status).replace(/\.$/, "");
  return `${state}${earlier}`;
}

/** `onnx (Xenova/all-MiniLM-L6-v2)`. */
export function embedderInWords({ embedder, model }: { embedder: string; model: string }): string {
  return model === "" ? embedder : `${embedder} (${model})`;
}

function earlierInWords({ earlier }: VectorStatus): string {
  // A worker of an earlier version says nothing of it.
  if (!earlier) return "";
  const who = embedderInWords(earlier);
  return earlier.asked
    ? `; the vectors of ${who} serve until then`
    : `; the vectors are of ${who}, which is not set any more and is not asked: no search by meaning until then`;
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
      // What is embedded can be searched only as long as questions get a vector too.
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
