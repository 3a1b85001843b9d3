// `mem cost`: what models were asked, what it cost, what the month will cost, and what the budgets leave.
import { type Command, Option } from "commander";
import type { CostAnswer } from "../../client/worker-client.ts";
import { terminalLine, wrapToWidth } from "../../text/terminal-text.ts";
import type { CliContext } from "../context.ts";
import { costNotes, emptyCost, renderCost } from "../cost-table.ts";
import { withExamples } from "../examples.ts";
import { parseWhen } from "../when.ts";
import { homePath } from "../words.ts";

interface CostOptions {
  by: CostAnswer["by"];
  since?: string;
  json?: true;
}

/** Adds `mem cost`. */
export function registerCost(program: Command, context: CliContext): void {
  const cost = program
    .command("cost")
    .description("show what models were asked and what it cost")
    .addOption(
      new Option("--by <what>", "a line a day, project or model")
        .choices(["day", "project", "model"])
        .default("day"),
    )
    .option("--since <time>", "not before 2026-01-31, yesterday, 36h, 7d (default: 30 days)")
    .option("--json", "print JSON")
    .action((options: CostOptions) => showCost(context, options));
  cost.addHelpText("after", ownPrices);
  withExamples(cost, [
    ["mem cost --by project --since 7d", "which project it went into"],
    ["mem cost --by model --json", "the same for a program"],
  ]);
}

const ownPrices = `
Prices of your own, in US dollars per million tokens, stand in prices.json of
the data directory and go before the shipped ones:
  {"models": {"my-model": {"input": 0.5, "cachedInput": 0.05, "output": 3}}}
They are of new calls, after \`mem worker restart\`; a call keeps the cost that it
was recorded with, unknown ones included.`;

async function showCost(context: CliContext, { by, since, json }: CostOptions): Promise<void> {
  const { io, clock } = context;
  const from = since === undefined ? {} : { since: parseWhen(since, "start", clock.now()) };
  const answer = await context.worker().cost({ by, ...from });
  if (json === true) {
    io.json(answer);
    return;
  }
  const isEmpty = answer.total.calls === 0;
  if (!isEmpty) renderCost(io, answer);
  // The worker says what is wrong with a table of one's own.
  const { notices } = await context.worker().health();
  const ofPrices = notices.filter((notice) => notice.includes(homePath(answer.prices.own)));
  const notes = isEmpty ? emptyCost(answer, context.settings("read").get("MEM_PROVIDER")) : costNotes(answer);
  for (const note of [...notes, ...ofPrices.map(terminalLine)])
    for (const line of wrapToWidth(note, io.columns)) io.err(line);
}
