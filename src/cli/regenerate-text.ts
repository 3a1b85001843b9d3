// Texts of `mem regenerate`: progress, end, plan, and the consent to its cost.
import type { RegenerateChoice } from "../client/parameters.ts";
import type { RegenerationAnswer, RegenerationPlanAnswer } from "../client/worker-client.ts";
import { MemError } from "../core/errors.ts";
import { localTime } from "../core/local-days.ts";
import { terminalLine } from "../text/terminal-text.ts";
import { canAsk, confirm, type Terminal } from "./confirm.ts";
import type { CliContext } from "./context.ts";
import { dollars } from "./cost-lines.ts";
import { printRecord } from "./table.ts";
import { counted } from "./words.ts";

/** `12 of 40 events regenerated, 1 failed; waiting: rate limited`. */
export function progressText({ done, total, failed, waitingFor }: RegenerationAnswer): string {
  const failures = failed === 0 ? "" : `, ${failed.toLocaleString("en-US")} failed`;
  const waiting = waitingFor === null ? "" : `; waiting: ${terminalLine(waitingFor)}`;
  return `${done.toLocaleString("en-US")} of ${counted(total, "event")} regenerated${failures}${waiting}`;
}

/** One sentence a line. */
export function endText(state: RegenerationAnswer): string[] {
  if (state.total === 0) return [nothingToRegenerate];
  const progress = `${progressText(state)}.`;
  if (state.stoppedBecause === null) return [progress];
  const reason = terminalLine(state.stoppedBecause);
  return [progress, `Stopped: ${reason}${reason.endsWith(".") ? "" : "."}`];
}

/** The command for the events that are left or failed; null when there are none. */
export function nextStep({ left, failed }: RegenerationAnswer): string | null {
  if (left > 0) return "Continue: `mem regenerate --resume`. Forget the rest: `mem regenerate --drop`.";
  if (failed > 0) return "Failed events keep their old records. Retry them: `mem regenerate`.";
  return null;
}

const nothingToRegenerate = "Nothing to regenerate.";

type Context = Pick<CliContext, "io" | "worker">;

/** Prints the plan of `--dry-run`; resolves with the number of its events. */
export async function showPlan(
  { io, worker }: Context,
  choice: RegenerateChoice,
  json: boolean,
): Promise<number> {
  const plan = await worker().regenerationPlan(choice);
  if (json) io.json(plan);
  else if (plan.events === 0) io.out(nothingToRegenerate);
  else printRecord(io, planRows(plan));
  return plan.events;
}

interface Consent {
  /** `--yes`. */
  yes: boolean;
  json: boolean;
  /** Default: the streams of the process. */
  terminal?: Terminal;
}

/**
 * Shows the plan and returns when it may start. Throws `cancelled` when the user says no, and `usage` without a
 * terminal. A run in progress and an empty plan cost nothing more, so the user is not asked.
 */
export async function demandConsent(
  { io, worker }: Context,
  choice: RegenerateChoice,
  { yes, json, terminal }: Consent,
): Promise<void> {
  if (yes && json) return;
  const plan = await worker().regenerationPlan(choice);
  if (plan.events === 0 || (plan.running && choice.resume === true)) return;
  // stdout is for the result.
  printRecord({ ...io, out: io.err, paint: io.errPaint }, planRows(plan));
  if (yes) return;
  if (!canAsk(terminal)) {
    throw new MemError("usage", {
      message: "This is not a terminal, so nothing was started.",
      hint: "Start without a question: --yes. Show the cost only: --dry-run.",
    });
  }
  const isSpent = plan.budgets.some(({ leftTokens }) => leftTokens === 0);
  const question = isSpent ? "A budget is spent, so it would stop immediately. Start anyway?" : "Start?";
  await confirm(question, "Nothing was started.", terminal);
}

/** Calls and cost, in rows of label and value. */
export function planRows(plan: RegenerationPlanAnswer): (readonly [string, string])[] {
  const { observations, summaries, sessions, calls, inputTokens, outputTokens, costUsd, budgets } = plan;
  const records = [
    ...(observations > 0 || summaries === 0 ? [counted(observations, "observation")] : []),
    ...(summaries > 0 ? [counted(summaries, "summary", "summaries")] : []),
  ];
  return [
    ["Records", `${records.join(" and ")} of ${counted(sessions, "session")}`],
    ["Model", `${terminalLine(plan.model)} (${plan.provider})`],
    ["About", `${counted(calls, "call")}, ${roughly(inputTokens)} tokens in, ${roughly(outputTokens)} out`],
    ["Cost", costUsd === null ? "price unknown" : `about ${dollars(costUsd)} at list prices`],
    ...(budgets.length === 0 ? [["Budget", "none"] as const] : budgets.map((each) => budgetRow(each, plan))),
  ];
}

function budgetRow(
  { name, limitTokens, leftTokens, until }: RegenerationPlanAnswer["budgets"][number],
  { inputTokens, outputTokens }: RegenerationPlanAnswer,
): readonly [string, string] {
  const [left, limit] = [leftTokens, limitTokens].map((tokens) => tokens.toLocaleString("en-US"));
  const ends = inputTokens + outputTokens > leftTokens ? "; it may stop before the end" : "";
  return [
    name === "daily" ? "Daily budget" : "Monthly budget",
    `${left} of ${limit} tokens left until ${localTime(until)}${ends}`,
  ];
}

// The estimate is no more exact than this.
function roughly(tokens: number): string {
  if (tokens >= 1_000_000) return `${(tokens / 1_000_000).toFixed(1)} M`;
  return (tokens >= 1_000 ? Math.round(tokens / 100) * 100 : tokens).toLocaleString("en-US");
}
