// What each embedder is worth in the fusion of search, beside full text.
import type { EmbedderName } from "./embedder.ts";

// builtin: it knows the same words that full text knows better, and joins with what `npm run bench -- retrieval` gives it.
// The others are models; no weights of one are shipped, so theirs is the mild one that a leg of equal quality gets.
const weights: Readonly<Record<EmbedderName, number>> = {
  builtin: 0,
  onnx: 0.5,
  http: 0.5,
};

/** 0: the embedder does not help, so nothing is embedded with it. */
export function fusionWeight(embedder: EmbedderName): number {
  return weights[embedder];
}
