// A metered model over a real ledger, for tests of what calls are counted and of what stands in when a budget is spent.
import { afterEach, beforeEach } from "vitest";
import { createMeteredClient } from "../../src/generate/metered-client.ts";
import type { ModelClient, ModelRequest } from "../../src/generate/model-client.ts";
import { createSpend, type Spend } from "../../src/generate/spend.ts";
import { createMemoryStore, type MemoryStore } from "../helpers/memory-store.ts";

export let memory: MemoryStore;
export let now: number;
export let spend: Spend;
/** Calls that reached the model. */
export let asked: number;

/** Every test of the file gets a new ledger and a budget of 1,000 tokens a day. */
export function eachWithALedgerOfItsOwn(): void {
  beforeEach(() => {
    memory = createMemoryStore();
    now = Date.UTC(2026, 10, 20, 12);
    asked = 0;
    setBudget(1_000);
  });
  afterEach(() => memory.close());
}

export function setBudget(daily: number): void {
  spend = createSpend({
    budgets: { daily, monthly: 0 },
    ledger: {
      record: (call) => memory.store.commit(() => memory.store.modelCalls.record(call)),
      tokensSince: memory.store.modelCalls.tokensSince,
    },
    clock: { now: () => now, monotonicMs: () => now },
  });
}

export const request: ModelRequest = {
  system: "s".repeat(40),
  prompt: "p".repeat(360),
  maxOutputTokens: 100,
  schema: {},
  about: { sessionId: 7, project: "app", messages: 3 },
};

/** The client of a model that answers with `complete`. */
export function metered(
  complete: ModelClient["complete"],
  is: Partial<Pick<ModelClient, "model" | "isOwn">> = {},
): ModelClient {
  return createMeteredClient({
    client: {
      name: "primary",
      model: "m-1",
      ...is,
      complete: (sent, signal) => {
        asked += 1;
        return complete(sent, signal);
      },
      close: async () => undefined,
    },
    spend,
    prices: {
      costMicroUsd: (model, usage) => (model === "m-1" ? usage.inputTokens + usage.outputTokens * 5 : null),
    },
    clock: { now: () => now, monotonicMs: () => now },
  });
}

export const answer = {
  text: "{}",
  stopped: "end" as const,
  model: "m-1-20260101",
  usage: { inputTokens: 600, outputTokens: 40, cachedTokens: 500 },
};
