// Counts the calls of a regeneration before it starts, and their tokens at four characters each like the ledger.
import { MemError } from "../core/errors.ts";
import type { RegenerationRequest, RegenerationSize } from "../core/records/regeneration.ts";
import { charactersPerToken } from "./metered-client.ts";
import type { ModelClient } from "./model-client.ts";
import { costOf, type Prices } from "./prices.ts";
import type { GenerationBatch } from "./provider.ts";
import type { BudgetState, Spend } from "./spend.ts";
import { shownOf } from "./turns.ts";
import type { ModelProvider } from "./writer.ts";

export interface RegenerationPlan {
  provider: string;
  model: string;
  observations: number;
  summaries: number;
  sessions: number;
  /** Raw events: the unit of progress. */
  messages: number;
  calls: number;
  inputTokens: number;
  outputTokens: number;
  /** At the price of uncached input; null where the model's price is unknown. */
  costMicroUsd: number | null;
  /** The configured budgets. */
  budgets: BudgetState[];
}

interface PlanDeps<B extends GenerationBatch> {
  list: {
    /** Measures the list and the request, turn by turn; only the list when the request is null. */
    measure(
      request: RegenerationRequest | null,
      visit: { maxMessages: number; each(batch: B): void },
    ): Promise<RegenerationSize>;
  };
  client: Pick<ModelClient, "name" | "model" | "isOwn"> | null;
  /** Of one call. */
  maxMessages: number;
  /** Null where only `local` is configured. */
  model: Pick<ModelProvider, "charactersOf"> | null;
  prices: Pick<Prices, "costMicroUsd">;
  spend: Pick<Spend, "budgets">;
}

/** Throws `no_model`. */
export type PlanRegeneration = (request: RegenerationRequest | null) => Promise<RegenerationPlan>;

export function createRegenerationPlan<B extends GenerationBatch>(deps: PlanDeps<B>): PlanRegeneration {
  const { client, model, maxMessages, prices, spend } = deps;
  return async (request) => {
    if (client === null || model === null) throw new MemError("no_model");
    let calls = 0;
    let characters = 0;
    const each = (batch: B): void => {
      const part = shownOf(batch);
      if (part.messages.length === 0) return;
      calls += 1;
      characters += model.charactersOf(part);
    };
    const size = await deps.list.measure(request, { maxMessages, each });
    const inputTokens = Math.ceil(characters / charactersPerToken);
    const outputTokens = calls * tokensOfAnswer;
    return {
      ...size,
      ...{ provider: client.name, model: client.model, calls, inputTokens, outputTokens },
      costMicroUsd: costOf(prices, client, { inputTokens, outputTokens, cachedTokens: 0 }),
      budgets: spend.budgets(),
    };
  };
}

// What models write for the sizes that the prompt asks for.
const tokensOfAnswer = 700;
