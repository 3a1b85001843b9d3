// The switch of recall over MCP, as the worker's routes reach it.
import { parseInstallRecords, renderInstallRecords, withInstallRecord } from "../hosts/install-records.ts";
import { mcpServerOf } from "../hosts/mcp-server.ts";
import { createMcpSwitch, type Installs, installedHosts, noHostInstalled } from "../hosts/mcp-switch.ts";
import { recipeOf } from "../hosts/registry.ts";
import type { McpPorts } from "../http/api/mcp.ts";
import type { DataPaths } from "../paths.ts";
import { readPrivateFile, replacePrivateFile } from "../settings/private-file.ts";

export function createMcpPorts(paths: DataPaths): McpPorts {
  const installs = installsOf(paths);
  const mcp = createMcpSwitch(installs, mcpServerOf(paths));
  const hosts = () => installedHosts(installs.list(), recipeOf);
  return {
    enabled() {
      const installed = hosts();
      return installed.length > 0 && installed.every((host) => mcp.state(host).enabled);
    },
    toggle(enabled) {
      const installed = hosts();
      if (enabled && installed.length === 0) throw noHostInstalled();
      for (const host of installed) mcp.set(host, enabled);
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
