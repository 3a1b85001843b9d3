// `mem settings`: lists, reads and changes settings.
import type { Command } from "commander";
import { MemError } from "../../core/errors.ts";
import { acceptedBy } from "../../settings/definition.ts";
import type { Environment } from "../../settings/environment.ts";
import { type LoadedSettings, loadSettings } from "../../settings/load.ts";
import { isLoopbackHost } from "../../settings/loopback-host.ts";
import { definitionOf, type SettingKey, settingKeys } from "../../settings/table.ts";
import { weakTokenNotice } from "../../settings/tv-token.ts";
import { resetSetting, setSetting, settingKey } from "../../settings/write.ts";
import { terminalLine } from "../../text/terminal-text.ts";
import { modeProblem, unknownModeWords } from "../checks/mode.ts";
import { addCommand, type CommandPart, type JsonOptions, jsonOption } from "../command.ts";
import type { CliContext } from "../context.ts";
import { openEditor } from "../editor.ts";
import { printTable, printWarnings, printWrapped } from "../table.ts";
import { hostProblem, ownAddresses } from "../worker-host.ts";

interface ShowOptions extends JsonOptions {
  reveal?: true;
  long?: true;
}

interface SetOptions extends JsonOptions {
  default?: true;
}

const key: NonNullable<CommandPart["arguments"]>[number] = [
  "<key>",
  "name of the setting, with or without MEM_",
];

/** Adds `mem settings list|get|set|path|edit`. */
export function registerSettings(program: Command, context: CliContext): void {
  const { io } = context;
  const settings = addCommand(program, context, {
    name: "settings",
    about: "Show and change settings",
    examples: [
      "mem settings list # every setting and its value",
      "mem settings set MEM_PROVIDER local # write observations without a model",
    ],
  });
  addCommand(settings, context, {
    name: "list",
    about: "List every setting, its value and its source",
    options: [["--long", "also what each means and accepts"], ["--reveal", "show secrets"], jsonOption],
    examples: [
      "mem settings list --long # what each setting means and accepts",
      "mem settings list --json # for a script",
    ],
    paged: true,
    run: (options: ShowOptions) => listSettings(context, options),
  });
  addCommand(settings, context, {
    name: "get",
    about: "Print the value of a setting",
    arguments: [key],
    options: [
      ["--reveal", "show a secret"],
      ["--json", "print JSON, with meaning and source"],
    ],
    examples: [
      "mem settings get MEM_WORKER_PORT # the configured port",
      "mem settings get MEM_TV_TOKEN --reveal # a secret in clear",
    ],
    run: (name: string, options: ShowOptions) => {
      const loaded = context.settings("read");
      printWarnings(io, loaded.warnings);
      const row = describe(loaded, settingKey(name), options.reveal === true);
      if (options.json === true) io.json(row);
      else io.out(terminalLine(row.value));
    },
  });
  addCommand(settings, context, {
    name: "set",
    about: "Change a setting in settings.json",
    arguments: [key, ["[value]", "the new value"]],
    options: [["--default", "reset it to its default"], jsonOption],
    examples: [
      "mem settings set MEM_SKIP_TOOLS TodoWrite,Skill # takes effect immediately",
      "mem settings set MEM_MODEL --default # back to the default",
    ],
    run: (name: string, value: string | undefined, options: SetOptions) =>
      changeSetting(context, name, value, options),
  });
  addCommand(settings, context, {
    name: "path",
    about: "Print the path of settings.json",
    options: [jsonOption],
    examples: ["mem settings path", 'cat "$(mem settings path)" # read the file'],
    run: ({ json }: JsonOptions) => {
      const path = context.paths().settings;
      if (json === true) io.json({ path });
      else io.out(path);
    },
  });
  addCommand(settings, context, {
    name: "edit",
    about: "Open settings.json in your editor ($VISUAL or $EDITOR)",
    examples: ["mem settings edit", "EDITOR=nano mem settings edit # in another editor"],
    run: () => editSettings(context),
  });
}

function listSettings(context: CliContext, { long, reveal, json }: ShowOptions): void {
  const { io } = context;
  const settings = context.settings("read");
  printWarnings(io, settings.warnings);
  const rows = settingKeys.map((each) => describe(settings, each, reveal === true));
  if (json === true) {
    io.json({ items: rows, warnings: settings.warnings });
    return;
  }
  const cells = rows.map(({ key, value, source }) => [
    key,
    terminalLine(value) || "-",
    source === "default" ? "" : source,
  ]);
  printTable(io, [{ title: "Setting" }, { title: "Value", flexible: true }, { title: "Source" }], cells, {
    below: (at) => (long === true ? longLines(io, rows[at]) : []),
    paintRow: (at, line) => (rows[at]?.source === "default" ? line : io.paint.bold(line)),
  });
}

function longLines(io: CliContext["io"], row: DescribedSetting | undefined): string[] {
  if (row === undefined) return [];
  const lines: string[] = [];
  printWrapped({ columns: io.columns - 2 }, (line) => lines.push(`  ${line}`), row.meaning);
  const accepts = `Accepts ${row.accepts}. Default: ${row.default || "-"}.`;
  printWrapped({ columns: io.columns - 2 }, (line) => lines.push(io.paint.dim(`  ${line}`)), accepts);
  return lines;
}

async function changeSetting(
  context: CliContext,
  name: string,
  value: string | undefined,
  options: SetOptions,
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
  await showChange(context, key, options.json === true);
}

async function showChange(context: CliContext, key: SettingKey, asJson: boolean): Promise<void> {
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
    io.err(`The environment sets it to ${inWords(row.value)}, which takes precedence: \`unset ${key}\`.`);
  }
  if (key === "MEM_WORKER_HOST" && !isLoopbackHost(stored)) io.err(openAddressSentence);
  const doubt = await doubtOf(context, inEffect, key);
  if (doubt !== null) printWrapped(io, io.err, doubt);
  io.err(
    row.effect === "live" ? "It takes effect at the next tool use, prompt or other event." : restartSentence,
  );
}

const openAddressSentence =
  "Other machines can then reach the port, and without MEM_TV_TOKEN the whole API. `mem tv enable` opens the TV page only.";

// Faults that the format of a value does not show. The default means every type of the mode.
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
    case "MEM_WORKER_HOST": {
      const problem = await hostProblem(settings);
      return problem && [problem.message, ownAddresses()].filter((part) => part !== null).join(" ");
    }
    case "MEM_TV_TOKEN": {
      const weak = weakTokenNotice(settings);
      return weak && `${weak.message} Make another: \`${weak.next}\`.`;
    }
    default:
      return null;
  }
}

const restartSentence = "It takes effect after `mem worker restart`.";

// Opens a broken file too, to fix it.
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
  printWarnings(context.io, loaded.warnings);
  context.io.err(restartSentence);
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
