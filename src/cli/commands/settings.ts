// `mem settings`: what is set, where it came from, and changing it.
import type { Command } from "commander";
import { MemError } from "../../core/errors.ts";
import { acceptedBy } from "../../settings/definition.ts";
import type { Environment } from "../../settings/environment.ts";
import { type LoadedSettings, loadSettings } from "../../settings/load.ts";
import { isLoopbackHost } from "../../settings/loopback-host.ts";
import { definitionOf, type SettingKey, settingKeys } from "../../settings/table.ts";
import { resetSetting, setSetting, settingKey } from "../../settings/write.ts";
import { cutToWidth, padToWidth, terminalLine, wrapToWidth } from "../../text/terminal-text.ts";
import type { CliContext } from "../context.ts";
import { openEditor } from "../editor.ts";
import { withExamples } from "../examples.ts";
import { modeProblem, unknownModeWords } from "../mode-words.ts";

/** Adds `mem settings list|get|set|path|edit`. */
export function registerSettings(program: Command, context: CliContext): void {
  const settings = program.command("settings").description("show and change settings");
  withExamples(settings, [
    ["mem settings list", "every setting and its value"],
    ["mem settings set MEM_PROVIDER local", "observations without a model"],
  ]);
  registerList(settings, context);
  registerGet(settings, context);
  registerSet(settings, context);
  registerFile(settings, context);
}

interface ShowOptions {
  json?: true;
  reveal?: true;
  long?: true;
}

function registerList(settings: Command, context: CliContext): void {
  const list = settings
    .command("list")
    .description("every setting, its value and where it came from")
    .option("--long", "also what each means and accepts")
    .option("--reveal", "show secrets")
    .option("--json", "print JSON")
    .action((options: ShowOptions) => listSettings(context, options));
  withExamples(list, [
    ["mem settings list --long", "what each setting means and accepts"],
    ["mem settings list --json", "for a program"],
  ]);
}

function listSettings(context: CliContext, options: ShowOptions): void {
  const { io } = context;
  const settings = context.settings("read");
  warn(context, settings);
  const rows = settingKeys.map((key) => describe(settings, key, options.reveal === true));
  if (options.json === true) {
    io.json({ settings: rows, warnings: settings.warnings });
    return;
  }
  const width = Math.max(...settingKeys.map((key) => key.length));
  for (const row of rows) {
    const source = row.source === "default" ? "" : row.source;
    const room = io.isTerminal ? io.columns - width - 15 : Number.POSITIVE_INFINITY;
    const value = cutToWidth(terminalLine(row.value) || "-", room);
    const shown = source === "" ? io.paint.dim(value) : `${padToWidth(value, Math.min(room, 30))}  ${source}`;
    io.out(`${padToWidth(row.key, width)}  ${shown}`);
    if (options.long === true) {
      const accepts = `Accepts ${row.accepts}. Default: ${row.default || "-"}.`;
      io.out(`  ${row.meaning}`);
      for (const line of wrapToWidth(accepts, io.columns - 2)) io.out(io.paint.dim(`  ${line}`));
    }
  }
}

function registerGet(settings: Command, context: CliContext): void {
  const get = settings
    .command("get")
    .description("print the value of one setting")
    .argument("<key>", "name of the setting, MEM_ may be left out")
    .option("--reveal", "show a secret")
    .option("--json", "print JSON, with meaning and source")
    .action((name: string, options: ShowOptions) => {
      const loaded = context.settings("read");
      warn(context, loaded);
      const row = describe(loaded, settingKey(name), options.reveal === true);
      if (options.json === true) context.io.json(row);
      else context.io.out(terminalLine(row.value));
    });
  withExamples(get, [
    ["mem settings get MEM_WORKER_PORT", "the port that is set"],
    ["mem settings get MEM_TV_TOKEN --reveal", "a secret in clear"],
  ]);
}

function registerSet(settings: Command, context: CliContext): void {
  const set = settings
    .command("set")
    .description("change one setting in settings.json")
    .argument("<key>", "name of the setting, MEM_ may be left out")
    .argument("[value]", "the new value")
    .option("--default", "put it back to its default")
    .option("--json", "print JSON")
    .action((name: string, value: string | undefined, options: { default?: true; json?: true }) =>
      changeSetting(context, name, value, options),
    );
  withExamples(set, [
    ["mem settings set MEM_SKIP_TOOLS TodoWrite,Skill", "takes effect at once"],
    ["mem settings set MEM_MODEL --default", "back to the default"],
  ]);
}

