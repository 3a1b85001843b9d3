// Declares a command as data: words, help, options, examples and what it runs.
import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import type { CliContext } from "./context.ts";

/** Flags, help, then a parser and a default as commander takes them. */
type OptionPart = readonly [
  flags: string,
  help: string,
  parse?: ((text: string, before: never) => unknown) | undefined,
  fallback?: unknown,
];

/** A command. `run` gets the arguments in their order, then the options. */
export interface CommandPart {
  name: string;
  /** True to leave it out of the list of commands. */
  hidden?: true;
  about: string;
  /** One line for the parent's list, when `about` is longer. */
  summary?: string;
  arguments?: readonly (readonly [name: string, help: string, parse?: OptionPart[2] | readonly string[]])[];
  options?: readonly (OptionPart | Option)[];
  /** A command line, then ` # ` and what it does. */
  examples: readonly string[];
  /** Text below the options. */
  notes?: string;
  /** True when long output goes to the pager of a terminal. */
  paged?: true;
  run?: (...given: never[]) => unknown;
}

/** `--json`, on every command that prints something a script may read. */
export const jsonOption: OptionPart = ["--json", "print JSON"];

export const projectOption = (help: string): OptionPart => ["--project <name>", help];

export const branchOption: OptionPart = ["--branch <name>", "only records made on this git branch"];

export interface JsonOptions {
  json?: true;
}

/** An option that must be given. */
export function required(flags: string, help: string): Option {
  return new Option(flags, help).makeOptionMandatory();
}

/** An option that takes one of a few words. */
export function choice(
  flags: string,
  help: string,
  choices: readonly string[],
  ...[fallback]: string[]
): Option {
  const option = new Option(flags, help).choices(choices);
  return fallback === undefined ? option : option.default(fallback);
}

/** Adds the command to its parent. */
export function addCommand(parent: Command, context: CliContext, part: CommandPart): Command {
  const command = parent.command(part.name, { hidden: part.hidden ?? false }).description(part.about);
  if (part.summary !== undefined) command.summary(part.summary);
  for (const [name, help, parse] of part.arguments ?? []) {
    const argument = new Argument(name, help);
    if (typeof parse === "function") argument.argParser(parse as (text: string) => unknown);
    else if (parse !== undefined) argument.choices(parse);
    command.addArgument(argument);
  }
  for (const option of part.options ?? []) addOption(command, option);
  if (part.notes !== undefined) {
    notesByCommand.set(command, part.notes);
    command.addHelpText("after", `\n${part.notes}`);
  }
  withExamples(command, part.examples);
  if (part.run !== undefined) {
    const run = part.run as (...given: unknown[]) => unknown;
    const work = async (...given: unknown[]) => {
      // Commander gives `--json` to the parent when that has it too, as in `mem rules remove 12 --json`.
      const inherited = parent.parent === null ? {} : parent.opts();
      const all = [...given.slice(0, -2), { ...inherited, ...command.opts() }, command];
      await (part.paged === true ? context.paged(async () => run(...all)) : run(...all));
    };
    command.action(work);
  }
  return command;
}

function addOption(command: Command, option: OptionPart | Option): void {
  if (option instanceof Option) command.addOption(option);
  else {
    const [flags, help, parse, fallback] = option;
    if (parse === undefined) command.option(flags, help, fallback as string | undefined);
    else command.option(flags, help, parse as (text: string) => unknown, fallback);
  }
}

const examplesByCommand = new WeakMap<Command, CommandPart["examples"]>();

const notesByCommand = new WeakMap<Command, string>();

/** The text below the options of a command, for its manual page. */
export function notesOf(command: Command): string | undefined {
  return notesByCommand.get(command);
}

/** The examples of a command, for docs/cli.md and its manual page. */
export function examplesOf(command: Command): CommandPart["examples"] {
  return examplesByCommand.get(command) ?? [];
}

/** Adds examples to the end of a command's help. */
export function withExamples(command: Command, examples: CommandPart["examples"]): Command {
  examplesByCommand.set(command, examples);
  const parts = examples.map((example) => example.split(" # "));
  const width = Math.max(...parts.map(([line = ""]) => line.length));
  const lines = parts.map(([line = "", what = ""]) => `  ${line.padEnd(width)}  ${what}`.trimEnd());
  return command.addHelpText("after", `\nExamples:\n${lines.join("\n")}`);
}

/** Parses a whole number between two bounds. */
export function count(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d{1,8}$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}

/** Parses the id of an observation, `12` or `#12`; names the other kind when it is the id of one. */
export function observationId(text: string): number {
  const digits = /^#?([1-9]\d{0,14})$/.exec(text)?.[1];
  if (/^#?[SsPp]\d/.test(text)) {
    const noun = /^#?[Ss]/.test(text) ? "summary" : "prompt";
    throw new InvalidArgumentError(
      `It is a ${noun}: only observations can be pinned, rejected, superseded or edited.`,
    );
  }
  if (digits === undefined) throw new InvalidArgumentError("It must be a number from `mem search`.");
  return Number(digits);
}

/** An argument that may be given several times: the list of its parsed values. */
export function listOf(
  parse: (text: string) => number,
): (text: string, before: number[] | undefined) => number[] {
  return (text, before) => [...(before ?? []), parse(text)];
}
