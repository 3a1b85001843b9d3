// Queue and spend as labeled values.
import type { CostAnswer, ProcessingStatusAnswer, WorkerClient } from "../../client/worker-client.ts";
import { terminalLine } from "../../text/terminal-text.ts";
import { dollars } from "../cost-lines.ts";
import { haltInWords, haltOf } from "../queue-lines.ts";
import type { Figures } from "./state.ts";

type Routes = ReturnType<WorkerClient["under"]>;

/** Reads the state of the queue, the provider and what models cost in the last 30 days. */
export async function readFigures(worker: Routes, nowEpochMs: number): Promise<Figures> {
  const [health, processing, cost] = await Promise.all([
    worker.health(),
    worker.processingStatus(),
    worker.cost({ by: "day" }),
  ]);
  const halt = haltOf(health, nowEpochMs);
  const model = health.provider.model === null ? "" : `, ${health.provider.model}`;
  return [
    ["Queue", queueText(processing)],
    ["Provider", terminalLine(`${health.provider.active}${model}`)],
    ...(halt === null ? [] : [["Paused", terminalLine(haltInWords(halt))] as const]),
    ["Spend", spendText(cost)],
    ...budgets(cost),
  ];
}

function queueText({ pending, processing, dead }: ProcessingStatusAnswer): string {
  const parts = [`${pending} waiting`, `${processing} running`, `${dead} failed`];
  return parts.join(", ");
}

function spendText({ total }: CostAnswer): string {
  if (total.calls === 0) return "no calls to models in the last 30 days";
  const cost = total.costUsd === null ? "cost unknown" : dollars(total.costUsd);
  const tokens = total.inputTokens + total.outputTokens;
  return `${cost} in the last 30 days: ${total.calls.toLocaleString("en-US")} calls, ${tokens.toLocaleString("en-US")} tokens`;
}

function budgets({ budgets }: CostAnswer): Figures {
  return budgets.map(({ name, limitTokens, leftTokens }) => [
    name === "daily" ? "Daily budget" : "Monthly budget",
    `${leftTokens.toLocaleString("en-US")} of ${limitTokens.toLocaleString("en-US")} tokens left`,
  ]);
}
