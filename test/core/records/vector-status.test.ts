import { expect, test } from "vitest";
import { type VectorStatus, vectorsInWords } from "../../../src/core/records/vector-status.ts";

const status: VectorStatus = {
  state: "ready",
  embedder: "onnx",
  model: "a/model",
  dimension: 384,
  done: 1_234,
  total: 5_000,
  reason: null,
  next: null,
};

test.each<[Partial<VectorStatus>, string]>([
  [{}, "onnx (a/model), 5,000 observations"],
  [{ state: "re-embedding" }, "onnx (a/model), re-embedding 1,234 of 5,000"],
  [
    { state: "re-embedding", earlier: { embedder: "http", model: "m", asked: true } },
    "onnx (a/model), re-embedding 1,234 of 5,000; until then the vectors of http (m) are searched",
  ],
  [
    { state: "failing", reason: "No model.", earlier: { embedder: "http", model: "m", asked: false } },
    "onnx (a/model), 1,234 of 5,000 embedded: No model; the vectors are from http (m), which is no longer configured: no search by meaning until then",
  ],
  [
    { done: 4_999, refused: { count: 1, id: 7, reason: "Too long." } },
    "onnx (a/model), 5,000 observations; 1 without a vector, such as observation 7: Too long",
  ],
  [{ state: "embedding", model: "" }, "onnx, embedding 1,234 of 5,000"],
  [{ state: "failing", reason: "No key." }, "onnx (a/model), 1,234 of 5,000 embedded: No key."],
  [
    { state: "failing", done: 5_000, reason: "No answer." },
    "onnx (a/model), all 5,000 embedded, but not available now: No answer.",
  ],
  [{ state: "off", reason: "MEM_EMBEDDER is off" }, "off: MEM_EMBEDDER is off"],
])("%j is said as %s", (change, words) => {
  expect(vectorsInWords({ ...status, ...change })).toBe(words);
});
