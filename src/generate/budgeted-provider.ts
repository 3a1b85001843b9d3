// The provider of the generation loop where a budget is set: the model while it lasts, then `local`, marked for upgrade.
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
