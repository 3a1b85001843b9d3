// `mem context`: what an agent would get at each moment of a session, and why.
import { resolve } from "node:path";
import type { Command } from "commander";
import { terminalLine } from "../../text/terminal-text.ts";
import type { CliContext } from "../context.ts";
import { renderExplanation } from "../context-lines.ts";
import { withExamples } from "../examples.ts";

interface ContextOptions {
  project?: string;
  prompt?: string;
  file?: string;
  command?: string;
  json?: true;
}

/** Adds `mem context`. */
export function registerContext(program: Command, context: CliContext): void {
  const command = program
    .command("context")
    .description("print what an agent gets at the start of a session, and why each record is in it")
    .option("--project <name>", "of another project than the one here")
    .option("--prompt <text>", "and with this first prompt")
    .option("--file <path>", "and before it reads or edits this file")
    .option("--command <line>", "and before it runs this command")
    .option("--json", "print JSON")
    .action((options: ContextOptions) => showContext(context, options));
  withExamples(command, [
    ['mem context --prompt "why is the login slow?"', "start, and what fits it"],
    ['mem context --file src/a.ts --command "npm test"', "before both of them"],
  ]);
}

async function showContext(context: CliContext, options: ContextOptions): Promise<void> {
  const { io } = context;
  const { project, prompt, file, command, json } = options;
  const answer = await context.worker().explainContext({
    ...(project === undefined ? { cwd: resolve(".") } : { project }),
    ...(prompt === undefined ? {} : { prompt }),
    // In another project, the path is meant from its folder.
    ...(file === undefined ? {} : { file: project === undefined ? resolve(file) : file }),
    ...(command === undefined ? {} : { command }),
  });
  if (json === true) io.json(answer);
  else renderExplanation(io, answer);
  if (answer.unknown !== null) io.err(terminalLine(answer.unknown));
}
