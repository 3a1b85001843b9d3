// `mem mode`: what kind of work is observed and in which words: the modes there are, one of them, and choosing it.
import type { Command } from "commander";
import type { Mode, ModeWord } from "../../core/records/mode.ts";
import type { ListedMode } from "../../settings/modes/load-mode.ts";
import { setSetting } from "../../settings/write.ts";
import { cutToWidth, displayWidth, padToWidth, terminalLine, wrapToWidth } from "../../text/terminal-text.ts";
import { printAligned } from "../aligned.ts";
import type { CliContext } from "../context.ts";
import { withExamples } from "../examples.ts";
import type { Io } from "../io.ts";
import { homePath } from "../words.ts";

/** Adds `mem mode list|show|use`. */
export function registerMode(program: Command, context: CliContext): void {
  const mode = program.command("mode").description("choose what is worth remembering, and in which language");
  withExamples(mode, [
    ["mem mode list", "every mode; * marks the active one"],
    ["mem mode use code--es", "observations in Spanish from now on"],
  ]);
  registerList(mode, context);
  registerShow(mode, context);
  registerUse(mode, context);
}

function registerList(mode: Command, context: CliContext): void {
  const list = mode
    .command("list")
    .description("every mode, shipped and your own")
    .option("--json", "print JSON")
    .action((options: { json?: true }) => listAll(context, options.json === true));
  withExamples(list, [
    ["mem mode list", ""],
    ["mem mode list --json", "for a program"],
  ]);
}

async function listAll(context: CliContext, asJson: boolean): Promise<void> {
  const { io } = context;
  const { listModes, loadActiveMode } = await import("../../settings/modes/load-mode.ts");
  const dataDir = context.dataDir();
  const modes = listModes({ dataDir });
  const { mode: active, warnings } = loadActiveMode(context.settings("read").get("MEM_MODE"), { dataDir });
  if (asJson) {
    io.json({ active: active.name, modes, warnings });
    return;
  }
  const own = modes.filter(({ source }) => source === "own");
  const shipped = modes.filter(({ source }) => source === "shipped");
  if (own.length > 0) {
    io.out(io.paint.bold(`Your own, in ${terminalLine(homePath(context.paths().modes))}`));
    printModes(context, own, active.name);
    io.out("");
    io.out(io.paint.bold("Shipped"));
  }
  printModes(context, shipped, active.name);
  if (own.length === 0 && io.isTerminal) {
    io.err(
      io.errPaint.dim(`A mode of your own is a file in ${terminalLine(homePath(context.paths().modes))}.`),
    );
  }
  printWarnings(io, warnings);
}

function printWarnings(io: Io, warnings: readonly string[]): void {
  for (const warning of warnings)
    for (const line of wrapToWidth(terminalLine(warning), io.columns)) io.err(io.errPaint.yellow(line));
}

function printModes({ io }: CliContext, modes: readonly ListedMode[], active: string): void {
  const nameWidth = Math.max(...modes.map(({ name }) => name.length));
  const titleWidth = Math.max(...modes.map(({ title }) => displayWidth(terminalLine(title))));
  for (const { name, title, description, problem } of modes) {
    const mark = name === active ? io.paint.green("*") : " ";
    const shownName = padToWidth(name, nameWidth);
    const head = `${mark} ${name === active ? io.paint.bold(shownName) : shownName}`;
    if (problem !== null) {
      const indent = " ".repeat(nameWidth + 4);
      const [first = "", ...more] = wrapToWidth(
        terminalLine(`cannot be used: ${problem}`),
        io.columns - indent.length,
      );
      io.out(`${head}  ${io.paint.red(first)}`);
      for (const line of more) io.out(indent + io.paint.red(line));
      continue;
    }
    // In a pipe too, as every table: `--json` and `mem mode show` have the whole text.
    const about = cutToWidth(terminalLine(description), io.columns - nameWidth - titleWidth - 6);
    io.out(`${head}  ${padToWidth(terminalLine(title), titleWidth)}  ${io.paint.dim(about)}`.trimEnd());
  }
}

