// The MCP switch of the installed hosts, for the worker's routes.
import { homedir } from "node:os";
import { isAbsolute } from "node:path";
import type { DataPaths } from "../core/paths.ts";
import { createInstalls, type Installs } from "../hosts/install-records.ts";
import { mcpServerOf } from "../hosts/mcp-server.ts";
import {
  broughtByPlugin,
  createMcpSwitch,
  installedHosts,
  rememberingHosts,
  userSettingsFile,
} from "../hosts/mcp-switch.ts";
import { hostNames, recipeOf } from "../hosts/registry.ts";
import type { McpPorts } from "../http/api/settings.ts";
import type { Environment } from "../settings/environment.ts";
import { readPrivateFile, replacePrivateFile } from "../settings/private-file.ts";

export function createMcp(paths: DataPaths, env: Environment): McpPorts {
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
      if (installed.length === 0) return installs.mcpWish() === true;
      return installed.every((host) => mcp.state(host).enabled);
    },
    toggle(enabled) {
      const installed = hosts();
      if (installed.length === 0) installs.setMcpWish(enabled);
      for (const host of installed) {
        const { plugin } = mcp.set(host, enabled);
        if (!enabled && plugin !== null) throw broughtByPlugin(plugin);
      }
    },
  };
}

function installsOf({ installs: file }: DataPaths): Installs {
  return createInstalls({
    read: () => readPrivateFile(file, "data_dir_unusable"),
    replace: (change) => replacePrivateFile(file, "data_dir_unusable", change),
  });
}
