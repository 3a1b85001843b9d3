// What `mem install` and `mem uninstall` share: where a host's settings lie, and the record of what was changed there.
import { homedir } from "node:os";
import { isAbsolute } from "node:path";
import { MemError } from "../core/errors.ts";
import { type DataPaths, packageFile } from "../core/paths.ts";
import type { InstallRecipe, Launcher } from "../hosts/install-recipe.ts";
import { createInstalls, type Installs } from "../hosts/install-records.ts";
import { mcpServerOf } from "../hosts/mcp-server.ts";
import {
  createMcpSwitch,
  installedHosts,
  type McpHost,
  type McpSwitch,
  rememberingHosts,
  userSettingsFile,
} from "../hosts/mcp-switch.ts";
import { hostNames, recipeOf } from "../hosts/registry.ts";
import { readPrivateFile, replacePrivateFile } from "../settings/private-file.ts";
import type { CliContext } from "./context.ts";

/** The settings file that the host reads for this user. */
export function settingsFileOf(recipe: InstallRecipe, context: CliContext): string {
  const { folderVariable } = recipe.settings;
  const named = context.environment[folderVariable] ?? "";
  if (named === "" && !isAbsolute(homedir())) {
    throw new MemError("host_settings_unreadable", {
      message: `The home directory is "${homedir()}", which is no absolute path.`,
      hint: `Set HOME, or ${folderVariable}.`,
    });
  }
  return userSettingsFile(recipe, named);
}

/** How hooks are started: through the shell launcher, and on Windows, which has no such shell, by Node itself. */
export function hookLauncher(): Launcher {
  if (process.platform !== "win32") return { folder: packageFile("hooks") };
  return { node: process.execPath, bundle: hookBundle() };
}

/** The two lines that the launcher finds Node and the hook by. */
export function hookRuntime(): string {
  return `${process.execPath}\n${hookBundle()}\n`;
}

/** What was installed so far, and what is recorded of it. */
export function installsOf({ installs: file }: DataPaths): Installs {
  return createInstalls({
    read: () => readPrivateFile(file, "data_dir_unusable"),
    replace: (change) => replacePrivateFile(file, "data_dir_unusable", change),
  });
}

/** The switch of recall over MCP, with its changes recorded. */
export function mcpSwitchOf(paths: DataPaths): McpSwitch {
  return createMcpSwitch(installsOf(paths), mcpServerOf(paths));
}

/** The hosts that remember through mem: those with hooks of ours, and those with the plugin. */
export function mcpHosts(context: CliContext): McpHost[] {
  const paths = context.paths();
  const installed = installedHosts(installsOf(paths).list(), recipeOf);
  const all = hostNames
    .map(recipeOf)
    .map((recipe) => ({ recipe, settingsFile: settingsFileOf(recipe, context) }));
  return rememberingHosts(installed, all, mcpSwitchOf(paths));
}

function hookBundle(): string {
  return packageFile("dist", "hook.cjs");
}