function registerShow(mode: Command, context: CliContext): void {
  const show = mode
    .command("show")
    .description("what a mode keeps, skips and asks for")
    .argument("[name]", "name of the mode; left out: the active one")
    .option("--json", "print JSON, as a mode file has it")
    .action((name: string | undefined, options: { json?: true }) => showMode(context, name, options));
  withExamples(show, [
    ["mem mode show chill", ""],
    ["mem mode show code --json", "to begin a mode of your own with"],
  ]);
}

async function showMode(
  context: CliContext,
  name: string | undefined,
  options: { json?: true },
): Promise<void> {
  const { io } = context;
  const { listModes, loadActiveMode, loadMode } = await import("../../settings/modes/load-mode.ts");
  const dataDir = context.dataDir();
  const { mode: active, warnings } = loadActiveMode(context.settings("read").get("MEM_MODE"), { dataDir });
  const mode = name === undefined ? active : loadMode(name, { dataDir });
  printWarnings(io, warnings);
  if (options.json === true) {
    const { name: _, ...file } = mode;
    io.json(file);
    return;
  }
  const path = listModes({ dataDir }).find((listed) => listed.name === mode.name)?.path ?? "";
  printAligned(io, [
    ["Mode", `${mode.name}${mode.name === active.name ? " (active)" : ""}`],
    ["Title", terminalLine(mode.title)],
    ["About", terminalLine(mode.description)],
    ["Language", terminalLine(mode.language)],
    ["File", terminalLine(homePath(path))],
  ]);
  printWording(context, mode);
}

function printWording({ io }: CliContext, mode: Mode): void {
  // The key by which it stands in a mode file: whoever writes one looks here.
  const heading = (text: string, key: string) => {
    io.out("");
    io.out(`${io.paint.bold(text)} ${io.paint.dim(`(${key})`)}`);
  };
  const words = (list: readonly ModeWord[]) => printAligned(io, list.map(wordRow));
  heading("Types", "types");
  words(mode.types);
  if (mode.concepts.length > 0) {
    heading("Concepts", "concepts");
    words(mode.concepts);
  }
  const paragraphs = [
    ["Role", "role"],
    ["Keeps", "keep"],
    ["Leaves out", "skip"],
    ["Wording", "writing"],
  ] as const;
  for (const [name, key] of paragraphs) {
    heading(name, key);
    for (const line of wrapToWidth(terminalLine(mode[key]), io.columns)) io.out(line);
  }
  heading("Session summary", "summary");
  printAligned(
    io,
    Object.entries(mode.summary).map(([part, holds]) => [part, terminalLine(holds)]),
  );
}

function wordRow({ id, description }: ModeWord): readonly [string, string] {
  return [id, terminalLine(description)];
}

function registerUse(mode: Command, context: CliContext): void {
  const use = mode
    .command("use")
    .description("make a mode the active one, in settings.json")
    .argument("<name>", "name of the mode, see `mem mode list`")
    .option("--json", "print JSON")
    .action((name: string, options: { json?: true }) => useMode(context, name, options.json === true));
  withExamples(use, [
    ["mem mode use code--de", "everything in German"],
    ["mem mode use chill && mem worker restart", "decisions and bugs only, at once"],
  ]);
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
    io.err("The environment sets MEM_MODE too, and beats settings.json.");
  }
  if (settings.get("MEM_PROVIDER") === "local") {
    io.err("The local provider asks no model: it writes the types of code, in English, in every mode.");
  }
  for (const key of ["types", "concepts"] as const) {
    const injected = settings.get(contextKeys[key]);
    const has = mode[key].some(({ id }) => injected.includes(id));
    // Every standard one is how `all` reads.
    if (has || settings.source(contextKeys[key]) === "default") continue;
    io.err(
      `${contextKeys[key]} lets in ${injected.join(", ")} only; this mode writes none of them. ` +
        `\`mem settings set ${contextKeys[key]} all && mem worker restart\` lets in every one.`,
    );
  }
  io.err("It takes effect when the worker starts again: `mem worker restart`.");
}

const contextKeys = {
  types: "MEM_CONTEXT_OBSERVATION_TYPES",
  concepts: "MEM_CONTEXT_OBSERVATION_CONCEPTS",
} as const;
