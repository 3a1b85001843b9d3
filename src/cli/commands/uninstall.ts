// `mem uninstall <host>`: removes the hooks and the MCP server from the settings of a host agent.
import { rmSync } from "node:fs";
import type { Command } from "commander";
import { planUninstall } from "../../hosts/install.ts";
import type { InstallRecipe } from "../../hosts/install-recipe.ts";
import type { McpChange } from "../../hosts/mcp-switch.ts";
import type { InstallRecord } from "../../hosts/registration.ts";
import { hostNames, recipeOf } from "../../hosts/registry.ts";
import { readSettingsFile, removeEmptyFolders, replaceSettingsFile } from "../../hosts/settings-file.ts";
import { addCommand, type JsonOptions, jsonOption } from "../command.ts";
import type { CliContext } from "../context.ts";
import { installsOf, mcpSwitchOf, settingsFileOf } from "../host-settings.ts";
import { homePath } from "../words.ts";

interface UninstallOptions extends JsonOptions {
  print?: true;
}

/** Adds `mem uninstall`. */
export function registerUninstall(program: Command, context: CliContext): void {
  addCommand(program, context, {
    name: "uninstall",
    about: "Remove the hooks from a host agent; the memory stays",
    arguments: [["<host>", `the agent: ${hostNames.join(", ")}`]],
    options: [["--print", "show which files would change, change nothing"], jsonOption],
    examples: [
      "mem uninstall claude-code # restore its settings",
      "mem uninstall claude-code --print # preview it",
    ],
    run: (host: string, options: UninstallOptions) => uninstallHooks(context, recipeOf(host), options),
  });
}

interface Uninstalled {
  settings_file: string;
  changed: boolean;
}

function uninstallHooks(context: CliContext, recipe: InstallRecipe, { print, json }: UninstallOptions): void {
  const paths = context.paths();
  const { host } = recipe;
  const installs = installsOf(paths);
  const installed = installs.list().filter((record) => record.host === host && record.kind === "hooks");
  // Hooks without a record are recognized by their commands.
  const files = new Set([
    ...installed.map((record) => record.settings_file),
    settingsFileOf(recipe, context),
  ]);
  const dryRun = print === true;
  // First: a folder that was created for both is removed with its last file.
  const recall = removeServers(context, recipe, { files, dryRun });
  const results = [...files].map((settingsFile) =>
    removeHooksFrom({ context, host, settingsFile, installed, dryRun }),
  );
  if (print !== true && installs.list().length === 0) rmSync(paths.installVersion, { force: true });
  if (json === true) context.io.json({ host, files: results, mcp: recall.changes, printed: dryRun });
  else {
    for (const { settings_file, changed } of results) {
      context.io.out(sentence({ settingsFile: settings_file, changed, printed: dryRun }));
    }
    for (const { file } of recall.changes) context.io.out(serverSentence(file, dryRun));
  }
  if (recall.failure !== undefined) throw recall.failure;
}

interface ServersRemoved {
  changes: McpChange[];
  /** Thrown last: an unreadable file must not keep the hooks in the other one. */
  failure: unknown;
}

function removeServers(
  context: CliContext,
  recipe: InstallRecipe,
  { files, dryRun }: { files: ReadonlySet<string>; dryRun: boolean },
): ServersRemoved {
  const removed: ServersRemoved = { changes: [], failure: undefined };
  for (const settingsFile of files) {
    try {
      const change = mcpSwitchOf(context.paths()).set({ recipe, settingsFile }, false, dryRun);
      if (change.changed) removed.changes.push(change);
    } catch (error) {
      removed.failure = error;
    }
  }
  return removed;
}

interface Removal {
  context: CliContext;
  host: string;
  settingsFile: string;
  installed: readonly InstallRecord[];
  dryRun: boolean;
}

function removeHooksFrom({ context, host, settingsFile, installed, dryRun }: Removal): Uninstalled {
  const before = readSettingsFile(settingsFile);
  const earlier = installed.find((record) => record.settings_file === settingsFile);
  const { after } = planUninstall({ host, settingsFile, before, earlier });
  if (!dryRun) {
    replaceSettingsFile(settingsFile, before, after);
    if (after === null) removeEmptyFolders(earlier?.made_folders ?? []);
    if (earlier !== undefined) installsOf(context.paths()).put(settingsFile, null);
  }
  return { settings_file: settingsFile, changed: before !== after };
}

function serverSentence(file: string, printed: boolean): string {
  return printed
    ? `Would remove the MCP server from ${homePath(file)}; nothing was changed.`
    : `Removed the MCP server from ${homePath(file)}.`;
}

interface RemovalResult {
  settingsFile: string;
  changed: boolean;
  printed: boolean;
}

function sentence({ settingsFile, changed, printed }: RemovalResult): string {
  const where = homePath(settingsFile);
  if (!changed) return `No hooks of mem in ${where}.`;
  if (printed) return `Would remove the hooks from ${where}; nothing was changed.`;
  return `Removed the hooks from ${where}. The memory stays.`;
}
