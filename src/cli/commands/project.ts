// `mem project list|rename|merge`: which projects there are, and what they are called.
import type { Command } from "commander";
import type { ProjectDetails, RelabelAnswer } from "../../client/worker-client.ts";
import { MemError } from "../../core/errors.ts";
import { terminalLine } from "../../text/terminal-text.ts";
import { canAsk, confirm } from "../confirm.ts";
import type { CliContext } from "../context.ts";
import { withExamples } from "../examples.ts";
import { ageInWords, counted, homePath } from "../words.ts";

/** Adds `mem project list|rename|merge`. */
export function registerProject(program: Command, context: CliContext): void {
  const project = program
    .command("project")
    .description("see which projects there are, rename or merge them");
  withExamples(project, [
    ["mem project list", "what each is known by"],
    ["mem project merge app old/app", "two that are one"],
  ]);
  registerList(project, context);
  registerRename(project, context);
  registerMerge(project, context);
}

function registerList(project: Command, context: CliContext): void {
  const list = project
    .command("list")
    .description("list the projects, newest activity first")
    .option("--json", "print JSON")
    .action(async ({ json }: { json?: true }) => {
      const { io, clock } = context;
      const details = await context.worker().projectDetails();
      if (json === true) io.json(details);
      else if (details.projects.length === 0) io.err("Nothing is remembered yet.");
      else for (const line of details.projects.flatMap((each) => linesOf(each, clock.now()))) io.out(line);
    });
  withExamples(list, [
    ["mem project list", "newest activity first"],
    ["mem project list --json", "with every identity"],
  ]);
}

type Project = ProjectDetails["projects"][number];

function linesOf({ project, folder, identities, aliases, ...held }: Project, nowEpochMs: number): string[] {
  const age = held.last_active_at_epoch === null ? [] : [ageInWords(held.last_active_at_epoch, nowEpochMs)];
  const counts = [counted(held.observations, "observation"), counted(held.sessions, "session"), ...age];
  const known = identities.filter((identity) => !identity.startsWith("path:"));
  const below = [
    ...(folder === null ? [] : [`in ${homePath(folder)}`]),
    ...known.map((identity) => `known by ${identity.replace(":", " ")}`),
    ...(aliases.length === 0 ? [] : [`before: ${aliases.join(", ")}`]),
  ];
  return [
    `${terminalLine(project)}  ${counts.join(" · ")}`,
    ...below.map((line) => `  ${terminalLine(line)}`),
  ];
}

interface ChangeOptions {
  yes?: true;
  json?: true;
}

function registerRename(project: Command, context: CliContext): void {
  const rename = project
    .command("rename")
    .description("give a project another label; the old one goes on to mean it")
    .argument("<label>", "as `mem project list` shows it")
    .argument("<new-label>")
    .option("--json", "print JSON")
    .action(async (from: string, to: string, options: ChangeOptions) => {
      if (from.trim() === "" || to.trim() === "") throw noLabel(from.trim() === "" ? "old" : "new");
      const answer = await context.worker().renameProject(from, to);
      tell(context, answer, options, `${terminalLine(from)} is ${terminalLine(answer.project)} now`);
    });
  withExamples(rename, [
    ["mem project rename work/app shop", "later events come to shop"],
    ["mem project rename shop work/app", "and back again"],
  ]);
}

function noLabel(which: "old" | "new"): MemError {
  return new MemError("usage", {
    message: `The ${which} name is empty: a project must be called something.`,
    hint: "`mem project list` shows the names that there are.",
  });
}

function registerMerge(project: Command, context: CliContext): void {
  const merge = project
    .command("merge")
    .description("move all records of a project into another, for good")
    .argument("<from>", "the project that ends")
    .argument("<into>", "the project that stays")
    .option("--yes", "do not ask")
    .option("--json", "print JSON")
    .action(async (from: string, into: string, options: ChangeOptions) => {
      if (options.yes !== true) await ask(context, from, into);
      const answer = await context.worker().mergeProject(from, into);
      tell(context, answer, options, `${terminalLine(from)} is part of ${terminalLine(answer.project)} now`);
    });
  withExamples(merge, [
    ["mem project merge app-old app", "later events of both come to app"],
    ["mem project merge app-old app --yes", "where nobody can be asked"],
  ]);
}

// Two that are mixed cannot be told apart again.
async function ask(context: CliContext, from: string, into: string): Promise<void> {
  const { projects } = await context.worker().projectDetails();
  // Who is asked to consent, or to write --yes, must not learn only then that there is nothing to merge.
  for (const label of [from, into]) refuseUnknown(label, projects);
  if (!canAsk()) {
    throw new MemError("usage", {
      message: "A merge cannot be undone, and nobody can be asked here.",
      hint: "Run it with --yes.",
    });
  }
  const held = projects.find(({ project }) => project === from)?.observations ?? 0;
  const what = `${terminalLine(from)} (${counted(held, "observation")}) into ${terminalLine(into)}`;
  await confirm(`Merge ${what}? It cannot be undone.`, "Nothing was merged.");
}

function refuseUnknown(label: string, projects: readonly Project[]): void {
  if (projects.some(({ project }) => project === label)) return;
  const today = projects.find(({ aliases }) => aliases.includes(label))?.project;
  throw new MemError("not_found", {
    message: `There is no project ${terminalLine(label)}.`,
    hint:
      today === undefined
        ? "`mem project list` shows them all."
        : `It is called ${terminalLine(today)} today.`,
  });
}

function tell({ io }: CliContext, answer: RelabelAnswer, { json }: ChangeOptions, done: string): void {
  if (json === true) {
    io.json(answer);
    return;
  }
  const rest = answer.left === 0 ? "" : `; ${counted(answer.left, "record")} still to follow, by themselves`;
  io.out(`${done}${rest}.`);
}
