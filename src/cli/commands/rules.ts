// `mem rules`: lists standing rules, edits, removes and restores them.
import { resolve } from "node:path";
import type { Command } from "commander";
import type { RulesAnswer, WorkerClient } from "../../client/worker-client.ts";
import { MemError } from "../../core/errors.ts";
import { terminalLine } from "../../text/terminal-text.ts";
import {
  addCommand,
  type JsonOptions,
  jsonOption,
  listOf,
  observationId,
  projectOption,
} from "../command.ts";
import type { CliContext } from "../context.ts";
import { editText, keptText } from "../editor.ts";
import { hostsOnMachine } from "../host-settings.ts";
import { renderRules } from "../rule-lines.ts";
import { type ExportedRules, exportRules, missedBy } from "../rules-export.ts";
import { parseRulesFile, type RuleChanges, renderRulesFile } from "../rules-file.ts";
import { printWrapped } from "../table.ts";
import { noProject } from "../unknown-project.ts";
import { counted, homePath } from "../words.ts";

interface RulesOptions extends JsonOptions {
  project?: string;
  all?: true;
  edit?: true;
  from?: string;
  export?: string;
}

/** Adds `mem rules`, `mem rules remove` and `mem rules restore`. */
export function registerRules(program: Command, context: CliContext): void {
  const rules = addCommand(program, context, {
    name: "rules",
    about: "List the standing rules and proposals, edit, accept or remove them",
    options: [
      projectOption("another project than the one here"),
      ["--all", "all projects"],
      ["--edit", "change, add and remove them in your editor ($VISUAL or $EDITOR)"],
      ["--from <file>", "with --edit: open this file, kept by an edit that failed"],
      ["--export <file>", "write them into a marked section of this file, such as AGENTS.md"],
      jsonOption,
    ],
    examples: [
      "EDITOR=nano mem rules --edit # one rule a line",
      "mem rules --export AGENTS.md # for agents without mem",
    ],
    paged: true,
    run: (options: RulesOptions, { args }: Command) => {
      checkWords(args);
      return showOrEdit(context, options);
    },
  }).allowExcessArguments();
  for (const change of changes) {
    addCommand(rules, context, {
      name: change.name,
      about: change.about,
      arguments: [["<ids...>", "numbers from `mem rules`", listOf(observationId)]],
      options: [jsonOption],
      examples: [`mem rules ${change.name} 12`, `mem rules ${change.name} 12 15 --json`],
      run: (ids: number[], { json }: JsonOptions) => setStatuses(context, ids, { ...change, json }),
    });
  }
}

interface Change {
  name: string;
  about: string;
  status: "rejected" | "active" | "accepted";
  done(id: number): string;
}

const changes: readonly Change[] = [
  {
    name: "accept",
    about: "Make proposals rules: agents get them from now on",
    status: "accepted",
    done: (id) => `#${id} is a rule now. Undo: \`mem rules remove ${id}\`.`,
  },
  {
    name: "drop",
    about: "Drop proposals",
    status: "rejected",
    done: (id) => `Dropped #${id}. Undo: \`mem rules restore ${id}\`.`,
  },
  {
    name: "remove",
    about: "Remove rules: agents no longer get them",
    status: "rejected",
    done: (id) => `Removed rule #${id}. Undo: \`mem rules restore ${id}\`.`,
  },
  {
    name: "restore",
    about: "Restore removed rules",
    status: "active",
    done: (id) => `Restored rule #${id}.`,
  },
];

// `mem rules list` works too.
function checkWords([word, ...more]: readonly string[]): void {
  if (word === undefined || (word === "list" && more.length === 0)) return;
  const hints = new Map([
    ["add", 'Add a rule: `mem remember "Use pnpm, never npm."`.'],
    ["edit", "Change rules: `mem rules --edit`."],
  ]);
  throw new MemError("usage", {
    message: `No such command: \`mem rules ${terminalLine([word, ...more].join(" ")).slice(0, 60)}\`.`,
    hint: hints.get(word) ?? "List the rules: `mem rules`. Other calls: `mem rules --help`.",
  });
}

async function showOrEdit(context: CliContext, options: RulesOptions): Promise<void> {
  const { io } = context;
  const { project, all, edit, from, json } = options;
  if (from !== undefined && edit !== true) {
    throw new MemError("usage", {
      message: "--from needs --edit.",
      hint: `Run \`mem rules --edit --from ${from}\`.`,
    });
  }
  if (options.export !== undefined && (edit === true || all === true)) {
    throw new MemError("usage", {
      message: `--export writes the rules of one project, so it goes without ${edit === true ? "--edit" : "--all"}.`,
      hint: `Run \`mem rules --export ${options.export}\`.`,
    });
  }
  const worker = context.worker();
  const here = project === undefined ? { cwd: resolve(".") } : { project };
  const answer = await worker.rules({ ...(all === true ? { all } : here), limit: mostRules });
  if (project !== undefined && all !== true) await checkProject(worker, project, answer);
  if (options.export !== undefined) showExport(context, exportRules(options.export, answer), json);
  else if (edit === true) await editRules(context, answer, options);
  else if (json === true) {
    const { rules, proposals, ...rest } = answer;
    io.json({ items: [...rules, ...proposals], ...rest });
  } else if (answer.rules.length + answer.proposals.length > 0) renderRules(io, answer);
  else printWrapped(io, io.err, 'No rules. Add one: `mem remember "Use pnpm, never npm."`.');
}

