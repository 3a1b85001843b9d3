// The table of `mem cost`, its totals, and the notes below them.
import type { CostAnswer } from "../client/worker-client.ts";
import { localTime } from "../core/local-days.ts";
import { terminalLine } from "../text/terminal-text.ts";
import type { Io } from "./io.ts";
import { type Column, printRecord, printTable } from "./table.ts";
import { counted, homePath, localDate } from "./words.ts";

type Sums = CostAnswer["total"];
type Known = Pick<Sums, "costUsd" | "unpricedCalls">;

const keyHeadings = { day: "Day", project: "Project", model: "Model" };
const numbers: Column[] = ["Calls", "Input", "Cached", "Output", "Cost"].map((title) => ({
  title,
  align: "right",
}));

/** Prints the sums, and below them the month and the budgets. */
export function renderCost(io: Io, answer: CostAnswer): void {
  const rows = [...answer.rows, { key: "Total", ...answer.total }].map((row) => [
    terminalLine(row.key),
    ...cellsOf(row),
  ]);
  printTable(io, [{ title: keyHeadings[answer.by], flexible: true }, ...numbers], rows, {
    paintRow: (row, line) => (row === rows.length - 1 ? io.paint.bold(line) : line),
  });
  io.out("");
  printRecord(io, [...monthRows(answer), ...budgetRows(answer)]);
}

/** Notes below the table: the spent budget, failed and unpriced calls, the date of the prices. */
export function costNotes({ total, projection, prices, notice }: CostAnswer): string[] {
  const { failedCalls } = total;
  // The month may have begun before `--since`.
  const unpriced = Math.max(total.unpricedCalls, projection?.byEnd.unpricedCalls ?? 0);
  const cost = total.costUsd === null ? "The cost is unknown" : "A + marks a cost that is known in part";
  return [
    ...(notice === null ? [] : [`${notice.charAt(0).toUpperCase()}${notice.slice(1)}.`]),
    ...(failedCalls === 0
      ? []
      : [`${counted(failedCalls, "call")} failed and ${failedCalls === 1 ? "is" : "are"} included.`]),
    ...(unpriced === 0
      ? []
      : [
          `${cost}: ${counted(unpriced, "call")} used models without a known price. Add the price to ${homePath(prices.own)} (format: \`mem cost --help\`), then run \`mem worker restart\`; it applies to new calls.`,
        ]),
    `List prices of ${prices.date}. A subscription is billed by its plan.`,
  ];
}

/** Notes where no model was called. */
export function emptyCost({ since, budgets }: CostAnswer, provider: string): string[] {
  return [
    `No model was called since ${localDate(new Date(since))}.`,
    provider === "local"
      ? "The local provider writes observations; it costs nothing. To set up a model: `mem settings set MEM_PROVIDER primary && mem worker restart`."
      : "Provider in use: `mem status`. Earlier costs: `mem cost --since 365d`.",
    ...(budgets.length === 0 ? [] : budgetRows({ budgets }).map(([name, text]) => `${name}: ${text}.`)),
  ];
}

/** `$0.0042`, `$12.30`. */
export function dollars(usd: number): string {
  if (usd > 0 && usd < 0.00005) return "<$0.0001";
  const digits = usd > 0 && usd < 0.1 ? 4 : 2;
  return `$${usd.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })}`;
}

function cellsOf(sums: Sums): string[] {
  const { calls, inputTokens, cachedTokens, outputTokens } = sums;
  return [...[calls, inputTokens, cachedTokens, outputTokens].map(grouped), costText(sums)];
}

function costText({ costUsd, unpricedCalls }: Known): string {
  if (costUsd === null) return "unknown";
  return unpricedCalls === 0 ? dollars(costUsd) : `${dollars(costUsd)}+`;
}

function monthRows({ projection }: CostAnswer): (readonly [string, string])[] {
  if (projection === null) return [];
  const { soFar, byEnd, averageOfDays } = projection;
  const days = averageOfDays === 1 ? "day" : `${averageOfDays} days`;
  const cost = (used: Known) => (used.costUsd === null ? "cost unknown" : costText(used));
  return [
    ["This month", `${grouped(soFar.tokens)} tokens, ${cost(soFar)} so far`],
    [
      "Projection",
      `about ${roughly(byEnd.tokens)} tokens, ${cost(byEnd)} by its end, as in the last ${days}`,
    ],
  ];
}

function budgetRows({ budgets }: Pick<CostAnswer, "budgets">): (readonly [string, string])[] {
  if (budgets.length === 0) {
    return [
      ["Budget", "none. Set one: `mem settings set MEM_DAILY_TOKEN_BUDGET 200k && mem worker restart`"],
    ];
  }
  return budgets.map(({ name, limitTokens, leftTokens, until }) => [
    name === "daily" ? "Daily budget" : "Monthly budget",
    `${grouped(leftTokens)} of ${grouped(limitTokens)} tokens left until ${localTime(until)}`,
  ]);
}

function grouped(value: number): string {
  return value.toLocaleString("en-US");
}

// A projection is no more exact than this.
function roughly(tokens: number): string {
  if (tokens >= 1_000_000) return `${(tokens / 1_000_000).toFixed(1)} M`;
  return grouped(tokens >= 10_000 ? Math.round(tokens / 1_000) * 1_000 : tokens);
}
