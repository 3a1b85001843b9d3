// `mem context`: what an agent would get at each moment of a session, and why.
import { resolve } from "node:path";
import type { Command } from "commander";
import { addCommand, type JsonOptions, jsonOption, projectOption } from "../command.ts";
import type { CliContext } from "../context.ts";
import { renderExplanation } from "../context-lines.ts";
import { noProject } from "../unknown-project.ts";

interface ContextOptions extends JsonOptions {
  project?: string;
  prompt?: string;
  file?: string;
  command?: string;
}

/** Adds `mem context`. */
export function registerContext(program: Command, context: CliContext): void {
  addCommand(program, context, {
    name: "context",
    about: "Show the context that agents get, and why each record is in it",
    options: [
      projectOption("another project than the one here"),
      ["--prompt <text>", "also the context of this first prompt"],
      ["--file <path>", "also the context of reading or editing this file"],
      ["--command <line>", "also the context of running this command"],
      jsonOption,
    ],
    examples: [
      'mem context --prompt "why is the login slow?" # start and prompt',
      'mem context --file src/a.ts --command "npm test" # start and both',
    ],
    notes: `"salience" is the weight of a quote by itself: commands and rules above 0,
questions and asides below. "score" is its rank for the prompt: salience, shared
words and the kind of question. The highest are shown.`,
    paged: true,
    run: (options: ContextOptions) => showContext(context, options),
  });
}

async function showContext(context: CliContext, options: ContextOptions): Promise<void> {
  const { io } = context;
  const { project, prompt, file, command, json } = options;
  const { moments, ...answer } = await context.worker().explainContext({
    ...{ project, prompt, command },
    cwd: project === undefined ? resolve(".") : undefined,
    // A path in another project is relative to its folder.
    file: file !== undefined && project === undefined ? resolve(file) : file,
  });
  if (answer.unknown !== null) throw noProject(answer.unknown);
  if (json === true) io.json({ items: moments, ...answer });
  else renderExplanation(io, { moments, ...answer });
}
