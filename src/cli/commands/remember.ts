// `mem remember`: adds a standing rule.
import { resolve } from "node:path";
import type { Command } from "commander";
import { unknownProject } from "../../client/known-names.ts";
import type { RememberedAnswer } from "../../client/worker-client.ts";
import { MemError } from "../../core/errors.ts";
import { terminalLine, wrapToWidth } from "../../text/terminal-text.ts";
import type { CliContext } from "../context.ts";
import { withExamples } from "../examples.ts";

interface RememberOptions {
  everywhere?: true;
  project?: string;
  json?: true;
}

/** Adds `mem remember`. */
export function registerRemember(program: Command, context: CliContext): void {
  const remember = program
    .command("remember")
    .description("add a rule that agents get at the start of a session")
    .argument("<text...>", "the rule, as one sentence")
    .option("--everywhere", "it applies to every project")
    .option("--project <name>", "it applies to this project (default: the one here)")
    .option("--json", "print JSON")
    .action((words: string[], options: RememberOptions) => addRule(context, words.join(" "), options));
  withExamples(remember, [
    ['mem remember "Use pnpm, never npm."', "a rule of this project"],
    ['mem remember "Ask before commits." --everywhere', "a rule of every project"],
  ]);
}

async function addRule(
  context: CliContext,
  text: string,
  { everywhere, project, json }: RememberOptions,
): Promise<void> {
  if (text.trim() === "") {
    throw new MemError("usage", {
      message: "The rule has no text.",
      hint: 'Write it as one sentence: `mem remember "Use pnpm, never npm."`.',
    });
  }
  const { io } = context;
  const worker = context.worker();
  const answer = await worker.remember({
    text,
    reach: everywhere === true ? "everywhere" : "project",
    ...(project === undefined ? { cwd: resolve(".") } : { project }),
  });
  if (json === true) io.json(answer);
  else for (const line of linesOf(answer)) for (const part of wrapToWidth(line, io.columns)) io.out(part);
  const unknown = project === undefined ? null : await unknownProject(worker, project);
  if (unknown !== null) io.err(terminalLine(unknown));
}

function linesOf(answer: RememberedAnswer): string[] {
  if (answer.status === "skipped") return ["Nothing was stored: the whole text is private."];
  const { status, rule, replaces } = answer;
  const where = rule.reach === "everywhere" ? "everywhere" : `in ${terminalLine(rule.project)}`;
  if (status === "exists") return [`Already a rule (#${rule.id}). Nothing was stored.`];
  if (status === "widened") return [`Rule #${rule.id} applies everywhere now.`];
  return [
    `Rule #${rule.id} applies ${where}: ${terminalLine(rule.text)}`,
    ...replaces.map((id) => `It replaces #${id}. Undo: \`mem supersede ${id} --undo\`.`),
  ];
}
