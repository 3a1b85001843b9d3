// `mem uninstall <host>`: takes the hooks out of a host agent's settings, and nothing else.
import { rmSync } from "node:fs";
import type { Command } from "commander";
import { planUninstall } from "../../hosts/install.ts";
import type { InstallRecipe } from "../../hosts/install-recipe.ts";
import { hostNames, recipeOf } from "../../hosts/registry.ts";
import { readSettingsFile, removeEmptyFolders, replaceSettingsFile } from "../../hosts/settings-file.ts";
import type { CliContext } from "../context.ts";
import { withExamples } from "../examples.ts";
import { readInstalls, recordInstall, settingsFileOf } from "../host-settings.ts";
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
  const installed = readInstalls(paths).filter((record) => record.host === host);
  // Hooks that no record tells of any more are recognised by their commands.
  const files = new Set([
    ...installed.map((record) => record.settings_file),
    settingsFileOf(recipe, context),
  ]);
  const results = [...files].map((settingsFile): Uninstalled => {
    const before = readSettingsFile(settingsFile);
    const earlier = installed.find((record) => record.settings_file === settingsFile);
    const { after } = planUninstall({ host, settingsFile, before, earlier });
    if (print !== true) {
      replaceSettingsFile(settingsFile, before, after);
      if (after === null) removeEmptyFolders(earlier?.made_folders ?? []);
      if (earlier !== undefined) recordInstall(paths, settingsFile, null);
    }
    return { settings_file: settingsFile, changed: before !== after };
  });
  if (print !== true && readInstalls(paths).length === 0) rmSync(paths.installVersion, { force: true });
  if (json === true) context.io.json({ host, files: results, printed: print === true });
  else
    for (const { settings_file, changed } of results) {
      context.io.out(sentence({ title, settingsFile: settings_file, changed, printed: print === true }));
    }
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
