// The manual pages: mem(1), and one for each command of the help. The build writes them to man/.
import type { Argument, Command, Option } from "commander";
import { version } from "../../core/version.ts";
import { examplesOf, notesOf } from "../command.ts";
import { shownCommands } from "../completion/candidates.ts";
import { createCliContext } from "../context.ts";
import { exitCodes } from "../exit-codes.ts";
import { createIo } from "../io.ts";
import { buildProgram } from "../program.ts";
import { shortForms } from "../short-forms.ts";
import { code, macro, plain, tagged, text } from "./mdoc.ts";

/** Every page by its file name, such as `mem-search.1`. `date` is the day of the build, as in `March 5, 2026`. */
export function manualPages(date: string): Map<string, string> {
  const program = buildProgram(createCliContext(createIo({ color: false, errColor: false }), {}));
  const commands = shownCommands(program);
  const pages = commands.map((command): [string, string] => [
    `mem-${command.name()}.1`,
    page(`mem-${command.name()}`, date, commandPage(command)),
  ]);
  return new Map([["mem.1", page("mem", date, programPage(program, commands))], ...pages]);
}

function page(name: string, date: string, parts: readonly string[]): string {
  const head = [macro("Dd", date), macro("Dt", name.toUpperCase(), "1"), macro("Os", "agent-mem", version())];
  return `${[...head, ...parts].filter((part) => part !== "").join("\n")}\n`;
}

function programPage(program: Command, commands: readonly Command[]): string[] {
  const headings = [...new Set(commands.map((command) => command.helpGroup()))];
  const groups = headings.flatMap((heading) => {
    const inside = commands.filter((command) => command.helpGroup() === heading);
    const rows = inside.map((command): [string, string] => [
      `Xr mem-${command.name()} 1`,
      asSentence(command.summary() || command.description()),
    ]);
    return [macro("Ss", heading.replace(":", "")), tagged(rows)];
  });
  const forms = Object.entries(shortForms).map(([word, full]): [string, string] => [
    `Ic mem ${plain(word)}`,
    `\`mem ${full.join(" ")}\``,
  ]);
  const codes = [...exitCodes].map(([each, meaning]): [string, string] => [`${each}`, asSentence(meaning)]);
  return [
    ...named("mem", program),
    ...[".Sh SYNOPSIS", ".Nm mem", ".Op Fl \\-no\\-pager", ".Ar command", ".Op Ar argument ..."],
    ...[".Sh DESCRIPTION", text(program.description()), ".Pp", text(about)],
    ...[".Sh COMMANDS", ...groups, ".Ss Short forms", tagged(forms)],
    ...[".Sh OPTIONS", tagged([...optionRows(program), help])],
    ...[".Sh ENVIRONMENT", text(environment), tagged(variables)],
    ...[".Sh FILES", tagged(files)],
    ...[".Sh EXIT STATUS", tagged(codes)],
    ...examples([program]),
  ];
}

const about =
  "A worker in the background records what agents do; hooks of the agents send it events. Commands that need the worker start it. Results go to stdout, notes and errors to stderr; with `--json` both are JSON.";

const help: [string, string] = ["Fl h , Fl \\-help", "Print help. Every command has it."];

const environment =
  "Every setting can be given as a variable; `mem settings list --long` explains all of them. The most used:";

const variables: readonly [string, string][] = [
  ["Ev MEM_DATA_DIR", "The data directory."],
  ["Ev MEM_PROVIDER", "The provider that writes observations; `local` uses no model."],
  ["Ev MEM_DATABASE_URL", "The PostgreSQL of `mem server`; without it, a private one."],
  ["Ev MEM_PAGER, PAGER", "The pager for long output on a terminal."],
  ["Ev NO_COLOR, FORCE_COLOR", "Turns color off, or on in a pipe."],
];

const files: readonly [string, string][] = [
  ["Pa \\(ti/.mem", "The data directory: database, settings and logs."],
  ["Pa \\(ti/.mem/settings.json", "The settings that `mem settings set` changes."],
];

