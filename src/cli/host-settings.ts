// The settings files of hosts, and the record of what mem changed in them.
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
      message: `The home directory is "${homedir()}", which is not an absolute path.`,
      hint: `Set HOME, or ${folderVariable}.`,
    });
  }
  return userSettingsFile(recipe, named);
}

/** How hooks are started: by the shell launcher, on Windows by Node. */
export function hookLauncher(): Launcher {
  if (process.platform !== "win32") return { folder: packageFile("hooks") };
  return { node: process.execPath, bundle: hookBundle() };
}

/** The paths of Node and of the hook bundle, which the launcher reads. */
export function hookRuntime(): string {
  return `${process.execPath}\n${hookBundle()}\n`;
}

/** The records of installs. */
export function installsOf({ installs: file }: DataPaths): Installs {
  return createInstalls({
    read: () => readPrivateFile(file, "data_dir_unusable"),
    replace: (change) => replacePrivateFile(file, "data_dir_unusable", change),
  });
}

/** Turns recall over MCP on and off, and records the changes. */
export function mcpSwitchOf(paths: DataPaths): McpSwitch {
  return createMcpSwitch(installsOf(paths), mcpServerOf(paths));
}

/** The installed hosts: with hooks of mem, or with its plugin. */
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
