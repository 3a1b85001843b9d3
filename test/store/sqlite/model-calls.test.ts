import { beforeEach, expect, test, vi } from "vitest";
import type { ModelCall } from "../../../src/core/records/model-call.ts";
import { eachMemoryStore } from "../../helpers/memory-store.ts";

const memory = eachMemoryStore();
beforeEach(() => {
  vi.stubEnv("TZ", "Europe/Berlin");
  return () => vi.unstubAllEnvs();
});

const plainCall: ModelCall = {
  at_epoch: 0,
  provider: "primary",
  model: "m-1",
  session_id: 1,
  project: "app",
  messages: 3,
  input_tokens: 100,
  output_tokens: 10,
  cached_tokens: 40,
  cost_micro_usd: 500,
  outcome: "ok",
};

async function record(...calls: Partial<ModelCall>[]): Promise<void> {
  for (const call of calls)
    await memory.store.commit(() => memory.store.modelCalls.record({ ...plainCall, ...call }));
}

const at = (iso: string): number => Date.parse(iso);
const all = { from: 0, until: at("2027-01-01T00:00:00Z") };

test("days are local: a call half an hour before midnight belongs to the ending day", async () => {
  await record(
    { at_epoch: at("2026-10-24T21:30:00Z") },
    { at_epoch: at("2026-10-24T22:30:00Z") },
    // The last hour of a day that is 25 hours long.
    { at_epoch: at("2026-10-25T22:59:00Z") },
    { at_epoch: at("2026-10-25T23:00:00Z") },
  );
  const days = memory.store.modelCalls.sums("day", all).map(({ key, calls }) => [key, calls]);
  expect(days).toEqual([
    ["2026-10-24", 1],
    ["2026-10-25", 2],
    ["2026-10-26", 1],
  ]);
});

test("the range cuts the first and the last day", async () => {
  await record({ at_epoch: 1_000 }, { at_epoch: 2_000 }, { at_epoch: 3_000 });
  const { modelCalls } = memory.store;
  for (const by of ["day", "project", "model", "session"] as const)
    expect(modelCalls.sums(by, { from: 2_000, until: 3_000 }).map(({ calls }) => calls)).toEqual([1]);
  expect(modelCalls.total({ from: 2_000, until: 3_000 }).calls).toBe(1);
});

test.each([
  ["project", "app", "tool"],
  ["model", "m-1", "m-2"],
  ["session", "1", "2"],
] as const)("sums by %s stand in the order of what they used", async (by, little, much) => {
  const other = { project: "tool", model: "m-2", session_id: 2, input_tokens: 5_000 };
  await record({ at_epoch: 1 }, { at_epoch: 2, ...other }, { at_epoch: 3, ...other });
  expect(memory.store.modelCalls.sums(by, all).map(({ key, calls }) => [key, calls])).toEqual([
    [much, 2],
    [little, 1],
  ]);
});

test("failed calls and unknown prices are counted, and what they used is in the sum", async () => {
  await record(
    { at_epoch: 1 },
    { at_epoch: 2, outcome: "bad_answer", cost_micro_usd: null },
    { at_epoch: 3, outcome: "auth", input_tokens: 0, output_tokens: 0, cached_tokens: 0, cost_micro_usd: 0 },
  );
  expect(memory.store.modelCalls.total(all)).toEqual({
    calls: 3,
    failed: 2,
    input_tokens: 200,
    output_tokens: 20,
    cached_tokens: 80,
    cost_micro_usd: 500,
    unpriced: 1,
  });
  expect(memory.store.modelCalls.tokensSince(2)).toBe(110);
});

test("an empty ledger sums to nothing", () => {
  const { modelCalls } = memory.store;
  expect(modelCalls.sums("day", all)).toEqual([]);
  expect(modelCalls.sums("project", all)).toEqual([]);
  expect(modelCalls.total(all)).toMatchObject({ calls: 0, failed: 0, input_tokens: 0, unpriced: 0 });
  expect(modelCalls.tokensSince(0)).toBe(0);
  expect(modelCalls.firstAt()).toBeNull();
});
