// The switch of recall over MCP, as the worker's routes reach it.
import { homedir } from "node:os";
import { isAbsolute } from "node:path";
import { parseInstallRecords, renderInstallRecords, withInstallRecord } from "../hosts/install-records.ts";
import { mcpServerOf } from "../hosts/mcp-server.ts";
import {
  broughtByPlugin,
  createMcpSwitch,
  type Installs,
  installedHosts,
  noHostInstalled,
  rememberingHosts,
  userSettingsFile,
} from "../hosts/mcp-switch.ts";
import { hostNames, recipeOf } from "../hosts/registry.ts";
import type { McpPorts } from "../http/api/mcp.ts";
import type { DataPaths } from "../paths.ts";
import type { Environment } from "../settings/environment.ts";
import { readPrivateFile, replacePrivateFile } from "../settings/private-file.ts";

export function createMcpPorts(paths: DataPaths, env: Environment): McpPorts {
  const installs = installsOf(paths);
  const mcp = createMcpSwitch(installs, mcpServerOf(paths));
  const all = (isAbsolute(homedir()) ? hostNames : []).map(recipeOf).map((recipe) => ({
    recipe,
    settingsFile: userSettingsFile(recipe, env[recipe.settings.folderVariable] ?? ""),
  }));
  const hosts = () => rememberingHosts(installedHosts(installs.list(), recipeOf), all, mcp);
  return {
    enabled() {
      const installed = hosts();
      return installed.length > 0 && installed.every((host) => mcp.state(host).enabled);
    },
    toggle(enabled) {
      const installed = hosts();
      if (enabled && installed.length === 0) throw noHostInstalled();
      for (const host of installed) {
        const { plugin } = mcp.set(host, enabled);
        if (!enabled && plugin !== null) throw broughtByPlugin(plugin);
      }
    },
  };
}

function installsOf({ installs: file }: DataPaths): Installs {
  return {
    list: () => parseInstallRecords(readPrivateFile(file, "data_dir_unusable")),
    put: (settingsFile, record) =>
      replacePrivateFile(file, "data_dir_unusable", (text) =>
        renderInstallRecords(withInstallRecord(parseInstallRecords(text), settingsFile, record)),
      ),
  };
}
