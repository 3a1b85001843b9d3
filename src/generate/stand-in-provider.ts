// The provider of the generation loop: the model while it may be asked, else `local` in its place: while a budget is spent,
// a login is refused that nobody has chosen, or where the model has no useful answer. What `local` writes then is marked as
// worth making again.
import type { Flow, Pass } from "./flow.ts";
import type { GenerationBatch, GenerationReply, Provider } from "./provider.ts";
import { BudgetSpent } from "./spend.ts";

/** Asks `model`; while `localWrites`, `local` answers and the reply says that it is worth making again. */
export function createStandInProvider(
  model: Provider,
  local: Provider,
  localWrites: () => boolean,
): Provider {
  const standIn = async (batch: GenerationBatch, signal: AbortSignal): Promise<GenerationReply> => ({
    ...(await local.generate(batch, signal)),
    upgrade: true,
  });
  return {
    name: model.name,
    standIn,
    async generate(batch, signal) {
      if (localWrites()) return standIn(batch, signal);
      try {
        return await model.generate(batch, signal);
      } catch (cause) {
        // The budget ended under way: what the first calls of this batch cost is in the ledger, the batch is not lost.
        if (cause instanceof BudgetSpent) return standIn(batch, signal);
        throw cause;
      }
    },
  };
}

/** The gate as the loop sees it: while `localWrites` the model is not asked, so its pause holds nothing up. */
export function createStandInFlow(flow: Flow, localWrites: () => boolean): Flow {
  return {
    ...flow,
    mayAsk: (now, sessionId) => flow.mayAsk(now, sessionId) || localWrites(),
    admit: (now, sessionId) => flow.admit(now, sessionId) ?? (localWrites() ? passForLocal : null),
  };
}

// What `local` answers says nothing of the model.
const passForLocal: Pass = {
  isProbe: false,
  succeeded: () => undefined,
  failed: () => undefined,
  returned: () => undefined,
};
