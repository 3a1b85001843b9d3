// Recall over MCP switched on and off for the hosts that remember through mem.
import { MemError } from "../errors.ts";
import type { InstallRecord } from "./install.ts";
import { withFolders } from "./install.ts";
import type { InstallRecipe } from "./install-recipe.ts";
import { hasMcpServer, type McpServer, mcpFileOf, planMcpServer, planNoMcpServer } from "./mcp-server.ts";
import { readSettingsFile, removeEmptyFolders, replaceSettingsFile } from "./settings-file.ts";

/** The records of what was changed in the files of hosts. */
export interface Installs {
  list(): InstallRecord[];
  /** Puts `record` in place of the one for the same file; null removes that. */
  put(file: string, record: InstallRecord | null): void;
}

/** A host agent by the settings file that mem's hooks stand in, or would. */
export interface McpHost {
  recipe: InstallRecipe;
  settingsFile: string;
}

export interface McpState {
  host: string;
  file: string;
  enabled: boolean;
}

export interface McpChange extends McpState {
  changed: boolean;
}

export interface McpSwitch {
  state(host: McpHost): McpState;
  /** Registers or removes the server; with `dryRun` says what would change. Throws `conflict`, `host_settings_unreadable`. */
  set(host: McpHost, enabled: boolean, dryRun?: boolean): McpChange;
}

export function createMcpSwitch(installs: Installs, server: McpServer): McpSwitch {
  return {
    state({ recipe, settingsFile }) {
      const file = mcpFileOf(recipe, settingsFile);
      return { host: recipe.host, file, enabled: hasMcpServer(file, readSettingsFile(file)) };
    },
    set({ recipe, settingsFile }, enabled, dryRun = false) {
      const { host } = recipe;
      const file = mcpFileOf(recipe, settingsFile);
      const before = readSettingsFile(file);
      const earlier = installs.list().find((record) => record.settings_file === file);
      const request = { host, file, before, earlier };
      const { after, record } = enabled ? planMcpServer({ ...request, server }) : planNoMcpServer(request);
      if (!dryRun) {
        const made = replaceSettingsFile(file, before, after);
        if (after === null) removeEmptyFolders(earlier?.made_folders ?? []);
        if (record !== null || earlier !== undefined) installs.put(file, withFolders(record, made));
      }
      return { host, file, enabled, changed: before !== after };
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

/** What to say when there is no host to switch it on for. */
export function noHostInstalled(): MemError {
  return new MemError("conflict", {
    message: "No host agent remembers through mem yet, so there is none to give recall to.",
    hint: "`mem install claude-code` installs it; with the plugin, `mem mcp enable claude-code` adds recall.",
  });
}
