// `mem project list|rename|merge`: which projects there are, and what they are called.
import type { Command } from "commander";
import type { ProjectDetails, RelabelAnswer } from "../../client/worker-client.ts";
import { MemError } from "../../core/errors.ts";
import { setSetting } from "../../settings/write.ts";
import { terminalLine, wrapListLine } from "../../text/terminal-text.ts";
import { addCommand, type JsonOptions, jsonOption } from "../command.ts";
import { canAsk, confirm } from "../confirm.ts";
import type { CliContext } from "../context.ts";
import { ageInWords, counted, homePath } from "../words.ts";
import { registerProjectSync } from "./sync.ts";

/** Adds `mem project list|rename|merge`. */
export function registerProject(program: Command, context: CliContext): void {
  const { io, clock } = context;
  const off = () => context.settings("read").get("MEM_EXCLUDE_PROJECTS");
  const project = addCommand(program, context, {
    name: "project",
    about: "List, rename and merge projects",
    examples: [
      "mem project list # projects, and how each is recognized",
      "mem project merge app old/app # merge two that are one",
    ],
  });
  addCommand(project, context, {
    name: "list",
    about: "List the projects, newest activity first",
    options: [jsonOption],
    notes: `"synced": its records go to your other devices (\`mem project sync\`). "team":
accepted ones go to the team's server (\`mem server connect\`).`,
    examples: ["mem project list # newest activity first", "mem project list --json # with every identity"],
    paged: true,
    run: async ({ json }: JsonOptions) => {
      const { projects } = await context.worker().projectDetails();
      if (json === true) io.json({ items: projects });
      else if (projects.length === 0) io.err("No projects yet.");
      else
        for (const line of projects.flatMap((each) =>
          linesOf(each, { nowEpochMs: clock.now(), off: off(), hasHub: hasHub(context) }),
        ))
          for (const part of wrapListLine(line, io.columns)) io.out(part);
    },
  });
  registerSwitches(project, context);
  registerProjectSync(project, context);
  addCommand(project, context, {
    name: "rename",
    about: "Rename a project; the old name keeps working",
    arguments: [
      ["<name>", "a name from `mem project list`"],
      ["<new-name>", "its new name"],
    ],
    options: [jsonOption],
    examples: [
      "mem project rename work/app shop # later events go to shop",
      "mem project rename shop work/app # undo it",
    ],
    run: async (from: string, to: string, options: JsonOptions) => {
      if (from.trim() === "" || to.trim() === "") throw noLabel(from.trim() === "" ? "old" : "new");
      const answer = await context.worker().renameProject(from, to);
      show(context, answer, options, `Renamed ${terminalLine(from)} to ${terminalLine(answer.project)}`);
    },
  });
  addCommand(project, context, {
    name: "merge",
    about: "Move all records of a project into another, for good",
    arguments: [
      ["<from>", "the project that ends"],
      ["<into>", "the project that stays"],
    ],
    options: [["--yes", "do not ask"], jsonOption],
    examples: [
      "mem project merge app-old app # later events of both go to app",
      "mem project merge app-old app --yes # in a script",
    ],
    run: async (from: string, into: string, options: JsonOptions & { yes?: true }) => {
      if (options.yes !== true) await ask(context, from, into);
      const answer = await context.worker().mergeProject(from, into);
      show(context, answer, options, `Merged ${terminalLine(from)} into ${terminalLine(answer.project)}`);
    },
  });
}

function registerSwitches(project: Command, context: CliContext): void {
  const name = ["<name>", "a name from `mem project list`"] as const;
  addCommand(project, context, {
    name: "off",
    about: "Neither record nor inject a project; what is stored stays",
    arguments: [[...name]],
    options: [jsonOption],
    examples: ["mem project off shop # from the next event on", "mem project off shop --json"],
    run: (label: string, options: JsonOptions) => switchProject(context, label, { ...options, isOn: false }),
  });
  addCommand(project, context, {
    name: "on",
    about: "Record and inject a project again",
    arguments: [[...name]],
    options: [jsonOption],
    examples: ["mem project on shop # from the next event on", "mem project on shop --json"],
    run: (label: string, options: JsonOptions) => switchProject(context, label, { ...options, isOn: true }),
  });
}