function showExport(context: CliContext, done: ExportedRules, json: true | undefined): void {
  const { io } = context;
  const where = homePath(done.file);
  const agents = () => hostsOnMachine(context).map(({ agent }) => agent);
  const missed = done.rules === 0 ? null : missedBy(done.file, agents());
  if (json === true) io.json({ file: done.file, rules: done.rules, changed: done.changed });
  else if (done.rules > 0) {
    const verb = done.changed ? "Wrote" : "Already there:";
    io.out(`${verb} ${counted(done.rules, "rule")} in ${where}. Nothing else changed in the file.`);
  } else {
    io.out(
      done.changed ? `No rules: removed their section from ${where}.` : "No rules, so nothing was written.",
    );
  }
  if (missed !== null) io.err(missed);
}

// A project with rules and without a session is not among the known ones.
async function checkProject(worker: WorkerClient, named: string, answer: RulesAnswer): Promise<void> {
  if (answer.rules.some(({ reach }) => reach === "project")) return;
  // `named` may be a former label of the project.
  const unknown = await worker.unknownProject(answer.project ?? named);
  if (unknown !== null) throw noProject(unknown);
}

const mostRules = 1000;

async function editRules(context: CliContext, answer: RulesAnswer, options: RulesOptions): Promise<void> {
  const { io } = context;
  const content = options.from === undefined ? renderRulesFile(answer) : await keptText(options.from);
  const draft = { name: "rules.txt", content, command: commandOf(options) };
  const done = await editText(context, draft, (text) =>
    applyChanges(context.worker(), parseRulesFile(text, answer)),
  );
  if (options.json === true) {
    io.json(done);
    return;
  }
  for (const id of done.changed) io.out(`Changed rule #${id}.`);
  for (const id of done.added) io.out(`Added rule #${id}.`);
  for (const id of done.removed) io.out(`Removed rule #${id}. Undo: \`mem rules restore ${id}\`.`);
  if (done.private > 0) io.out("A new line was not stored: all of it is private.");
  const { changed, added, removed } = done;
  if (changed.length + added.length + removed.length + done.private === 0) io.out("Nothing changed.");
}

function commandOf({ project, all }: RulesOptions): string {
  const which = all === true ? " --all" : project === undefined ? "" : ` --project ${project}`;
  return `mem rules${which} --edit`;
}

interface AppliedChanges {
  changed: number[];
  added: number[];
  removed: number[];
  /** How many new lines are wholly private, so that nothing is stored. */
  private: number;
}

// Removes last: an earlier failure removes nothing.
async function applyChanges(worker: WorkerClient, changes: RuleChanges): Promise<AppliedChanges> {
  const done: AppliedChanges = { changed: [], added: [], removed: [], private: 0 };
  for (const { id, text } of changes.changed) {
    await worker.editText(id, { text });
    done.changed.push(id);
  }
  for (const rule of changes.added) {
    const answer = await worker.remember(rule);
    if (answer.status === "skipped") done.private += 1;
    else if (answer.status !== "exists") done.added.push(answer.rule.id);
  }
  for (const id of changes.removed) {
    await worker.setStatus(id, { status: "rejected" });
    done.removed.push(id);
  }
  return done;
}

async function setStatuses(
  { io, worker }: CliContext,
  ids: readonly number[],
  { status, done, json }: Change & { json: true | undefined },
): Promise<void> {
  const found = await worker().observationsOf(ids);
  for (const id of ids) {
    const observation = found.find((each) => each.id === id);
    if (observation === undefined) throw await missingRule(worker(), id);
    const { standing, statement_kind: kind } = observation;
    if (standing !== 1 && kind !== "rule" && kind !== "preference") throw notARule(id);
  }
  for (const id of ids)
    await (status === "accepted" ? worker().acceptRule(id) : worker().setStatus(id, { status }));
  const changed = json === true ? await worker().observationsOf(ids) : ids.map((id) => ({ id }));
  if (json === true) io.json({ items: changed });
  else for (const { id } of changed) printWrapped(io, io.out, done(id));
}

function notARule(id: number): MemError {
  return new MemError("conflict", {
    message: `Observation ${id} is not a rule. Nothing was changed.`,
    hint: `To hide it: \`mem reject ${id}\`.`,
  });
}

// A deleted rule comes back from the trash.
async function missingRule(worker: WorkerClient, id: number): Promise<MemError> {
  const { items } = await worker.trash({ kind: "observation", id });
  const entry = items[0]?.trash_id;
  return entry === undefined
    ? new MemError("not_found", { message: `No rule ${id}.`, hint: "List the rules: `mem rules`." })
    : new MemError("not_found", {
        message: `Rule ${id} was deleted.`,
        hint: `Bring it back: \`mem trash restore ${entry}\`.`,
      });
}