async function changeSetting(
  context: CliContext,
  name: string,
  value: string | undefined,
  options: { default?: true; json?: true },
): Promise<void> {
  const key = settingKey(name);
  if ((value === undefined) === (options.default !== true)) {
    throw new MemError("usage", {
      message: `Give a value for ${key}, or --default.`,
      hint: `It accepts ${acceptedBy(definitionOf(key))}.`,
    });
  }
  if (value === undefined) resetSetting(context.dataDir(), key);
  else setSetting(context.dataDir(), key, value);
  await tellChange(context, key, options.json === true);
}

async function tellChange(context: CliContext, key: SettingKey, asJson: boolean): Promise<void> {
  const { io, environment } = context;
  const load = (env: Environment) => loadSettings({ dataDir: context.dataDir(), env, readOnly: true });
  const [inEffect, inFile] = [load(environment), load({ ...environment, [key]: undefined })];
  const row = describe(inEffect, key, false);
  const stored = describe(inFile, key, false).value;
  const overruled = inEffect.reveal(key) !== inFile.reveal(key);
  const inWords = (value: string) => terminalLine(value) || "empty";
  if (asJson) io.json({ ...row, stored });
  else if (overruled) io.out(`${key} is now ${inWords(stored)} in settings.json.`);
  else io.out(`${key} is now ${inWords(row.value)}.`);
  if (overruled) {
    io.err(
      `The environment sets it to ${inWords(row.value)}, which wins until that is unset: \`unset ${key}\`.`,
    );
  }
  if (key === "MEM_WORKER_HOST" && !isLoopbackHost(stored)) io.err(openAddressSentence);
  const doubt = await doubtOf(context, inEffect, key);
  if (doubt !== null) io.err(terminalLine(doubt));
  io.err(row.effect === "live" ? "It takes effect at the next tool use." : restartSentence);
}

const openAddressSentence =
  "Other machines could then reach the port; for now the worker answers programs on this machine only.";

// What the form of a value does not show. Every standard type is how `all` reads, whatever the mode has.
async function doubtOf(
  context: CliContext,
  settings: LoadedSettings,
  key: SettingKey,
): Promise<string | null> {
  if (settings.source(key) === "default") return null;
  switch (key) {
    case "MEM_CONTEXT_OBSERVATION_TYPES":
      return unknownModeWords(context, "types", settings.get(key));
    case "MEM_CONTEXT_OBSERVATION_CONCEPTS":
      return unknownModeWords(context, "concepts", settings.get(key));
    case "MEM_MODE":
      return modeProblem(context);
    default:
      return null;
  }
}

const restartSentence = "It takes effect when the worker starts again: `mem worker restart`.";

function registerFile(settings: Command, context: CliContext): void {
  const path = settings
    .command("path")
    .description("print where settings.json is")
    .action(() => context.io.out(context.paths().settings));
  withExamples(path, [
    ["mem settings path", ""],
    ['cat "$(mem settings path)"', "read the file"],
  ]);
  const edit = settings
    .command("edit")
    .description("open settings.json in your editor ($VISUAL or $EDITOR)")
    .action(() => editSettings(context));
  withExamples(edit, [
    ["mem settings edit", ""],
    ["EDITOR=nano mem settings edit", "in another editor"],
  ]);
}

// The file is opened even when it is broken: mending it is what an editor is for.
async function editSettings(context: CliContext): Promise<void> {
  const path = context.paths().settings;
  try {
    context.settings("write");
  } catch (error) {
    if (!(error instanceof MemError) || error.code !== "settings_unreadable") throw error;
    context.io.err(error.message);
  }
  await openEditor(context, path, `Set EDITOR, or open ${path} yourself.`);
  const loaded = context.settings("read");
  warn(context, loaded);
  context.io.err(restartSentence);
}

function warn(context: CliContext, settings: LoadedSettings): void {
  for (const sentence of settings.warnings) {
    context.io.err(context.io.errPaint.yellow(terminalLine(sentence)));
  }
}

interface DescribedSetting {
  key: SettingKey;
  value: string;
  source: string;
  default: string;
  effect: string;
  accepts: string;
  meaning: string;
}

function describe(settings: LoadedSettings, key: SettingKey, revealed: boolean): DescribedSetting {
  const definition = definitionOf(key);
  const text = settings.reveal(key);
  const masked = definition.kind === "secret" && text !== "" && !revealed;
  return {
    key,
    value: masked ? "********" : text,
    source: settings.source(key),
    default: definition.default,
    effect: definition.effect,
    accepts: acceptedBy(definition),
    meaning: definition.description,
  };
}