function commandPage(command: Command): string[] {
  const all = [command, ...descendants(command)];
  const below = all.slice(1);
  return [
    ...named(`mem-${command.name()}`, command),
    ".Sh SYNOPSIS",
    ...all.filter((each) => each.commands.length === 0 || runs(each)).flatMap(synopsis),
    ".Sh DESCRIPTION",
    text(asSentence(command.description())),
    ...details(command),
    ...(below.length === 0 ? [] : [".Sh COMMANDS"]),
    ...below.flatMap((child) => [
      macro("Ss", plain(wordsOf(child))),
      text(asSentence(child.description())),
      ...details(child),
    ]),
    ...[".Sh EXIT STATUS", "See", ".Xr mem 1 ."],
    ...examples(all),
    ...[".Sh SEE ALSO", ".Xr mem 1"],
  ];
}

function named(name: string, command: Command): string[] {
  const line = (command.summary() || command.description()).replace(/\.$/, "");
  return [".Sh NAME", macro("Nm", name), macro("Nd", plain(line))];
}

function descendants(command: Command): Command[] {
  return shownCommands(command).flatMap((child) => [child, ...descendants(child)]);
}

/** True for a group that does something without a command, such as `mem rules`. */
function runs(command: Command): boolean {
  return ownOptions(command).length > 0 || command.name() === "mcp";
}

function wordsOf(command: Command): string {
  return command.parent === null ? command.name() : `${wordsOf(command.parent)} ${command.name()}`;
}

function synopsis(command: Command): string[] {
  const options = ownOptions(command).map((option) => `${option.mandatory ? "" : "Op "}${flagsOf(option)}`);
  const given = command.registeredArguments.map(argumentText);
  return [macro("Nm", plain(wordsOf(command))), ...[...options, ...given].map((part) => `.${part}`)];
}

function argumentText(argument: Argument): string {
  const name = `Ar ${plain(argument.name())}${argument.variadic ? " ..." : ""}`;
  return argument.required ? name : `Op ${name}`;
}

function flagsOf({ short, long, flags }: Option): string {
  const value = /[<[]([\w-]+)/.exec(flags)?.[1];
  const names = [short?.slice(1), long?.slice(1)].filter((flag) => flag !== undefined);
  return `${names.map((flag) => `Fl ${plain(flag)}`).join(" , ")}${value === undefined ? "" : ` Ar ${plain(value)}`}`;
}

function details(command: Command): string[] {
  const given = command.registeredArguments.map((argument): [string, string] => [
    argumentText(argument).replace(/^Op /, ""),
    withChoices(argument.description, argument.argChoices, undefined),
  ]);
  const notes = notesOf(command);
  return [tagged([...given, ...optionRows(command)]), ...(notes === undefined ? [] : [".Pp", text(notes)])];
}

function optionRows(command: Command): [string, string][] {
  return ownOptions(command).map((option) => [
    flagsOf(option),
    withChoices(option.description, option.argChoices, option.defaultValue),
  ]);
}

/** Without `--help`, which every command has. */
function ownOptions(command: Command): readonly Option[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .filter(({ long }) => long !== "--help");
}

function withChoices(help: string, choices: readonly string[] | undefined, fallback: unknown): string {
  const parts = [
    ...(choices === undefined ? [] : [`one of ${choices.join(", ")}`]),
    ...(typeof fallback === "string" || typeof fallback === "number" ? [`default: ${fallback}`] : []),
  ];
  return asSentence(parts.length === 0 ? help : `${help} (${parts.join("; ")})`);
}

function asSentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.:]$/.test(words) ? "" : "."}`;
}

function examples(commands: readonly Command[]): string[] {
  const lines = commands.flatMap((command) => examplesOf(command)).map((each) => each.split(" # "));
  const shown = new Map(lines.map(([line = "", what = ""]) => [line, what]));
  const blocks = [...shown].flatMap(([line, what]) => [
    ...(what === "" ? [] : [".Pp", `${text(asSentence(what)).replace(/\.$/, "")}:`]),
    ...[".Bd -literal -offset indent", code(line), ".Ed"],
  ]);
  return [".Sh EXAMPLES", ...(blocks[0] === ".Pp" ? blocks.slice(1) : blocks)];
}
