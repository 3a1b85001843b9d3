// What `mem install` and `mem uninstall` share: where a host's settings lie, and the record of what was changed there.
import { homedir } from "node:os";
import { isAbsolute } from "node:path";
import { MemError } from "../errors.ts";
import type { InstallRecord } from "../hosts/install.ts";
import type { InstallRecipe, Launcher } from "../hosts/install-recipe.ts";
import { parseInstallRecords, renderInstallRecords, withInstallRecord } from "../hosts/install-records.ts";
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
import { type DataPaths, packageFile } from "../paths.ts";
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

/** What was installed so far. */
export function readInstalls(paths: DataPaths): InstallRecord[] {
  return parseInstallRecords(readPrivateFile(paths.installs, "data_dir_unusable"));
}

/** The switch of recall over MCP, with its changes recorded. */
export function mcpSwitchOf(paths: DataPaths): McpSwitch {
  const installs = {
    list: () => readInstalls(paths),
    put: (file: string, record: InstallRecord | null) => recordInstall(paths, file, record),
  };
  return createMcpSwitch(installs, mcpServerOf(paths));
}

/** The hosts that remember through mem: those with hooks of ours, and those with the plugin. */
export function mcpHosts(context: CliContext): McpHost[] {
  const paths = context.paths();
  const installed = installedHosts(readInstalls(paths), recipeOf);
  const all = hostNames
    .map(recipeOf)
    .map((recipe) => ({ recipe, settingsFile: settingsFileOf(recipe, context) }));
  return rememberingHosts(installed, all, mcpSwitchOf(paths));
}

/** Puts `record` in place of the one for the same settings file; null removes that. */
export function recordInstall(paths: DataPaths, settingsFile: string, record: InstallRecord | null): void {
  replacePrivateFile(paths.installs, "data_dir_unusable", (text) =>
    renderInstallRecords(withInstallRecord(parseInstallRecords(text), settingsFile, record)),
  );
}

function hookBundle(): string {
  return packageFile("dist", "hook.cjs");
}
