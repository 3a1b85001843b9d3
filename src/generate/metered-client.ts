// A model client whose every call is checked against the budget before, and entered in the ledger after.
import type { Clock } from "../core/clock.ts";
import type { ModelClient, ModelRequest, TokenUsage } from "./model-client.ts";
import { ModelFailure } from "./model-failure.ts";
import { costOf, type Prices } from "./prices.ts";
import type { Spend } from "./spend.ts";

interface MeteredDeps {
  client: ModelClient;
  spend: Pick<Spend, "reserve">;
  prices: Pick<Prices, "costMicroUsd">;
  clock: Clock;
}

/**
 * `client`, metered. Its `complete` throws `BudgetSpent` before a call that no budget is left for.
 *
 * | a call that                                              | counts                                             |
 * | -------------------------------------------------------- | -------------------------------------------------- |
 * | was answered, or failed with what the vendor says it used | that                                               |
 * | was sent and broken off, or answered with nothing usable | an estimate: what was sent, at four characters a   |
 * | (`timeout`, `aborted`, `bad_answer`)                     | token, and no output                               |
 * | was refused, reached nobody (an HTML page answered), or  | nothing                                            |
 * | was never sent                                           |                                                    |
 *
 * A call that is broken off while it still waits for its turn cannot be told from one that was sent: it is estimated too.
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
          // A vendor may answer under a dated name of the model that was asked.
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
        const unsaid = mayBeBilled ? { ...nothing, inputTokens: estimatedInput(request) } : nothing;
        await settle(outcome, client.model, usageOf(cause) ?? unsaid);
        throw cause;
      }
    },
    close: () => client.close(),
  };
}

/** The flat estimate of what a text takes, where no vendor has counted it. */
export const charactersPerToken = 4;

/** What a call may use at most: the flat estimate for what is sent, and the longest answer. */
function mostTokens(request: ModelRequest): number {
  return estimatedInput(request) + request.maxOutputTokens;
}

// The longest answer is several times a usual one: to keep that much free would leave the end of every budget unused.
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

const nothing: TokenUsage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };

// The vendor read the request, and bills that although nothing came of it.
const billedOutcomes: ReadonlySet<string> = new Set(["timeout", "bad_answer", "aborted"]);

function isPage(cause: unknown): boolean {
  return cause instanceof ModelFailure && cause.isPage;
}

function usageOf(cause: unknown): TokenUsage | undefined {
  return cause instanceof ModelFailure ? cause.usage : undefined;
}
