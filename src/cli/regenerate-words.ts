// How far a regeneration is, in words.
import type { RegenerationAnswer, RegenerationPlanAnswer } from "../client/worker-client.ts";
import { localTime } from "../core/local-days.ts";
import { terminalLine } from "../text/terminal-text.ts";
import { dollars } from "./cost-table.ts";
import { counted } from "./words.ts";

/** `12 of 40 events made again, 1 given up; waiting: the vendor wants a pause`. */
export function progressInWords(state: RegenerationAnswer): string {
  const { done, total, failed, waitingFor } = state;
  const givenUp = failed === 0 ? "" : `, ${failed.toLocaleString("en-US")} given up`;
  const waiting = waitingFor === null ? "" : `; waiting: ${terminalLine(waitingFor)}`;
  return `${done.toLocaleString("en-US")} of ${counted(total, "event")} made again${givenUp}${waiting}`;
}

/** How it ended, a sentence a line; what can be done then stands in `nextStep`. */
export function endInWords(state: RegenerationAnswer): string[] {
  if (state.total === 0) return ["Nothing is to be made again."];
  const { stoppedBecause } = state;
  const made = `${progressInWords(state)}.`;
  return stoppedBecause === null ? [made] : [made, `Stopped: ${withEnd(terminalLine(stoppedBecause), ".")}`];
}

/** What the user can do about what is left or was given up. */
export function nextStep({ left, failed }: RegenerationAnswer): string | null {
  if (left > 0) return "`mem regenerate --resume` goes on, `mem regenerate --drop` forgets the rest.";
  if (failed > 0) return "What was given up keeps its old records; `mem regenerate` tries it again.";
  return null;
}

/** What it would ask and cost, in rows of label and value. */
export function planRows(plan: RegenerationPlanAnswer): (readonly [string, string])[] {
  const { observations, summaries, sessions, calls, inputTokens, outputTokens, costUsd } = plan;
  const records = [
    ...(observations > 0 || summaries === 0 ? [counted(observations, "observation")] : []),
    ...(summaries > 0 ? [counted(summaries, "summary", "summaries")] : []),
  ];
  return [
    ["To write again", `${records.join(" and ")} of ${counted(sessions, "session")}`],
    ["By", `${terminalLine(plan.model)} (${plan.provider})`],
    ["About", `${counted(calls, "call")}, ${roughly(inputTokens)} tokens in, ${roughly(outputTokens)} out`],
    ["Cost", costUsd === null ? "price unknown" : `about ${dollars(costUsd)} at list prices`],
    ...budgetRows(plan),
  ];
}

function budgetRows({ budgets, inputTokens, outputTokens }: RegenerationPlanAnswer) {
  if (budgets.length === 0) return [["Budget", "none is set"] as const];
  return budgets.map(({ name, limitTokens, leftTokens, until }) => {
    const label = name === "daily" ? "Daily budget" : "Monthly budget";
    const left = `${leftTokens.toLocaleString("en-US")} of ${limitTokens.toLocaleString("en-US")} tokens left until ${localTime(until)}`;
    const ends = inputTokens + outputTokens > leftTokens ? "; it may end before all is written" : "";
    return [label, left + ends] as const;
  });
}

// An estimate is no more exact than this.
function roughly(tokens: number): string {
  if (tokens >= 1_000_000) return `${(tokens / 1_000_000).toFixed(1)} M`;
  return (tokens >= 1_000 ? Math.round(tokens / 100) * 100 : tokens).toLocaleString("en-US");
}

function withEnd(text: string, end: string): string {
  return text.endsWith(end) ? text : text + end;
}
