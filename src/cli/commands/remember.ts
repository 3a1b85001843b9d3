// `mem remember`: adds a standing rule, or another record that later sessions get.
import { resolve } from "node:path";
import type { Command } from "commander";
import type { RememberedAnswer } from "../../client/worker-client.ts";
import { MemError } from "../../core/errors.ts";
import { type KeptKind, keptKinds } from "../../core/records/statement.ts";
import { addCommand, choice, type JsonOptions, jsonOption, projectOption } from "../command.ts";
import type { CliContext } from "../context.ts";
import { printWrapped } from "../table.ts";

interface RememberOptions extends JsonOptions {
  everywhere?: true;
  project?: string;
  kind: KeptKind;
}

/** Adds `mem remember`. */
export function registerRemember(program: Command, context: CliContext): void {
  addCommand(program, context, {
    name: "remember",
    about: "Add a rule or a fact that agents get at the start of a session",
    arguments: [["<text...>", "what to remember, as one sentence"]],
    options: [
      choice("--kind <kind>", "what it is", keptKinds, "rule"),
      ["--everywhere", "apply it to every project"],
      projectOption("apply it to this project (default: the one here)"),
      jsonOption,
    ],
    examples: [
      'mem remember "Ask before commits." --everywhere # a rule of every project',
      'mem remember "Staging sleeps at night." --kind fact',
    ],
    run: (words: string[], options: RememberOptions) => addRule(context, words.join(" "), options),
  });
}

async function addRule(
  context: CliContext,
  text: string,
  { everywhere, project, kind, json }: RememberOptions,
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
    ...{ text, kind },
    reach: everywhere === true ? "everywhere" : "project",
    ...(project === undefined ? { cwd: resolve(".") } : { project }),
  });
  if (json === true) io.json(answer);
  else for (const line of linesOf(answer, kind)) printWrapped(io, io.out, line);
  const unknown = project === undefined ? null : await worker.unknownProject(project);
  if (unknown === null || answer.status === "skipped") return;
  const note = `\`${project}\` is a new project. A typo? Undo: \`mem rules remove ${answer.rule.id}\`.`;
  printWrapped(io, io.err, note);
}

function linesOf(answer: RememberedAnswer, kind: KeptKind): string[] {
  if (answer.status === "skipped") return ["Nothing was stored: the whole text is private."];
  const { status, rule, replaces } = answer;
  const where = rule.reach === "everywhere" ? "everywhere" : `in ${rule.project}`;
  if (kind !== "rule" && kind !== "preference" && status === "stored")
    return [`Kept #${rule.id} (${kind}) ${where}: ${rule.text}`];
  if (status === "exists") return [`Already a rule (#${rule.id}). Nothing was stored.`];
  if (status === "widened") return [`Rule #${rule.id} now applies everywhere.`];
  return [
    `Rule #${rule.id} applies ${where}: ${rule.text}`,
    ...replaces.map((id) => `It replaces #${id}. Undo: \`mem supersede ${id} --undo\`.`),
  ];
}
