// What a regeneration would ask and cost, told before it starts. Estimated as the ledger does: four characters a token.
import { MemError } from "../core/errors.ts";
import { charactersPerToken } from "./metered-client.ts";
import type { ModelClient } from "./model-client.ts";
import { costOf, type Prices } from "./prices.ts";
import { fullMessageChars } from "./prompt.ts";
import type { CallLimits } from "./regeneration-parts.ts";
import type { RegenerationRequest } from "./regenerator.ts";
import type { BudgetState, Spend } from "./spend.ts";

/** The port of the durable list; the SQLite store's regenerations fit it. */
interface RegenerationMeasure {
  /** Without a request only what is listed already. */
  measure(request: RegenerationRequest | null): Promise<{
    observations: number;
    summaries: number;
    /** Of each session the bytes of each of its messages. */
    sessions: readonly (readonly number[])[];
  }>;
}

export interface RegenerationPlan {
  provider: string;
  model: string;
  observations: number;
  summaries: number;
  sessions: number;
  /** Raw events, in which the progress is counted. */
  messages: number;
  calls: number;
  inputTokens: number;
  outputTokens: number;
  /** At the price of input that no cache holds; null where the model's price is not known. */
  costMicroUsd: number | null;
  /** The budgets that are set. */
  budgets: BudgetState[];
}

interface PlanDeps {
  list: RegenerationMeasure;
  /** Null where only `local` is set up. */
  client: Pick<ModelClient, "name" | "model" | "isOwn"> | null;
  /** Length of the text that stands before every call. */
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
    const calls = sessions.reduce((sum, sizes) => sum + callsFor(sizes, limits), 0);
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

// What names the session, and a few titles that are known already.
const charactersAroundMessages = 800;

// The request for a summary's statements.
const charactersAskingForSummary = 1_900;

// Of a payload's bytes; the rest is JSON, and fields that say nothing. Of the recorded tool uses it is 0.69.
const shownShare = 0.7;

// As many as models write of the sizes that they are asked for.
const tokensOfObservation = 300;
const tokensOfSummary = 400;

function callsFor(sizes: readonly number[], limits: CallLimits): number {
  let calls = 0;
  let messages = 0;
  let characters = 0;
  for (const size of sizes) {
    if (messages === 0 || messages === limits.messages || characters + size > limits.characters) {
      calls += 1;
      messages = 0;
      characters = 0;
    }
    messages += 1;
    characters += size;
  }
  return calls;
}
