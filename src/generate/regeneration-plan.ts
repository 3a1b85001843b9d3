// Estimates the calls and the cost of a regeneration before it starts, at four characters a token like the ledger.
import { MemError } from "../core/errors.ts";
import type { CallLimits, RegenerationRequest, RegenerationSize } from "../core/records/regeneration.ts";
import { charactersPerToken } from "./metered-client.ts";
import type { ModelClient } from "./model-client.ts";
import { costOf, type Prices } from "./prices.ts";
import { fullMessageChars } from "./prompt.ts";
import type { BudgetState, Spend } from "./spend.ts";

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

interface PlanDeps {
  /** Measures the list and the request; only the list when the request is null. */
  list: { measure(request: RegenerationRequest | null): Promise<RegenerationSize> };
  /** Null where only `local` is configured. */
  client: Pick<ModelClient, "name" | "model" | "isOwn"> | null;
  /** Length of the system prompt. */
  systemChars?: number;
  /** Of one call. */
  limits: CallLimits;
  prices: Pick<Prices, "costMicroUsd">;
  spend: Pick<Spend, "budgets">;
}

/** Throws `no_model`. */
export type PlanRegeneration = (request: RegenerationRequest | null) => Promise<RegenerationPlan>;

export function createRegenerationPlan(deps: PlanDeps): PlanRegeneration {
  const { client, systemChars = 0, limits, prices, spend } = deps;
  return async (request) => {
    if (client === null) throw new MemError("no_model");
    const { observations, summaries, sessions } = await deps.list.measure(request);
    const calls = sessions.reduce((sum, sizes) => sum + intoCalls(sizes, (size) => size, limits).length, 0);
    const shown = sessions
      .flat()
      .reduce((sum, size) => sum + Math.min(size * shownShare, fullMessageChars), 0);
    const around = calls * (systemChars + charactersAroundMessages) + summaries * charactersAskingForSummary;
    const inputTokens = Math.ceil((around + shown) / charactersPerToken);
    const outputTokens = observations * tokensOfObservation + summaries * tokensOfSummary;
    return {
      provider: client.name,
      model: client.model,
      observations,
      summaries,
      sessions: sessions.length,
      messages: sessions.reduce((sum, sizes) => sum + sizes.length, 0),
      calls,
      inputTokens,
      outputTokens,
      costMicroUsd: costOf(prices, client, { inputTokens, outputTokens, cachedTokens: 0 }),
      budgets: spend.budgets(),
    };
  };
}

// The session's name and a few known titles.
const charactersAroundMessages = 800;

const charactersAskingForSummary = 1_900;

// Measured on recorded tool uses: 0.69 of a payload's bytes are shown; the rest is JSON syntax and empty fields.
const shownShare = 0.7;

// What models write for the sizes that the prompt asks for.
const tokensOfObservation = 300;
const tokensOfSummary = 400;

/** Cuts items, in order, into calls within the limits. */
export function intoCalls<T>(items: readonly T[], sizeOf: (item: T) => number, limits: CallLimits): T[][] {
  const calls: T[][] = [];
  let call: T[] = [];
  let characters = 0;
  for (const item of items) {
    const size = sizeOf(item);
    const fits = call.length < limits.messages && characters + size <= limits.characters;
    if (call.length === 0 || !fits) {
      call = [];
      calls.push(call);
      characters = 0;
    }
    call.push(item);
    characters += size;
  }
  return calls;
}
