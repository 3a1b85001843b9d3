import { expect, test } from "vitest";
import type { GenerationBatch } from "../../src/generate/provider.ts";
import { createRegenerationPlan } from "../../src/generate/regeneration-plan.ts";
import { eachMemoryStore } from "../helpers/memory-store.ts";
import { bash, batchOf, claimed } from "./writer/support.ts";

const memory = eachMemoryStore();

const budget = { name: "daily", limit: 1_000, used: 10, left: 990, until: 5 } as const;
const size = { observations: 3, summaries: 1, sessions: 2, messages: 3 };
const uses = (count: number) => batchOf(...Array.from({ length: count }, (_, n) => bash(n + 1, "ls", "a")));

// Not sent as work.
const tasks = batchOf(claimed(1, { type: "observation", tool_name: "TodoWrite", tool_input: { todos: [] } }));

function planOf(turns: GenerationBatch[], price: number | null = 1) {
  return createRegenerationPlan<GenerationBatch>({
    list: {
      async measure(_request, { each }) {
        for (const turn of turns) each(turn);
        return size;
      },
    },
    client: { name: "primary", model: "m-1" },
    model: { charactersOf: ({ messages }) => 4_000 + messages.length },
    maxMessages: 41,
    prices: {
      costMicroUsd: (model, { inputTokens, outputTokens }) =>
        model === "m-1" && price !== null ? price * (inputTokens + 5 * outputTokens) : null,
    },
    spend: { budgets: () => [budget] },
  })({ generator: "local" });
}

test("names the records, the model, the calls, their tokens, the cost and the budget", async () => {
  const plan = await planOf([uses(4), uses(50), tasks]);
  const inputTokens = Math.ceil((2 * 4_000 + 54) / 4);
  expect(plan).toMatchObject({ ...size, provider: "primary", model: "m-1", calls: 2, inputTokens });
  expect(plan.costMicroUsd).toBe(inputTokens + 5 * plan.outputTokens);
  expect(plan.budgets).toEqual([budget]);
});

test("a model without a known price has no cost, and nothing to do takes nothing", async () => {
  expect((await planOf([uses(1)], null)).costMicroUsd).toBeNull();
  expect(await planOf([])).toMatchObject({ calls: 0, inputTokens: 0, outputTokens: 0, costMicroUsd: 0 });
});

test("where only local is set up there is no plan", async () => {
  const plan = createRegenerationPlan({
    list: memory.store.regenerations,
    ...{ client: null, model: null },
    maxMessages: 41,
    prices: { costMicroUsd: () => null },
    spend: { budgets: () => [] },
  });
  await expect(plan(null)).rejects.toMatchObject({ code: "no_model" });
});
