// The commands, options and arguments of the command line as data, for completions and manual pages.
import type { Argument, Command, Option } from "commander";
import { observationConcepts, observationTypes } from "../../core/records/records.ts";
import { hostNames } from "../../hosts/registry.ts";
import { settingKeys } from "../../settings/table.ts";
import { defaultCommands, shortForms } from "../short-forms.ts";

/** What may stand for an option or an argument; `ask` is a question to `mem completion-values`. */
export type Values =
  | { is: "text" }
  | { is: "files" }
  | { is: "words"; words: readonly string[] }
  | { is: "ask"; question: Question };

export const questions = ["projects", "modes", "setting"] as const;
export type Question = (typeof questions)[number];

export interface OptionNode {
  /** `-f`, `--follow`: the short form first. */
  flags: readonly string[];
  about: string;
  /** Null for a flag. */
  value: { name: string; values: Values } | null;
}

export interface ArgumentNode {
  name: string;
  isVariadic: boolean;
  values: Values;
}

export interface CommandNode {
  name: string;
  /** From `mem` on: `mem worker logs`. */
  path: string;
  about: string;
  options: readonly OptionNode[];
  arguments: readonly ArgumentNode[];
  commands: readonly CommandNode[];
}

/** Every command that the help lists, with short forms and `help`. */
export function commandTree(program: Command): CommandNode {
  const root = nodeOf(program, "mem");
  const short = Object.entries(shortForms).flatMap(([name, words]) => {
    const target = words.reduce<CommandNode | undefined>(
      (node, word) => node?.commands.find((each) => each.name === word),
      root,
    );
    return target === undefined ? [] : [renamed(target, name)];
  });
  const commands = [...root.commands, ...short];
  return { ...root, commands: [...commands, helpNode({ ...root, commands })] };
}

/** All nodes, parents first. */
export function nodesBelow(node: CommandNode): CommandNode[] {
  return [node, ...node.commands.flatMap(nodesBelow)];
}

/** The commands that the help lists. `help` is not among them. */
export function shownCommands(command: Command): readonly Command[] {
  const shown = new Set(command.createHelp().visibleCommands(command));
  return command.commands.filter((each) => shown.has(each));
}

function nodeOf(command: Command, path: string): CommandNode {
  const commands = shownCommands(command).map((child) => nodeOf(child, `${path} ${child.name()}`));
  const byDefault = commands.find(({ name }) => name === defaultCommands[command.name()]);
  const own = command
    .createHelp()
    .visibleOptions(command)
    .map((option) => optionNode(option, path));
  const inherited = byDefault?.options.filter(({ flags }) => !own.some((each) => sameFlags(each, flags)));
  return {
    name: command.name(),
    path,
    about: command.summary() || command.description(),
    options: [...(inherited ?? []), ...own],
    arguments: command.registeredArguments.map((argument) => argumentNode(argument, path)),
    commands,
  };
}

function sameFlags(option: OptionNode, flags: readonly string[]): boolean {
  return option.flags.join() === flags.join();
}

function optionNode(option: Option, path: string): OptionNode {
  const flags = [option.short, option.long].filter((flag) => flag !== undefined);
  const name = /[<[]([\w-]+)/.exec(option.flags)?.[1];
  const value = (of: string) => ({
    name: of,
    values:
      option.argChoices === undefined ? valuesOf(`${path} ${option.long}=${of}`) : words(option.argChoices),
  });
  return { flags, about: option.description, value: name === undefined ? null : value(name) };
}

function argumentNode(argument: Argument, path: string): ArgumentNode {
  const name = argument.name();
  const values = argument.argChoices === undefined ? valuesOf(`${path} ${name}`) : words(argument.argChoices);
  return { name, isVariadic: argument.variadic, values };
}

function words(list: readonly string[]): Values {
  return { is: "words", words: list };
}

const ask = (question: Question): Values => ({ is: "ask", question });

// By command and name: `mem mode show name`, `mem search --project=name`. The first row that fits counts.
const valueTable: readonly (readonly [RegExp, Values])[] = [
  [/^mem (keys|server|hub) .*=(?!file|path)/, { is: "text" }],
  [/(--project=\w+| project)$/, ask("projects")],
  [/^mem project (?!sync)\w+ (name|label|from|into)$|^mem project sync name$/, ask("projects")],
  [/^mem project sync choice$/, words(["on", "off"])],
  [/^mem mode \w+ name$/, ask("modes")],
  [/^mem (settings|config) \w+ key$/, words(settingKeys)],
  [/^mem (settings|config) set value$/, ask("setting")],
  [/[ =]host$/, words(hostNames)],
  [/ --type=kind$/, words(["observations", "sessions", "prompts"])],
  [/ --obs-type=/, words(observationTypes)],
  [/ --concepts=/, words(observationConcepts)],
  [/[ =](file|path|files|list|folder)$/, { is: "files" }],
];

function valuesOf(place: string): Values {
  return valueTable.find(([pattern]) => pattern.test(place))?.[1] ?? { is: "text" };
}

function renamed(target: CommandNode, name: string): CommandNode {
  const path = `mem ${name}`;
  const moved = (node: CommandNode): CommandNode => ({
    ...node,
    path: node.path.replace(target.path, path),
    commands: node.commands.map(moved),
  });
  return { ...moved(target), name };
}

/** `mem help`, whose commands are the names of all others. */
function helpNode(root: CommandNode): CommandNode {
  const bare = (node: CommandNode, path: string): CommandNode => ({
    ...node,
    path,
    options: [],
    arguments: [],
    commands: node.commands.map((child) => bare(child, `${path} ${child.name}`)),
  });
  const codes = {
    name: "exit-codes",
    about: "List the exit codes",
    options: [],
    arguments: [],
    commands: [],
  };
  const node = bare(root, "mem help");
  return {
    ...node,
    name: "help",
    about: "Print the help of a command",
    commands: [...node.commands, { ...codes, path: "mem help exit-codes" }],
  };
}
