// The tree of commands.
import { Command } from "commander";
import { version } from "../core/version.ts";
import { registerContext } from "./commands/context.ts";
import { registerCost } from "./commands/cost.ts";
import { registerDemo } from "./commands/demo.ts";
import { registerDoctor } from "./commands/doctor.ts";
import { registerEdit } from "./commands/edit.ts";
import { registerFolders } from "./commands/folders.ts";
import { registerInstall } from "./commands/install.ts";
import { registerKeys } from "./commands/keys.ts";
import { registerMcp } from "./commands/mcp.ts";
import { registerMode } from "./commands/mode.ts";
import { registerProject } from "./commands/project.ts";
import { registerQueue } from "./commands/queue.ts";
import { registerRegenerate } from "./commands/regenerate.ts";
import { registerRemember } from "./commands/remember.ts";
import { registerRules } from "./commands/rules.ts";
import { registerSearch } from "./commands/search.ts";
import { registerServer } from "./commands/server.ts";
import { registerSettings } from "./commands/settings.ts";
import { registerShow } from "./commands/show.ts";
import { registerStatus } from "./commands/status.ts";
import { registerTimeline } from "./commands/timeline.ts";
import { registerTruth } from "./commands/truth.ts";
import { registerUninstall } from "./commands/uninstall.ts";
import { registerWorker } from "./commands/worker.ts";
import type { CliContext } from "./context.ts";
import { withExamples } from "./examples.ts";

const helpColumns = 100;

/** Every command, bound to one run's context. Help and version are thrown as `CommanderError` with exit code 0. */
export function buildProgram(context: CliContext): Command {
  const { io } = context;
  const program = new Command("mem")
    .description("The memory of coding agents: what an agent does is found again.")
    .version(version(), "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .helpCommand("help [command]", "print help of a command")
    .configureOutput({
      writeOut: (text) => io.raw(text),
      writeErr: (text) => io.err(text.trimEnd()),
      outputError: (text, write) => write(io.errPaint.red(text)),
      getOutHelpWidth: () => Math.min(io.columns, helpColumns),
      getErrHelpWidth: () => Math.min(io.columns, helpColumns),
    })
    .exitOverride();
  registerSearch(program, context);
  registerTimeline(program, context);
  registerShow(program, context);
  registerRemember(program, context);
  registerRules(program, context);
  registerEdit(program, context);
  registerContext(program, context);
  registerTruth(program, context);
  registerProject(program, context);
  registerStatus(program, context);
  registerQueue(program, context);
  registerCost(program, context);
  registerRegenerate(program, context);
  registerDoctor(program, context);
  registerDemo(program, context);
  registerFolders(program, context);
  registerInstall(program, context);
  registerUninstall(program, context);
  registerWorker(program, context);
  registerServer(program, context);
  registerKeys(program, context);
  registerMcp(program, context);
  registerMode(program, context);
  registerSettings(program, context);
  nameOwnHelp(program, "mem");
  return withExamples(program, [
    ["mem worker start", "start remembering"],
    ['mem search "login redirect"', "find what an agent learned"],
  ]);
}

// What is wrong with the words of one command is explained by its own help.
function nameOwnHelp(command: Command, words: string): void {
  command.showHelpAfterError(`See \`${words} --help\`.`);
  for (const child of command.commands) nameOwnHelp(child, `${words} ${child.name()}`);
}
