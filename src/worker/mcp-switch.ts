// The MCP switch of the hosts with mem, for the worker's routes.
import { homedir } from "node:os";
import { isAbsolute } from "node:path";
import { failOpenSync, MemError, toMemError } from "../core/errors.ts";
import type { DataPaths } from "../core/paths.ts";
import type { HostAt } from "../hosts/host-places.ts";
import { createInstalls, type Installs, recordedFolders } from "../hosts/install-records.ts";
import { createInstaller, mcpStateOf } from "../hosts/installer.ts";
import { writeLaunchers } from "../hosts/launcher-files.ts";
import { hostAgents } from "../hosts/registry.ts";
import type { McpPorts } from "../http/api/settings.ts";
import type { Environment } from "../settings/environment.ts";
import { readPrivateFile, replacePrivateFile } from "../settings/private-file.ts";

export function createMcp(paths: DataPaths, environment: Environment): McpPorts {
  const installs = installsOf(paths);
  const machine = { paths, environment, home: homedir(), platform: process.platform };
  const installer = createInstaller(machine, installs);
  const hosts = () => (isAbsolute(machine.home) ? installer.installed() : []);
  return {
    enabled() {
      const installed = hosts();
      if (installed.length === 0) return installs.mcpWish() === true;
      const isEnabled = (host: HostAt) => mcpStateOf(host).enabled;
      return installed.every((host) => failOpenSync("read MCP servers", () => isEnabled(host)) === true);
    },
    toggle(enabled) {
      const installed = hosts();
      if (installed.length === 0) installs.setMcpWish(enabled);
      else if (enabled) writeLaunchers(paths, []);
      const failures: MemError[] = [];
      for (const host of installed) {
        try {
          const { plugin } = mcpStateOf(host);
          // Registered too, the agent would see every tool twice.
          if (!enabled || plugin === null)
            failures.push(...installer.apply(installer.planMcp(host, enabled)).refused);
          if (!enabled && plugin !== null) failures.push(broughtByPlugin(plugin));
        } catch (thrown) {
          failures.push(toMemError(thrown));
        }
      }
      for (const failure of failures) throw failure;
    },
  };
}

/** The line for the start of a session in hosts that have the tools; null for others, and where they only read. */
export function createToldOf(paths: DataPaths, environment: Environment, writes: boolean) {
  const machine = { paths, environment, home: homedir(), platform: process.platform };
  const installer = createInstaller(machine, installsOf(paths));
  return (name: string): string | null => {
    const tool = hostAgents.find(({ host }) => host.name === name)?.integration.toldOf;
    if (!writes || tool === undefined || !isAbsolute(machine.home)) return null;
    const hasTools = failOpenSync("read MCP servers", () =>
      installer.installed().some((one) => one.agent.host.name === name && mcpStateOf(one).enabled),
    );
    if (hasTools !== true) return null;
    return `Keep what later sessions need with the tool ${tool}; take back what no longer holds with ${tool.replace("remember", "review")}.`;
  };
}

function broughtByPlugin(plugin: string): MemError {
  return new MemError("conflict", {
    message: `The plugin ${plugin} brings recall over MCP, so it cannot be disabled separately.`,
    hint: `Disable the plugin: \`claude plugin disable ${plugin}\`. Or turn its server off with \`/mcp\` in Claude Code.`,
  });
}

/** The folders of a host in the records of `mem install`; none if they cannot be read. */
export function foldersInRecords(paths: DataPaths): (host: string) => string[] {
  const installs = installsOf(paths);
  return (host) => failOpenSync("read installs.json", () => recordedFolders(installs, host)) ?? [];
}

/** The records of `mem install`. */
export function installsOf({ installs: file }: DataPaths): Installs {
  return createInstalls({
    read: () => readPrivateFile(file, "data_dir_unusable"),
    replace: (change) => replacePrivateFile(file, "data_dir_unusable", change),
  });
}
