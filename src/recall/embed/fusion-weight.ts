// What each embedder is worth in the fusion of search, beside full text.
import type { EmbedderName } from "./embedder.ts";

// builtin: by `npm run bench -- embedder-weight` it changes nothing that can be told from chance. At 0.5 and 1, R@10 moves by
// -0.2 to 0.7 points on the five development sets and nDCG@10 by -0.3 to 0.1, each interval around zero; at 2 it costs up
// to 1.5. The words it knows full text knows better, and its vectors would cost a thread and 0.5 KB a record.
// onnx, http: no model is shipped to fit them with, so they get the largest weight at which even the builtin's far poorer
// vectors take nothing away from any set. The same bench fits a model that is set up.
const weights: Readonly<Record<EmbedderName, number>> = {
  builtin: 0,
  onnx: 1,
  http: 1,
};

/** 0: the embedder does not help, so nothing is embedded with it. */
export function fusionWeight(embedder: EmbedderName): number {
  return weights[embedder];
}
