import { expect, test } from "vitest";
import { checkPython, checkVectors } from "../../../src/cli/checks/generation.ts";
import type { VectorStatus } from "../../../src/core/records/vector-status.ts";

const vectors: VectorStatus = {
  state: "ready",
  embedder: "http",
  model: "m",
  dimension: 64,
  done: 3,
  total: 3,
  reason: null,
  next: null,
};

test("vectors that are made, or are being made, are no fault", () => {
  expect(checkVectors({ vectors })).toEqual({
    name: "Vectors",
    state: "ok",
    message: "http (m), 3 observations",
  });
  for (const state of ["off", "embedding", "re-embedding"] as const)
    expect(checkVectors({ vectors: { ...vectors, state } }).state).toBe("ok");
});

test("reports a failing embedder with its next step", () => {
  const failing = { ...vectors, state: "failing" as const, reason: "No key.", next: "set one" };
  expect(checkVectors({ vectors: failing })).toEqual({
    name: "Vectors",
    state: "warn",
    message: "http (m), all 3 embedded, but not available now: No key.",
    next: "set one",
  });
  expect(checkVectors({ vectors: { ...failing, next: null } }).next).toBe("mem worker logs");
});

test("a worker that knows nothing of vectors is no fault either", () => {
  expect(checkVectors({}).state).toBe("ok");
});

test("nothing needs Python", () => {
  expect(checkPython()).toMatchObject({ state: "ok", message: expect.stringContaining("not needed") });
});
