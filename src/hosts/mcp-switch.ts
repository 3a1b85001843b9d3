// Turns recall over MCP on and off for the hosts that use mem.
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { MemError } from "../core/errors.ts";
import { enabledPlugin } from "./install.ts";
import type { InstallRecipe } from "./install-recipe.ts";
import type { Installs } from "./install-records.ts";
import { hasMcpServer, type McpServer, mcpFileOf, planMcpServer, planNoMcpServer } from "./mcp-server.ts";
import { type InstallRecord, withFolders } from "./registration.ts";
import { readSettingsFile, removeEmptyFolders, replaceSettingsFile } from "./settings-file.ts";

/** A host agent, and the settings file for mem's hooks. */
export interface McpHost {
  recipe: InstallRecipe;
  settingsFile: string;
}

export interface McpState {
  host: string;
  file: string;
  enabled: boolean;
  /** The plugin that brings the server, whatever the file says. */
  plugin: string | null;
}

export interface McpChange extends McpState {
  changed: boolean;
}

export interface McpSwitch {
  state(host: McpHost): McpState;
  /**
   * Registers or removes the server. A server of the plugin stays; only a registration is removed. With `dryRun`
   * nothing is written. Throws `conflict`, `host_settings_unreadable`.
   */
  set(host: McpHost, enabled: boolean, dryRun?: boolean): McpChange;
}

export function createMcpSwitch(installs: Installs, server: McpServer): McpSwitch {
  return {
    state({ recipe, settingsFile }) {
      const file = mcpFileOf(recipe, settingsFile);
      const plugin = enabledPlugin(readSettingsFile(settingsFile));
      const enabled = plugin !== null || hasMcpServer(file, readSettingsFile(file));
      return { host: recipe.host, file, enabled, plugin };
    },
    set({ recipe, settingsFile }, enabled, dryRun = false) {
      const { host } = recipe;
      const file = mcpFileOf(recipe, settingsFile);
      const plugin = enabledPlugin(readSettingsFile(settingsFile));
      // Registered too, the agent would see every tool twice.
      if (enabled && plugin !== null) return { host, file, enabled, plugin, changed: false };
      const before = readSettingsFile(file);
      const earlier = installs.list().find((record) => record.settings_file === file);
      const request = { host, file, before, earlier };
      const { after, record } = enabled ? planMcpServer({ ...request, server }) : planNoMcpServer(request);
      if (!dryRun) {
        const made = replaceSettingsFile(file, before, after);
        if (after === null) removeEmptyFolders(earlier?.made_folders ?? []);
        if (record !== null || earlier !== undefined) installs.put(file, withFolders(record, made));
      }
      return { host, file, enabled: enabled || plugin !== null, plugin, changed: before !== after };
    },
  };
}

/** The hosts with recorded hooks. */
export function installedHosts(
  records: readonly InstallRecord[],
  recipeOf: (name: string) => InstallRecipe,
): McpHost[] {
  return records
    .filter((record) => record.kind === "hooks")
    .map(({ host, settings_file }) => ({ recipe: recipeOf(host), settingsFile: settings_file }));
}

/** The host's settings file of this user; `named` is the folder that the user set, or empty. */
export function userSettingsFile({ settings: { folder, file } }: InstallRecipe, named: string): string {
  return join(named === "" ? join(homedir(), folder) : resolve(named), file);
}

/** The hosts that use mem: those with our hooks, and those with the plugin. */
export function rememberingHosts(
  installed: readonly McpHost[],
  others: readonly McpHost[],
  { state }: McpSwitch,
): McpHost[] {
  const isOther = ({ recipe }: McpHost) => !installed.some((host) => host.recipe.host === recipe.host);
  return [...installed, ...others.filter((host) => isOther(host) && state(host).plugin !== null)];
}

/** The error when the plugin keeps the server enabled. */
export function broughtByPlugin(plugin: string): MemError {
  return new MemError("conflict", {
    message: `The plugin ${plugin} brings recall over MCP, so it cannot be disabled separately.`,
    hint: `Disable the plugin: \`claude plugin disable ${plugin}\`. Or turn its server off with \`/mcp\` in Claude Code.`,
  });
}

/** The error when no host is installed. */
export function noHostInstalled(): MemError {
  return new MemError("conflict", {
    message: "No host agent uses mem yet, so recall cannot be enabled.",
    hint: "Run `mem install claude-code`, or install the plugin, which brings recall.",
  });
}
