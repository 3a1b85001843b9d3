// The tree of commands.
import { Command } from "commander";
import { MemError } from "../core/errors.ts";
import { version } from "../core/version.ts";
import { terminalLine } from "../text/terminal-text.ts";
import { type CommandPart, withExamples } from "./command.ts";
import { registerBackup } from "./commands/backup.ts";
import { registerCompletion } from "./commands/completion.ts";
import { registerContext } from "./commands/context.ts";
import { registerCost } from "./commands/cost.ts";
import { registerDemo } from "./commands/demo.ts";
import { registerDoctor } from "./commands/doctor.ts";
import { registerEdit } from "./commands/edit.ts";
import { registerExport } from "./commands/export.ts";
import { registerFolders } from "./commands/folders.ts";
import { registerForget } from "./commands/forget.ts";
import { registerHub } from "./commands/hub.ts";
import { registerImport } from "./commands/import.ts";
import { registerInstall } from "./commands/install.ts";
import { registerKeys } from "./commands/keys.ts";
import { registerMcp } from "./commands/mcp.ts";
import { registerMode } from "./commands/mode.ts";
import { registerProject } from "./commands/project.ts";
import { registerQueue } from "./commands/queue.ts";
import { registerRegenerate } from "./commands/regenerate.ts";
import { registerRemember } from "./commands/remember.ts";
import { registerRepair } from "./commands/repair.ts";
import { registerReport } from "./commands/report.ts";
import { registerRetention } from "./commands/retention.ts";
import { registerReview } from "./commands/review.ts";
import { registerRules } from "./commands/rules.ts";
import { registerScrub } from "./commands/scrub.ts";
import { registerSearch } from "./commands/search.ts";
import { registerServer } from "./commands/server.ts";
import { registerSettings } from "./commands/settings.ts";
import { registerShow } from "./commands/show.ts";
import { registerStatus } from "./commands/status.ts";
import { registerSync } from "./commands/sync.ts";
import { registerTimeline } from "./commands/timeline.ts";
import { registerTrash } from "./commands/trash.ts";
import { registerTv } from "./commands/tv.ts";
import { registerUninstall } from "./commands/uninstall.ts";
import { registerWatch } from "./commands/watch.ts";
import { registerWorker } from "./commands/worker.ts";
import type { CliContext } from "./context.ts";
import { registerExitCodes } from "./exit-codes.ts";
import { shortForms } from "./short-forms.ts";

type Register = (program: Command, context: CliContext) => void;

/** The groups of `mem --help` in its order: the commands of the first level, and what adds them. */
const groups: Readonly<Record<string, Readonly<Record<string, Register>>>> = {
  "Daily:": {
    search: registerSearch,
    "timeline file": registerTimeline,
    show: registerShow,
    remember: registerRemember,
    rules: registerRules,
    status: registerStatus,
    report: registerReport,
    watch: registerWatch,
  },
  "Agent:": {
    install: registerInstall,
    uninstall: registerUninstall,
    repair: registerRepair,
    context: registerContext,
    mcp: registerMcp,
    demo: registerDemo,
  },
  "Models:": {
    queue: registerQueue,
    cost: registerCost,
    regenerate: registerRegenerate,
    mode: registerMode,
  },
  "Data:": {
    "pin done reject supersede": registerReview,
    edit: registerEdit,
    forget: registerForget,
    retention: registerRetention,
    scrub: registerScrub,
    trash: registerTrash,
    export: registerExport,
    import: registerImport,
    "backup restore": registerBackup,
    project: registerProject,
    folders: registerFolders,
    sync: registerSync,
    settings: registerSettings,
  },
  "Server:": {
    worker: registerWorker,
    tv: registerTv,
    doctor: registerDoctor,
    server: registerServer,
    keys: registerKeys,
    hub: registerHub,
  },
};

const helpColumns = { most: 100, withoutTerminal: 80 };

interface ProgramOptions {
  asJson?: boolean;
  /** The first word of the command line: when it names a command, the others are left out. They take 5 ms. */
  first?: string | undefined;
}

