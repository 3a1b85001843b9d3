// How search by meaning is: what the worker says of it, and its words for people.

/**
 * - `off`: nothing is embedded; `reason` says why.
 * - `ready`: every observation has its vector.
 * - `embedding`: some have none yet.
 * - `re-embedding`: another embedder or model takes over; the vectors of the one before serve meanwhile.
 * - `failing`: nothing is embedded at the moment; `reason` says why, `next` what to do.
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
}

/** `onnx (Xenova/all-MiniLM-L6-v2), re-embedding 1,234 of 5,000`. */
export function vectorsInWords(status: VectorStatus): string {
  const { state, embedder, model, done, total, reason } = status;
  const who = model === "" ? embedder : `${embedder} (${model})`;
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
      return `${who}, ${progress} embedded${reason === null ? "" : `: ${reason}`}`;
    default:
      return state satisfies never;
  }
}

function count(value: number): string {
  return value.toLocaleString("en");
}
