import { expect, test } from "vitest";
import { createRegenerationPlan, intoCalls } from "../../src/generate/regeneration-plan.ts";
import { eachMemoryStore } from "../helpers/memory-store.ts";

const memory = eachMemoryStore();

const budget = { name: "daily", limit: 1_000, used: 10, left: 990, until: 5 } as const;

interface Measured {
  observations?: number;
  summaries?: number;
  sessions?: number[][];
}

function planOf({ observations = 0, summaries = 0, sessions = [] }: Measured, price: number | null = 1) {
  return createRegenerationPlan({
    list: { measure: async () => ({ observations, summaries, sessions }) },
    client: { name: "primary", model: "m-1" },
    systemChars: 3_200,
    limits: { messages: 20, characters: 60_000 },
    prices: {
      costMicroUsd: (model, { inputTokens, outputTokens }) =>
        model === "m-1" && price !== null ? price * (inputTokens + 5 * outputTokens) : null,
    },
    spend: { budgets: () => [budget] },
  })({ generator: "local" });
}

test("names the records, the model, the tokens, the cost and the budget", async () => {
  const plan = await planOf({
    observations: 3,
    summaries: 1,
    sessions: [[400, 1_000_000], [3_600]],
  });
  // Three calls, as the message of a megabyte goes alone, of 3,200 and 800 around the messages; of each message seven tenths
  // are shown, and of the long one no more than 4,000.
  const inputTokens = (3 * 4_000 + 280 + 4_000 + 2_520 + 1_900) / 4;
  const outputTokens = 3 * 300 + 400;
  expect(plan).toEqual({
    provider: "primary",
    model: "m-1",
    observations: 3,
    summaries: 1,
    sessions: 2,
    messages: 3,
    calls: 3,
    inputTokens,
    outputTokens,
    costMicroUsd: inputTokens + 5 * outputTokens,
    budgets: [budget],
  });
});

test.each([
  ["twenty messages of a session go in one call, one more in another", [Array(21).fill(10)], 2],
  ["each session has calls of its own", Array(5).fill([10]), 5],
  ["60,000 characters go in one call", [[30_000, 30_000, 10]], 2],
  ["nothing takes no call", [], 0],
])("%s", async (_what, sessions, calls) => {
  expect((await planOf({ sessions })).calls).toBe(calls);
});

test("a model without a known price has no cost, and nothing to do takes nothing", async () => {
  expect((await planOf({ sessions: [[10]] }, null)).costMicroUsd).toBeNull();
  expect(await planOf({})).toMatchObject({ inputTokens: 0, outputTokens: 0, costMicroUsd: 0, messages: 0 });
});

test("where only local is set up there is no plan", async () => {
  const plan = createRegenerationPlan({
    list: memory.store.regenerations,
    client: null,
    limits: { messages: 20, characters: 60_000 },
    prices: { costMicroUsd: () => null },
    spend: { budgets: () => [] },
  });
  await expect(plan(null)).rejects.toMatchObject({ code: "no_model" });
});

test.each([
  ["by number", { messages: 2, characters: 60_000 }, [[1, 2], [3, 4], [5]]],
  [
    "by size",
    { messages: 20, characters: 16 },
    [
      [1, 2, 3],
      [4, 5],
    ],
  ],
  ["not at all where they fit", { messages: 5, characters: 60_000 }, [[1, 2, 3, 4, 5]]],
  ["to one at least", { messages: 20, characters: 1 }, [[1], [2], [3], [4], [5]]],
])("items are cut into calls %s, in order", (_how, limits, calls) => {
  expect(intoCalls([1, 2, 3, 4, 5], () => 5, limits)).toEqual(calls);
});

test("every call starts with its size at zero", () => {
  const limits = { messages: 20, characters: 25 };
  expect(intoCalls([50, 10, 10, 50], (size) => size, limits)).toEqual([[50], [10, 10], [50]]);
  expect(intoCalls([], () => 1, limits)).toEqual([]);
});
