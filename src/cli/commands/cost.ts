// `mem cost`: calls to models, their cost, a projection for the month and what is left of the budgets.
import type { Command } from "commander";
import type { CostAnswer } from "../../client/worker-client.ts";
import { addCommand, choice, type JsonOptions, jsonOption } from "../command.ts";
import type { CliContext } from "../context.ts";
import { costNotes, emptyCost, renderCost } from "../cost-lines.ts";
import { printWrapped } from "../table.ts";
import { parseWhen } from "../when.ts";
import { homePath } from "../words.ts";

interface CostOptions extends JsonOptions {
  by: CostAnswer["by"];
  since?: string;
}

/** Adds `mem cost`. */
export function registerCost(program: Command, context: CliContext): void {
  addCommand(program, context, {
    name: "cost",
    about: "Show calls to models and what they cost",
    options: [
      choice("--by <what>", "one line a day, project or model", ["day", "project", "model"], "day"),
      ["--since <time>", "from 2026-01-31, yesterday, 36h, 7d (default: 30 days)"],
      jsonOption,
    ],
    notes: `prices.json in the data directory overrides the shipped prices, in US dollars
per million tokens:
  {"models": {"my-model": {"input": 0.5, "cachedInput": 0.05, "output": 3}}}
Run \`mem worker restart\` to use it. It applies to new calls only: a recorded
call keeps its cost.`,
    examples: [
      "mem cost --by project --since 7d # cost of each project",
      "mem cost --by model --json # for a script",
    ],
    paged: true,
    run: (options: CostOptions) => showCost(context, options),
  });
}

async function showCost(context: CliContext, { by, since, json }: CostOptions): Promise<void> {
  const { io, clock } = context;
  const from = since === undefined ? {} : { since: parseWhen(since, "start", clock.now()) };
  const answer = await context.worker().cost({ by, ...from });
  if (json === true) {
    const { rows, ...rest } = answer;
    io.json({ items: rows, ...rest });
    return;
  }
  const isEmpty = answer.total.calls === 0;
  if (!isEmpty) renderCost(io, answer);
  // A fault in prices.json is a notice of the worker.
  const { notices } = await context.worker().health();
  const ofPrices = notices.filter((notice) => notice.includes(homePath(answer.prices.own)));
  const notes = isEmpty ? emptyCost(answer, context.settings("read").get("MEM_PROVIDER")) : costNotes(answer);
  for (const note of [...notes, ...ofPrices]) printWrapped(io, io.err, note);
}
