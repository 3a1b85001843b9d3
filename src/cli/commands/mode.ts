// `mem mode list|show|use`: what kind of work is recorded, in which words and language.
import type { Command } from "commander";
import type { Mode, ModeWord } from "../../core/records/mode.ts";
import type { ListedMode } from "../../settings/modes/load-mode.ts";
import { setSetting } from "../../settings/write.ts";
import { padToWidth, terminalLine } from "../../text/terminal-text.ts";
import { addCommand, type JsonOptions, jsonOption } from "../command.ts";
import type { CliContext } from "../context.ts";
import { printBeside, printRecord, printTable, printWarnings, printWrapped } from "../table.ts";
import { homePath } from "../words.ts";

/** Adds `mem mode list|show|use`. */
export function registerMode(program: Command, context: CliContext): void {
  const mode = addCommand(program, context, {
    name: "mode",
    about: "Choose what is recorded, and in which language",
    examples: [
      "mem mode list # every mode; * marks the active one",
      "mem mode use code--es # observations in Spanish from now on",
    ],
  });
  addCommand(mode, context, {
    name: "list",
    about: "List the modes, shipped and your own",
    options: [jsonOption],
    examples: ["mem mode list", "mem mode list --json # for a script"],
    paged: true,
    run: ({ json }: JsonOptions) => listAll(context, json === true),
  });
  addCommand(mode, context, {
    name: "show",
    about: "Show what a mode keeps, skips and asks for",
    arguments: [["[name]", "name of the mode (default: the active one)"]],
    options: [["--json", "print JSON, in the format of a mode file"]],
    examples: ["mem mode show chill", "mem mode show code --json # a start for your own mode"],
    paged: true,
    run: (name: string | undefined, { json }: JsonOptions) => showMode(context, name, json === true),
  });
  addCommand(mode, context, {
    name: "use",
    about: "Make a mode the active one, in settings.json",
    arguments: [["<name>", "name of the mode, see `mem mode list`"]],
    options: [jsonOption],
    examples: [
      "mem mode use code--de # everything in German",
      "mem mode use chill && mem worker restart # decisions and bugs only",
    ],
    run: (name: string, { json }: JsonOptions) => useMode(context, name, json === true),
  });
}

async function listAll(context: CliContext, asJson: boolean): Promise<void> {
  const { io } = context;
  const { listModes, loadActiveMode } = await import("../../settings/modes/load-mode.ts");
  const dataDir = context.dataDir();
  const modes = listModes({ dataDir });
  const { mode: active, warnings } = loadActiveMode(context.settings("read").get("MEM_MODE"), { dataDir });
  if (asJson) {
    io.json({ items: modes, active: active.name, warnings });
    return;
  }
  const own = modes.filter(({ source }) => source === "own");
  const shipped = modes.filter(({ source }) => source === "shipped");
  const folder = terminalLine(homePath(context.paths().modes));
  if (own.length > 0) {
    io.out(io.paint.bold(`Your own, in ${folder}`));
    printModes(context, own, active.name);
    io.out("");
    io.out(io.paint.bold("Shipped"));
  }
  printModes(context, shipped, active.name);
  if (own.length === 0 && io.isTerminal)
    printWrapped(io, (line) => io.err(io.errPaint.dim(line)), `Add your own mode as a file in ${folder}.`);
  printWarnings(io, warnings);
}

function printModes({ io }: CliContext, modes: readonly ListedMode[], active: string): void {
  const nameWidth = Math.max(...modes.map(({ name }) => name.length));
  const markOf = (name: string) => (name === active ? "*" : " ");
  for (const { name, problem } of modes.filter(({ problem }) => problem !== null)) {
    const front = `${markOf(name)} ${padToWidth(name, nameWidth)}  `;
    printBeside(io, front, front.length, io.paint.red(terminalLine(`cannot be used: ${problem}`)));
  }
  const usable = modes.filter(({ problem }) => problem === null);
  const rows = usable.map(({ name, title, description }) => [
    `${markOf(name)} ${padToWidth(name, nameWidth)}`,
    terminalLine(title),
    terminalLine(description),
  ]);
  printTable(io, [{ title: "" }, { title: "", flexible: true }, { title: "", flexible: true }], rows, {
    paintRow: (row, line) => (usable[row]?.name === active ? io.paint.bold(line) : line),
  });
}

