// A model client that checks the budget before each call and records it in the ledger after.
import type { Clock } from "../core/clock.ts";
import type { ModelClient, ModelRequest } from "./model-client.ts";
import { ModelFailure } from "./model-failure.ts";
import { costOf, type Prices } from "./prices.ts";
import type { Spend } from "./spend.ts";
import { noUsage, type TokenUsage } from "./token-usage.ts";

interface MeteredDeps {
  client: ModelClient;
  spend: Pick<Spend, "reserve">;
  prices: Pick<Prices, "costMicroUsd">;
  clock: Clock;
}

/**
 * Its `complete` throws `BudgetSpent` when the budget is too small for the call.
 *
 * | call                                              | counts                                                |
 * | ------------------------------------------------- | ----------------------------------------------------- |
 * | answered, or failed with the vendor's token count | the vendor's count                                    |
 * | `timeout`, `aborted`, `bad_answer`                | an estimate: four characters a token, without output  |
 * | refused, answered by an HTML page, or never sent  | nothing                                               |
 */
export function createMeteredClient({ client, spend, prices, clock }: MeteredDeps): ModelClient {
  return {
    name: client.name,
    model: client.model,
    async complete(request, signal) {
      const reservation = spend.reserve(neededTokens(request), mostTokens(request));
      const settle = (outcome: string, model: string, usage: TokenUsage) =>
        reservation.settle({
          at_epoch: clock.now(),
          provider: client.name,
          model,
          session_id: request.about.sessionId,
          project: request.about.project,
          messages: request.about.messages,
          input_tokens: usage.inputTokens,
          output_tokens: usage.outputTokens,
          cached_tokens: usage.cachedTokens,
          // A vendor may answer under a dated name of the model.
          cost_micro_usd: prices.costMicroUsd(model, usage) ?? costOf(prices, client, usage),
          outcome,
        });
      const wasCancelled = signal.aborted;
      try {
        const answer = await client.complete(request, signal);
        await settle("ok", answer.model, answer.usage);
        return answer;
      } catch (cause) {
        const outcome = outcomeOf(cause, signal);
        const mayBeBilled = !wasCancelled && billedOutcomes.has(outcome) && !isPage(cause);
        const unsaid = mayBeBilled ? { ...noUsage, inputTokens: estimatedInput(request) } : noUsage;
        await settle(outcome, client.model, usageOf(cause) ?? unsaid);
        throw cause;
      }
    },
    close: () => client.close(),
  };
}

/** The estimate where no vendor counts. */
export const charactersPerToken = 4;

/** Upper bound of a call: its estimated input and the longest answer. */
function mostTokens(request: ModelRequest): number {
  return estimatedInput(request) + request.maxOutputTokens;
}

// A usual answer is far shorter than the longest one: reserving that would leave the end of every budget unused.
function neededTokens(request: ModelRequest): number {
  const output = answerTokens + request.about.messages * answerTokensOfEach;
  return estimatedInput(request) + Math.min(output, request.maxOutputTokens);
}

const answerTokens = 100;
const answerTokensOfEach = 200;

function estimatedInput({ system, prompt }: ModelRequest): number {
  return Math.ceil((system.length + prompt.length) / charactersPerToken);
}

function outcomeOf(cause: unknown, signal: AbortSignal): string {
  if (cause instanceof ModelFailure) return cause.kind;
  return signal.aborted ? "aborted" : "failed";
}

// The vendor read the request and bills it.
const billedOutcomes: ReadonlySet<string> = new Set(["timeout", "bad_answer", "aborted"]);

function isPage(cause: unknown): boolean {
  return cause instanceof ModelFailure && cause.isPage;
}

function usageOf(cause: unknown): TokenUsage | undefined {
  return cause instanceof ModelFailure ? cause.usage : undefined;
}
