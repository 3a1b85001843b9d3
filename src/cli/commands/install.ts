// `mem install <host>`: registers the hooks and the MCP server with a host agent.
import type { Command } from "commander";
import { failOpenSync, MemError, toMemError } from "../../core/errors.ts";
import { version } from "../../core/version.ts";
import { enabledPlugin, planInstall } from "../../hosts/install.ts";
import { hookSettings, type InstallRecipe } from "../../hosts/install-recipe.ts";
import { type McpServer, mcpServerName, mcpServerOf, namedDataDir } from "../../hosts/mcp-server.ts";
import type { McpChange, McpHost } from "../../hosts/mcp-switch.ts";
import { withFolders } from "../../hosts/registration.ts";
import { hostNames, recipeOf } from "../../hosts/registry.ts";
import { readSettingsFile, replaceSettingsFile } from "../../hosts/settings-file.ts";
import { prepareDataDirectory } from "../../settings/data-dir.ts";
import { replacePrivateFile } from "../../settings/private-file.ts";
import { isJsonObject } from "../../text/json.ts";
import { addCommand, type JsonOptions, jsonOption } from "../command.ts";
import type { CliContext } from "../context.ts";
import { hookLauncher, hookRuntime, installsOf, mcpSwitchOf, settingsFileOf } from "../host-settings.ts";
import { counted, homePath } from "../words.ts";

interface InstallOptions extends JsonOptions {
  print?: true;
  force?: true;
  mcp: boolean;
}

/** Adds `mem install`. */
export function registerInstall(program: Command, context: CliContext): void {
  addCommand(program, context, {
    name: "install",
    about: "Record a host agent: register the hooks in its settings",
    arguments: [["<host>", `the agent: ${hostNames.join(", ")}`]],
    options: [
      ["--print", "show what would be registered, change nothing"],
      ["--force", "register the hooks although the plugin provides them"],
      ["--no-mcp", "do not register the MCP server for recall"],
      jsonOption,
    ],
    examples: [
      "mem install claude-code # register the hooks",
      "mem install claude-code --print # preview them",
    ],
    run: (host: string, options: InstallOptions) => installHooks(context, recipeOf(host), options),
  });
}

function installHooks(context: CliContext, recipe: InstallRecipe, options: InstallOptions): void {
  const { print, json, force } = options;
  const paths = context.paths();
  const settingsFile = settingsFileOf(recipe, context);
  const launcher = hookLauncher();
  const dataDir = namedDataDir(paths);
  const hooks = hookSettings(recipe, launcher, dataDir);
  const before = readSettingsFile(settingsFile);
  if (print !== true && force !== true) demandNoPlugin(recipe, enabledPlugin(before));
  const installs = installsOf(paths);
  const earlier = installs.list().find((record) => record.settings_file === settingsFile);
  const plan = planInstall({ recipe, settingsFile, before, launcher, dataDir, earlier });
  const changed = plan.after !== before;
  if (print !== true) {
    prepareDataDirectory(paths.root);
    const made = replaceSettingsFile(settingsFile, before, plan.after);
    installs.put(settingsFile, withFolders(plan.record, made));
    replacePrivateFile(paths.hookRuntime, "data_dir_unusable", () => hookRuntime());
    replacePrivateFile(paths.installVersion, "data_dir_unusable", () => `${version()}\n`);
  }
  const isUnwanted = installs.mcpWish() === false;
  const recall =
    options.mcp && !isUnwanted
      ? registerRecall(context, { recipe, settingsFile }, print === true)
      : noRecall(options.mcp ? [unwantedRecall(recipe)] : []);
  // From now on the configuration of the host decides.
  if (print !== true && installs.mcpWish() !== null) installs.setMcpWish(null);
  const warnings = [...(hooksAreOff(plan.after) ? [offWarning(settingsFile)] : []), ...recall.warnings];
  if (json === true) {
    const answer = { host: recipe.host, settings_file: settingsFile, changed, printed: print === true };
    context.io.json({ ...answer, hooks, mcp: recall.change, warnings });
  } else if (print === true) {
    context.io.out(JSON.stringify({ hooks }, null, 2));
    if (recall.change !== null) context.io.err(printedServer(recall.change, mcpServerOf(paths)));
  } else {
    showResult(context, recipe, settingsFile, changed);
    if (recall.change?.changed) context.io.out(serverSentence(recall.change));
  }
  for (const warning of warnings) context.io.err(context.io.errPaint.yellow(warning));
}

interface Recall {
  change: McpChange | null;
  warnings: string[];
}

function noRecall(warnings: string[]): Recall {
  return { change: null, warnings };
}

function unwantedRecall({ host }: InstallRecipe): string {
  return `Recall over MCP stays off, as set before. Turn it on: \`mem mcp enable ${host}\`.`;
}

// A configuration that refuses the server must not prevent the hooks.
function registerRecall(context: CliContext, host: McpHost, dryRun: boolean): Recall {
  try {
    return { change: mcpSwitchOf(context.paths()).set(host, true, dryRun), warnings: [] };
  } catch (thrown) {
    const { message, hint } = toMemError(thrown);
    return noRecall([hint === undefined ? message : `${message} ${hint}`]);
  }
}

function printedServer({ file }: McpChange, server: McpServer): string {
  return `And in ${homePath(file)}: ${JSON.stringify({ mcpServers: { [mcpServerName]: server } })}`;
}

function serverSentence({ file }: McpChange): string {
  return `Registered the MCP server ${mcpServerName} in ${homePath(file)}: agents can search the memory.`;
}

function demandNoPlugin({ host, title }: InstallRecipe, plugin: string | null): void {
  if (plugin === null) return;
  throw new MemError("conflict", {
    message: `The plugin ${plugin} is enabled and provides the same hooks, so every event would arrive twice. Nothing was changed.`,
    hint: `Keep the plugin and update it in ${title}, or disable it there, then run \`mem install ${host}\`. \`--force\` registers the hooks anyway.`,
  });
}

function showResult(
  context: CliContext,
  recipe: InstallRecipe,
  settingsFile: string,
  changed: boolean,
): void {
  const { io } = context;
  const where = homePath(settingsFile);
  if (!changed) {
    io.out(`Already installed: ${where} has the hooks.`);
    return;
  }
  io.out(`Installed. Start a new ${recipe.title} session to use it.`);
  io.out(`${counted(recipe.hooks.length, "hook")} registered in ${where}; nothing else was changed there.`);
  io.out(`Remove them: \`mem uninstall ${recipe.host}\`. Check them: \`mem doctor\`.`);
}

function hooksAreOff(text: string | null): boolean {
  const settings = failOpenSync("look at a host's settings", (): unknown => JSON.parse(text ?? "{}"));
  return isJsonObject(settings) && settings.disableAllHooks === true;
}

function offWarning(settingsFile: string): string {
  return `${homePath(settingsFile)} sets disableAllHooks: no hook runs until it is false.`;
}
