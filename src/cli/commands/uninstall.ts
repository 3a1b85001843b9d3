// `mem uninstall <host>`: takes the hooks out of a host agent's settings, and nothing else.
import { rmSync } from "node:fs";
import type { Command } from "commander";
import { planUninstall } from "../../hosts/install.ts";
import type { InstallRecipe } from "../../hosts/install-recipe.ts";
import type { McpChange } from "../../hosts/mcp-switch.ts";
import type { InstallRecord } from "../../hosts/registration.ts";
import { hostNames, recipeOf } from "../../hosts/registry.ts";
import { readSettingsFile, removeEmptyFolders, replaceSettingsFile } from "../../hosts/settings-file.ts";
import type { CliContext } from "../context.ts";
import { withExamples } from "../examples.ts";
import { installsOf, mcpSwitchOf, settingsFileOf } from "../host-settings.ts";
import { homePath } from "../words.ts";

interface UninstallOptions {
  print?: true;
  json?: true;
}

/** Adds `mem uninstall`. */
export function registerUninstall(program: Command, context: CliContext): void {
  const uninstall = program
    .command("uninstall")
    .description("take the hooks out of a host agent; the memory stays")
    .argument("<host>", `the agent: ${hostNames.join(", ")}`)
    .option("--print", "show which files would change, change nothing")
    .option("--json", "print JSON")
    .action((host: string, options: UninstallOptions) => uninstallHooks(context, recipeOf(host), options));
  withExamples(uninstall, [
    ["mem uninstall claude-code", "its settings are as they were"],
    ["mem uninstall claude-code --print", "only look"],
  ]);
}

interface Uninstalled {
  settings_file: string;
  changed: boolean;
}

function uninstallHooks(context: CliContext, recipe: InstallRecipe, { print, json }: UninstallOptions): void {
  const paths = context.paths();
  const { host, title } = recipe;
  const installs = installsOf(paths);
  const installed = installs.list().filter((record) => record.host === host && record.kind === "hooks");
  // Hooks that no record tells of any more are recognised by their commands.
  const files = new Set([
    ...installed.map((record) => record.settings_file),
    settingsFileOf(recipe, context),
  ]);
  const dryRun = print === true;
  // First, since a folder that was made for both goes with the last file in it.
  const recall = removeServers(context, recipe, { files, dryRun });
  const results = [...files].map((settingsFile) =>
    removeHooksFrom({ context, host, settingsFile, installed, dryRun }),
  );
  if (print !== true && installs.list().length === 0) rmSync(paths.installVersion, { force: true });
  if (json === true) context.io.json({ host, files: results, mcp: recall.changes, printed: dryRun });
  else {
    for (const { settings_file, changed } of results) {
      context.io.out(sentence({ title, settingsFile: settings_file, changed, printed: dryRun }));
    }
    for (const { file } of recall.changes) context.io.out(serverSentence(file, dryRun));
  }
  if (recall.failure !== undefined) throw recall.failure;
}

interface ServersRemoved {
  changes: McpChange[];
  /** Thrown when all else is done: one file that cannot be read must not keep the hooks in the other. */
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
    ? `Would take the MCP server of mem out of ${homePath(file)}; nothing was changed.`
    : `The MCP server of mem is out of ${homePath(file)}.`;
}

interface Told {
  title: string;
  settingsFile: string;
  changed: boolean;
  printed: boolean;
}

function sentence({ title, settingsFile, changed, printed }: Told): string {
  const where = homePath(settingsFile);
  if (!changed) return `There are no hooks of mem in ${where}.`;
  if (printed) return `Would take the hooks of mem out of ${where}; nothing was changed.`;
  return `The hooks of mem are out of ${where}; what ${title} did so far stays remembered.`;
}
