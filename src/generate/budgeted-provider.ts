// The provider of the generation loop where a budget is set: the model while it lasts, then `local`, marked for upgrade.
import type { Flow, Pass } from "./flow.ts";
import type { GenerationReply, Provider } from "./provider.ts";
import { BudgetSpent, type Spend } from "./spend.ts";

/** Asks `model`; while a budget is spent `local` answers and the reply says that it is worth making again. */
export function createBudgetedProvider(
  model: Provider,
  local: Provider,
  spend: Pick<Spend, "spent">,
): Provider {
  return {
    name: model.name,
    async generate(batch, signal) {
      const standIn = async (): Promise<GenerationReply> => ({
        ...(await local.generate(batch, signal)),
        upgrade: true,
      });
      if (spend.spent() !== null) return standIn();
      try {
        return await model.generate(batch, signal);
      } catch (cause) {
        // The budget ended under way: what the first calls of this batch cost is in the ledger, the batch is not lost.
        if (cause instanceof BudgetSpent) return standIn();
        throw cause;
      }
    },
  };
}

/** The gate as the loop sees it: while a budget is spent the model is not asked, so its pause holds nothing up. */
export function createBudgetedFlow(flow: Flow, spend: Pick<Spend, "spent">): Flow {
  return {
    ...flow,
    mayAsk: (now, sessionId) => flow.mayAsk(now, sessionId) || spend.spent() !== null,
    admit: (now, sessionId) => flow.admit(now, sessionId) ?? (spend.spent() === null ? null : passForLocal),
  };
}

// What `local` answers says nothing of the model.
const passForLocal: Pass = {
  isProbe: false,
  succeeded: () => undefined,
  failed: () => undefined,
  returned: () => undefined,
};
