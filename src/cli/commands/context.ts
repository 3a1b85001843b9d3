// `mem context`: what an agent would get at the start of a session, or at the moments that are asked for, and why.
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
      ["--prompt <text>", "with this first prompt"],
      ["--file <path>", "before this file is read or edited"],
      ["--command <text>", "before this command runs"],
      jsonOption,
    ],
    examples: [
      'mem context --prompt "why is the login slow?"',
      'mem context --file src/a.ts --command "npm test" # both',
    ],
    notes: `Without a moment: the start of a session. A prompt and a file get no record that
the start has in full.
"salience" is the weight of a quote by itself: commands and rules above 0,
questions and asides below. "score" is its rank for the prompt: salience, shared
words and the kind of question. The highest are shown.`,
    paged: true,
    run: (options: ContextOptions) => showContext(context, options),
  });
}

async function showContext(context: CliContext, options: ContextOptions): Promise<void> {
  const { io } = context;
  const { project, prompt, file, command, json } = options;
  const { moments: all, ...answer } = await context.worker().explainContext({
    ...{ project, prompt, command },
    cwd: project === undefined ? resolve(".") : undefined,
    // A path in another project is relative to its folder.
    file: file !== undefined && project === undefined ? resolve(file) : file,
  });
  if (answer.unknown !== null) throw noProject(answer.unknown);
  // The first is the start.
  const moments = all.length === 1 ? all : all.slice(1);
  if (json === true) io.json({ items: moments, ...answer });
  else renderExplanation(io, { moments, ...answer });
}
