import { expect, test } from "vitest";
import { type VectorStatus, vectorsInWords } from "../../src/domain/vector-status.ts";

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
  [{ state: "embedding", model: "" }, "onnx, embedding 1,234 of 5,000"],
  [{ state: "failing", reason: "No key." }, "onnx (a/model), 1,234 of 5,000 embedded: No key."],
  [{ state: "off", reason: "MEM_EMBEDDER is off" }, "off: MEM_EMBEDDER is off"],
])("%j is said as %s", (change, words) => {
  expect(vectorsInWords({ ...status, ...change })).toBe(words);
});