async function showMode(context: CliContext, name: string | undefined, asJson: boolean): Promise<void> {
  const { io } = context;
  const { listModes, loadActiveMode, loadMode } = await import("../../settings/modes/load-mode.ts");
  const dataDir = context.dataDir();
  const { mode: active, warnings } = loadActiveMode(context.settings("read").get("MEM_MODE"), { dataDir });
  const mode = name === undefined ? active : loadMode(name, { dataDir });
  printWarnings(io, warnings);
  if (asJson) {
    const { name: _, ...file } = mode;
    io.json(file);
    return;
  }
  const path = listModes({ dataDir }).find((listed) => listed.name === mode.name)?.path ?? "";
  printRecord(io, [
    ["Mode", `${mode.name}${mode.name === active.name ? " (active)" : ""}`],
    ["Title", terminalLine(mode.title)],
    ["About", terminalLine(mode.description)],
    ["Language", terminalLine(mode.language)],
    ["File", terminalLine(homePath(path))],
  ]);
  printWording(context, mode);
}

function printWording({ io }: CliContext, mode: Mode): void {
  // With the key in a mode file.
  const heading = (text: string, key: string) => {
    io.out("");
    io.out(`${io.paint.bold(text)} ${io.paint.dim(`(${key})`)}`);
  };
  const words = (list: readonly ModeWord[]) => printRecord(io, list.map(wordRow));
  heading("Types", "types");
  words(mode.types);
  if (mode.concepts.length > 0) {
    heading("Concepts", "concepts");
    words(mode.concepts);
  }
  const paragraphs = [
    ["Role", "role"],
    ["Keeps", "keep"],
    ["Skips", "skip"],
    ["Wording", "writing"],
  ] as const;
  for (const [name, key] of paragraphs) {
    heading(name, key);
    printWrapped(io, io.out, mode[key]);
  }
  heading("Session summary", "summary");
  printRecord(
    io,
    Object.entries(mode.summary).map(([part, holds]) => [part, terminalLine(holds)]),
  );
}

function wordRow({ id, description }: ModeWord): readonly [string, string] {
  return [id, terminalLine(description)];
}

async function useMode(context: CliContext, name: string, asJson: boolean): Promise<void> {
  const { io } = context;
  const { loadMode } = await import("../../settings/modes/load-mode.ts");
  const dataDir = context.dataDir();
  const mode = loadMode(name, { dataDir });
  setSetting(dataDir, "MEM_MODE", name);
  const settings = context.settings("read");
  if (asJson) io.json({ mode: name, title: mode.title, inEffect: settings.get("MEM_MODE"), restart: true });
  else io.out(`The mode is now ${name}: ${terminalLine(mode.title)}.`);
  if (settings.get("MEM_MODE") !== name) {
    const note = "The environment sets MEM_MODE too, which takes precedence: `unset MEM_MODE`.";
    printWrapped(io, io.err, note);
  }
  if (settings.get("MEM_PROVIDER") === "local") {
    const note = "The local provider uses no model: it writes the types of code, in English, in every mode.";
    printWrapped(io, io.err, note);
  }
  for (const key of ["types", "concepts"] as const) {
    const injected = settings.get(contextKeys[key]);
    const has = mode[key].some(({ id }) => injected.includes(id));
    // The default lets every word through.
    if (has || settings.source(contextKeys[key]) === "default") continue;
    const note = `${contextKeys[key]} allows only ${injected.join(", ")}, which this mode does not write. Allow all: \`mem settings set ${contextKeys[key]} all && mem worker restart\`.`;
    printWrapped(io, io.err, note);
  }
  io.err("It takes effect after `mem worker restart`.");
}

const contextKeys = {
  types: "MEM_CONTEXT_OBSERVATION_TYPES",
  concepts: "MEM_CONTEXT_OBSERVATION_CONCEPTS",
} as const;