/** Every command, bound to one run's context. Help and version are thrown as `CommanderError` with exit code 0. */
export function buildProgram(context: CliContext, { asJson = false, first }: ProgramOptions = {}): Command {
  const { io } = context;
  const helpWidth = () =>
    io.isTerminal ? Math.min(io.columns, helpColumns.most) : helpColumns.withoutTerminal;
  const program = new Command("mem")
    .description("Memory for coding agents: records what agents do and finds it again.")
    .version(version(), "-V, --version", "print the version")
    .option("--no-pager", "do not use the pager (MEM_PAGER, PAGER, less)")
    .helpOption("-h, --help", "print help")
    .configureHelp({
      subcommandTerm: (command) => command.name(),
      // Commander's own text for the help of a group.
      subcommandDescription: (command) =>
        command.name() === "help"
          ? "Print the help of a command"
          : command.summary() || command.description(),
    })
    .configureOutput({
      writeOut: (text) => io.raw(text),
      // With --json the error is reported as JSON.
      writeErr: (text) => (asJson ? undefined : io.err(text.trimEnd())),
      outputError: (text, write) => write(io.errPaint.red(usageText(text))),
      getOutHelpWidth: helpWidth,
      getErrHelpWidth: helpWidth,
    })
    .exitOverride();
  const all = Object.values(groups).flatMap((commands) => Object.entries(commands));
  const only = all.find(([names]) => first !== undefined && names.split(" ").includes(first));
  if (only === undefined) addAll(program, context);
  else only[1](program, context);
  hintAtHelp(program, "mem");
  return withExamples(program.addHelpText("after", shortFormHelp()), examples);
}

function addAll(program: Command, context: CliContext): void {
  for (const [heading, commands] of Object.entries(groups)) {
    program.commandsGroup(heading);
    for (const register of Object.values(commands)) register(program, context);
  }
  registerExitCodes(program, context);
  program
    .commandsGroup("Help:")
    .helpCommand("help [command]", "Print the help of a command, or `exit-codes`");
  registerCompletion(program, context);
}

const examples: CommandPart["examples"] = [
  "mem install claude-code # record what Claude Code does",
  'mem search "login redirect" # find what an agent learned',
];

function shortFormHelp(): string {
  const lines = Object.entries(shortForms).map(
    ([word, full]) => `  ${word.padEnd(8)}  mem ${full.join(" ")}`,
  );
  return `\nShort forms:\n${lines.join("\n")}`;
}

/** A message of commander without its prefix, as a sentence. */
export function usageText(message: string): string {
  const text = message
    .replace(/^error: /, "")
    .replace(/^command-argument value '(.*?)' is invalid for argument '(.*?)'\./s, "invalid $2 '$1'.")
    .replace(/^option '(?:-\w, )?(--[\w-]+).*?' argument '(.*?)' is invalid\./s, "invalid value '$2' of $1.");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const helpFlags: ReadonlySet<string> = new Set(["--help", "-h"]);

/**
 * The words of a request for help, without the flag where they name no command, so that this is the error. With
 * `mem help`, every word is a command; else arguments may follow.
 */
export function helpWords(program: Command, words: readonly string[], isHelp: boolean): readonly string[] {
  if (!words.some((word) => helpFlags.has(word))) return words;
  let [command, path] = [program, "mem"];
  for (const word of words) {
    const next = command.commands.find((each) => each.name() === word);
    if (next === undefined) {
      if (word.startsWith("-") || word === "help" || word === "list") return words;
      if (command.commands.length > 0) return words.filter((each) => !helpFlags.has(each));
      if (!isHelp) return words;
      throw new MemError("usage", {
        message: `\`${path}\` has no command \`${terminalLine(word).slice(0, 60)}\`.`,
        hint: `See \`${path} --help\`.`,
      });
    }
    [command, path] = [next, `${path} ${word}`];
  }
  return words;
}

function hintAtHelp(command: Command, words: string): void {
  command.showHelpAfterError(`See \`${words} --help\`.`);
  for (const child of command.commands) hintAtHelp(child, `${words} ${child.name()}`);
}
