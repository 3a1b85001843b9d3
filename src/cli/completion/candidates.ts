// Finds what may come next in a command line, for the completions of the shells.
import type { Command, Option } from "commander";
import { observationConcepts, observationTypes } from "../../core/records/records.ts";
import { hostNames } from "../../hosts/registry.ts";
import { settingKeys } from "../../settings/table.ts";
import { defaultCommands, shortForms } from "../short-forms.ts";

/** Values that only the worker, the data directory or the settings know. */
export type Question = "projects" | "modes" | "setting";

export interface Candidate {
  word: string;
  about?: string;
}

/** `files`: the shell completes a file name; a question with the word before. */
export type Candidates = readonly Candidate[] | "files" | { ask: Question; before: string };

/** The commands that the help lists. `help` is not among them. */
export function shownCommands(command: Command): readonly Command[] {
  const shown = new Set(command.createHelp().visibleCommands(command));
  return command.commands.filter((each) => shown.has(each));
}

/** What may stand behind `words`; options when the word that is being typed begins with `-`. */
export function candidatesFor(program: Command, words: readonly string[], typed: string): Candidates {
  const isHelp = words[0] === "help";
  const place = placeOf(program, isHelp ? words.slice(1) : words);
  const { command, given, open, isRest } = place;
  const before = given.at(-1) ?? "";
  if (open !== undefined) return valuesOf(open.argChoices, `${pathOf(command)} ${optionName(open)}`, before);
  if (typed.startsWith("-") && !isRest)
    return isHelp
      ? []
      : optionsOf(command).flatMap(({ short, long, description }) =>
          [short, long].flatMap((word) => (word === undefined ? [] : [{ word, about: description }])),
        );
  const commands = given.length > 0 ? [] : commandsBelow(command, isHelp);
  if (isHelp) return commands;
  const argument = command.registeredArguments.find(({ variadic }, at) => variadic || at === given.length);
  if (argument === undefined) return commands;
  const values = valuesOf(argument.argChoices, `${pathOf(command)} ${argument.name()}`, before);
  return commands.length > 0 && Array.isArray(values) ? [...commands, ...values] : values;
}

interface Place {
  command: Command;
  /** Arguments of the command so far. */
  given: string[];
  /** An option that waits for its value. */
  open: Option | undefined;
  /** Behind `--`. */
  isRest: boolean;
}

// Bash splits `--format=index` into three words.
function placeOf(program: Command, words: readonly string[]): Place {
  const place: Place = { command: program, given: [], open: undefined, isRest: false };
  for (const word of words.filter((each) => each !== "=")) {
    const child = place.given.length === 0 ? childOf(place.command, word) : undefined;
    if (place.open !== undefined) place.open = undefined;
    else if (word === "--") place.isRest = true;
    else if (word.startsWith("-") && !place.isRest) place.open = valuedOption(place.command, word);
    else if (child !== undefined) place.command = child;
    else place.given.push(word);
  }
  return place;
}

function valuedOption(command: Command, flag: string): Option | undefined {
  return optionsOf(command).find(
    ({ short, long, flags }) => (flag === short || flag === long) && /[<[]/.test(flags),
  );
}

function childOf(command: Command, word: string): Command | undefined {
  const words = command.parent === null && Object.hasOwn(shortForms, word) ? shortForms[word] : undefined;
  return (words ?? [word]).reduce<Command | undefined>(
    (parent, name) => parent && shownCommands(parent).find((each) => each.name() === name),
    command,
  );
}

function commandsBelow(command: Command, isHelp: boolean): Candidate[] {
  const below = shownCommands(command).map((each) => ({
    word: each.name(),
    about: each.summary() || each.description(),
  }));
  if (command.parent !== null) return below;
  const forms = Object.entries(shortForms).map(([word, full]) => ({ word, about: `mem ${full.join(" ")}` }));
  const codes = { word: "exit-codes", about: "List the exit codes" };
  return [...below, ...forms, isHelp ? codes : { word: "help", about: "Print the help of a command" }];
}

// A group without a command takes the options of its default command.
function optionsOf(command: Command): readonly Option[] {
  const byDefault = command.commands.find((each) => each.name() === defaultCommands[command.name()]);
  const own = command.createHelp().visibleOptions(command);
  const inherited = byDefault?.createHelp().visibleOptions(byDefault) ?? [];
  return [...inherited.filter(({ long }) => !own.some((each) => each.long === long)), ...own];
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

function optionName({ long, flags }: Option): string {
  return `${long}=${/[<[]([\w-]+)/.exec(flags)?.[1]}`;
}

// By command and name: `mem mode show name`, `mem search --project=name`. The first row that fits counts.
const valueTable: readonly (readonly [RegExp, Question | "files" | readonly string[]])[] = [
  [/^mem (keys|server|hub) .*=(?!file|path)/, []],
  [/(--project=\w+| project)$/, "projects"],
  [/^mem project (?!sync)\w+ (name|label|from|into)$|^mem project sync name$/, "projects"],
  [/^mem project sync choice$/, ["on", "off"]],
  [/^mem mode \w+ name$/, "modes"],
  [/^mem settings \w+ key$/, settingKeys],
  [/^mem settings set value$/, "setting"],
  [/[ =]host$/, hostNames],
  [/ --type=kind$/, ["observations", "sessions", "prompts"]],
  [/ --obs-type=/, observationTypes],
  [/ --concepts=/, observationConcepts],
  [/[ =](file|path|files|list|folder)$/, "files"],
];

function valuesOf(choices: readonly string[] | undefined, place: string, before: string): Candidates {
  const found = choices ?? valueTable.find(([pattern]) => pattern.test(place))?.[1] ?? [];
  if (found === "files") return found;
  return typeof found === "string" ? { ask: found, before } : found.map((word) => ({ word }));
}
