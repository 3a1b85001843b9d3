// Recall over MCP switched on and off for the hosts that remember through mem.
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { MemError } from "../core/errors.ts";
import { enabledPlugin, type InstallRecord, withFolders } from "./install.ts";
import type { InstallRecipe } from "./install-recipe.ts";
import type { Installs } from "./install-records.ts";
import { hasMcpServer, type McpServer, mcpFileOf, planMcpServer, planNoMcpServer } from "./mcp-server.ts";
import { readSettingsFile, removeEmptyFolders, replaceSettingsFile } from "./settings-file.ts";

/** A host agent by the settings file that mem's hooks stand in, or would. */
export interface McpHost {
  recipe: InstallRecipe;
  settingsFile: string;
}

export interface McpState {
  host: string;
  file: string;
  enabled: boolean;
  /** The plugin that brings the server, whatever stands in the file. */
  plugin: string | null;
}

export interface McpChange extends McpState {
  changed: boolean;
}

export interface McpSwitch {
  state(host: McpHost): McpState;
  /**
   * Registers or removes the server; of a host that has it from the plugin only a registration is removed. With
   * `dryRun` says what would change. Throws `conflict`, `host_settings_unreadable`.
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
      // Registered as well, the agent would have every tool twice.
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

/** The hosts whose hooks are recorded; `recipeOf` knows how each is installed. */
export function installedHosts(
  records: readonly InstallRecord[],
  recipeOf: (name: string) => InstallRecipe,
): McpHost[] {
  return records
    .filter((record) => record.kind === "hooks")
    .map(({ host, settings_file }) => ({ recipe: recipeOf(host), settingsFile: settings_file }));
}

/** The settings file that the host reads for this user, who may have named its folder. */
export function userSettingsFile({ settings: { folder, file } }: InstallRecipe, named: string): string {
  return join(named === "" ? join(homedir(), folder) : resolve(named), file);
}

/** The hosts that remember through mem: those with hooks of ours, and those of the others that have the plugin. */
export function rememberingHosts(
  installed: readonly McpHost[],
  others: readonly McpHost[],
  { state }: McpSwitch,
): McpHost[] {
  const isOther = ({ recipe }: McpHost) => !installed.some((host) => host.recipe.host === recipe.host);
  return [...installed, ...others.filter((host) => isOther(host) && state(host).plugin !== null)];
}

/** What to say when the server stays although it was to go. */
export function broughtByPlugin(plugin: string): MemError {
  return new MemError("conflict", {
    message: `The plugin ${plugin} brings recall over MCP, which cannot be taken out of it.`,
    hint: `\`claude plugin disable ${plugin}\` takes the plugin away; in Claude Code \`/mcp\` switches its server off.`,
  });
}

/** What to say when there is no host to switch it on for. */
export function noHostInstalled(): MemError {
  return new MemError("conflict", {
    message: "No host agent remembers through mem yet, so there is none to give recall to.",
    hint: "`mem install claude-code` installs it; the plugin brings recall with it.",
  });
}
