// The port of search by meaning: an embedder and an index of vectors stand behind it, or nothing.

/** Observations by meaning: `similarity` is a cosine, `weight` what this embedder is worth in the fusion. */
export type VectorAnswer =
  | { state: "ok"; hits: { id: number; similarity: number }[]; weight: number }
  | { state: "off" }
  | { state: "unavailable"; reason: string };

export interface VectorLeg {
  nearest(request: { text: string; project: string | null; limit: number }): Promise<VectorAnswer>;
}
