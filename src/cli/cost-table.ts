// The table of `mem cost`: a line a day, project or model, the total, and what the month will cost.
import type { CostAnswer } from "../client/worker-client.ts";
import { localTime } from "../core/local-days.ts";
import { cutToWidth, displayWidth, padToWidth, terminalLine } from "../text/terminal-text.ts";
import { printAligned } from "./aligned.ts";
import type { Io } from "./io.ts";
import { counted, homePath, localDate } from "./words.ts";

type Sums = CostAnswer["total"];

const gap = "  ";
const keyHeadings = { day: "Day", project: "Project", model: "Model" };
const headings = ["Calls", "Input", "Cached", "Output", "Cost"];

/** Prints the sums in columns that fit the terminal, and below them the month and the budgets. */
export function renderCost(io: Io, answer: CostAnswer): void {
  const rows = answer.rows.map((row) => [terminalLine(row.key), ...cellsOf(row)]);
  const total = ["Total", ...cellsOf(answer.total)];
  const heading = [keyHeadings[answer.by], ...headings];
  const widths = heading.map((_, column) =>
    Math.max(...[heading, ...rows, total].map((cells) => displayWidth(cells[column] ?? ""))),
  );
  const numbers = widths.slice(1).reduce((sum, width) => sum + width + gap.length, 0);
  widths[0] = Math.min(widths[0] ?? 0, Math.max(10, io.columns - numbers));
  io.out(io.paint.dim(line(heading, widths)));
  for (const cells of rows) io.out(line(cells, widths));
  io.out(io.paint.bold(line(total, widths)));
  io.out("");
  printAligned(io, [...monthLines(answer), ...budgetLines(answer)]);
}

/** What the sums do not say, for the talk below the answer. */
export function costNotes({ total, projection, prices, notice }: CostAnswer): string[] {
  const { failedCalls } = total;
  // The month may have begun before the time that was asked for.
  const unpriced = Math.max(total.unpricedCalls, projection?.byEnd.unpricedCalls ?? 0);
  const lacks = total.costUsd === null ? "The cost is unknown" : "A + marks the known part of a cost";
  return [
    ...(notice === null ? [] : [`${notice.charAt(0).toUpperCase()}${notice.slice(1)}.`]),
    ...(failedCalls === 0
      ? []
      : [
          `${counted(failedCalls, "call")} gave no answer; ${failedCalls === 1 ? "it is" : "they are"} in the sums.`,
        ]),
    ...(unpriced === 0
      ? []
      : [
          `${lacks}: ${counted(unpriced, "call")} went to models without a known price. Name it in ${homePath(prices.own)}, as \`mem cost --help\` shows; it counts for new calls after \`mem worker restart\`.`,
        ]),
    `List prices of ${prices.date}; a subscription is billed by its plan.`,
  ];
}

/** What stands where no model was asked. */
export function emptyCost({ since, budgets }: CostAnswer, provider: string): string[] {
  const from = localDate(new Date(since));
  return [
    `No model was asked since ${from}, so nothing was spent.`,
    provider === "local"
      ? "The local provider writes; it costs nothing. `mem settings set MEM_PROVIDER primary && mem worker restart` sets a model up."
      : "`mem status` shows who writes at present, `mem cost --since 365d` looks further back.",
    ...(budgets.length === 0 ? [] : budgetLines({ budgets }).map(([name, text]) => `${name}: ${text}.`)),
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
  return [calls, inputTokens, cachedTokens, outputTokens].map(grouped).concat(costCell(sums));
}

// A sum that lacks some calls says so.
function costCell({ costUsd, unpricedCalls }: Pick<Sums, "costUsd" | "unpricedCalls">): string {
  if (costUsd === null) return "unknown";
  return unpricedCalls === 0 ? dollars(costUsd) : `${dollars(costUsd)}+`;
}

function line(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, column) => {
      const width = widths[column] ?? 0;
      return column === 0 ? padToWidth(cutToWidth(cell, width), width) : cell.padStart(width);
    })
    .join(gap)
    .trimEnd();
}

function monthLines({ projection }: CostAnswer): (readonly [string, string])[] {
  if (projection === null) return [];
  const { soFar, byEnd, averageOfDays } = projection;
  const days = averageOfDays === 1 ? "day" : `${averageOfDays} days`;
  return [
    ["This month", `${grouped(soFar.tokens)} tokens, ${costInWords(soFar)} so far`],
    [
      "Projection",
      `about ${roughly(byEnd.tokens)} tokens, ${costInWords(byEnd)} by its end, as in the last ${days}`,
    ],
  ];
}

function costInWords(used: NonNullable<CostAnswer["projection"]>["soFar"]): string {
  return used.costUsd === null ? "cost unknown" : costCell(used);
}

function budgetLines({ budgets }: Pick<CostAnswer, "budgets">): (readonly [string, string])[] {
  if (budgets.length === 0) {
    return [
      ["Budget", "none; `mem settings set MEM_DAILY_TOKEN_BUDGET 200k && mem worker restart` sets one"],
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