async function switchProject(
  context: CliContext,
  label: string,
  { json, isOn }: JsonOptions & { isOn: boolean },
): Promise<void> {
  const off = context.settings("read").get("MEM_EXCLUDE_PROJECTS");
  const { projects } = await context.worker().projectDetails();
  if (!off.includes(label)) refuseUnknown(label, projects);
  if (context.environment.MEM_EXCLUDE_PROJECTS !== undefined || label.includes(",")) {
    throw new MemError("usage", {
      message: label.includes(",")
        ? "The name has a comma, which separates names in MEM_EXCLUDE_PROJECTS."
        : "The environment sets MEM_EXCLUDE_PROJECTS, which takes precedence over settings.json.",
      hint: label.includes(",") ? "Rename it: `mem project rename`." : "Change it there.",
    });
  }
  const others = off.filter((each) => each !== label);
  setSetting(context.dataDir(), "MEM_EXCLUDE_PROJECTS", (isOn ? others : [...others, label]).join(","));
  if (json === true) context.io.json({ project: label, recorded: isOn });
  else
    context.io.out(
      isOn
        ? `${terminalLine(label)} is recorded and injected again.`
        : `${terminalLine(label)} is neither recorded nor injected from now on. What is stored stays: \`mem forget --project\`.`,
    );
}

type Project = ProjectDetails["projects"][number];

function linesOf(
  { project, folder, identities, aliases, synced, team_project, ...held }: Project,
  { nowEpochMs, off, hasHub }: { nowEpochMs: number; off: readonly string[]; hasHub: boolean },
): string[] {
  const age = held.last_active_at_epoch === null ? [] : [ageInWords(held.last_active_at_epoch, nowEpochMs)];
  const leaves = [
    ...(hasHub && synced ? ["synced"] : []),
    ...(team_project === null ? [] : [team_project === project ? "team" : `team, as ${team_project}`]),
  ];
  const counts = [
    ...[counted(held.observations, "observation"), counted(held.sessions, "session")],
    ...[...age, ...leaves].map(terminalLine),
  ];
  const known = identities.filter((identity) => /^(?:remote|root):/.test(identity));
  const below = [
    ...(off.includes(project) ? ["off: neither recorded nor injected"] : []),
    ...(folder === null ? [] : [`in ${homePath(folder)}`]),
    ...known.map((identity) => `recognized by ${identity.replace(":", " ")}`),
    ...(aliases.length === 0 ? [] : [`formerly ${aliases.join(", ")}`]),
  ];
  return [
    `${terminalLine(project)}  ${counts.join(" · ")}`,
    ...below.map((line) => `  ${terminalLine(line)}`),
  ];
}

function hasHub({ settings }: CliContext): boolean {
  const read = settings("read");
  return (
    read.get("MEM_CLOUD_SYNC_HUB_URL") !== "" &&
    read.get("MEM_CLOUD_SYNC_TOKEN").reveal() !== "" &&
    read.get("MEM_CLOUD_SYNC_USER_ID").reveal() !== ""
  );
}

function noLabel(which: "old" | "new"): MemError {
  return new MemError("usage", {
    message: `The ${which} name is empty.`,
    hint: "List projects: `mem project list`.",
  });
}

async function ask(context: CliContext, from: string, into: string): Promise<void> {
  const { projects } = await context.worker().projectDetails();
  // Before the question: a typo needs no consent.
  for (const label of [from, into]) refuseUnknown(label, projects);
  if (!canAsk()) {
    throw new MemError("usage", {
      message: "A merge cannot be undone, and there is no terminal to ask on.",
      hint: "Add --yes to merge without a question.",
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
    message: `No project named \`${terminalLine(label)}\`.`,
    hint:
      today === undefined ? "List projects: `mem project list`." : `It is now named ${terminalLine(today)}.`,
  });
}

function show({ io }: CliContext, answer: RelabelAnswer, { json }: JsonOptions, done: string): void {
  if (json === true) {
    io.json(answer);
    return;
  }
  const rest = answer.left === 0 ? "" : `; ${counted(answer.left, "record")} will follow in the background`;
  io.out(`${done}${rest}.`);
}
