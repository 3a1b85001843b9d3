// `mem mcp`: recall for agents over the Model Context Protocol, and which hosts have it.
import type { Command } from "commander";
import { failOpenSync, MemError } from "../../core/errors.ts";
import { version } from "../../core/version.ts";
import type { HostAt } from "../../hosts/host-places.ts";
import { type McpState, mcpStateOf } from "../../hosts/installer.ts";
import { mcpServerName } from "../../hosts/integration.ts";
import { hostNames } from "../../hosts/registry.ts";
import { addCommand, type CommandPart, type JsonOptions, jsonOption } from "../command.ts";
import type { CliContext } from "../context.ts";
import {
  failureOf,
  hostNamed,
  installerOf,
  installsOf,
  mcpStatesOf,
  throwFailures,
  writeHookFiles,
} from "../host-settings.ts";
import { changedFiles } from "../install-lines.ts";
import { printWrapped } from "../table.ts";
import { homePath } from "../words.ts";

const host: NonNullable<CommandPart["arguments"]>[number] = [
  "[host]",
  `one host: ${hostNames.join(", ")} (default: all)`,
];

/** Adds `mem mcp`. */
export function registerMcp(program: Command, context: CliContext): void {
  const mcp = addCommand(program, context, {
    name: "mcp",
    about: "Serve recall to an agent over MCP; a host agent starts this",
    examples: [
      "mem mcp # the command that a host runs",
      "mem mcp disable # keep the hooks, remove the tools",
    ],
    run: () => serve(context),
  });
  for (const enabled of [true, false]) {
    const word = enabled ? "enable" : "disable";
    addCommand(mcp, context, {
      name: word,
      about: enabled
        ? "Register the tools with the hosts that have mem"
        : "Remove the tools from the hosts that have mem",
      arguments: [host],
      options: [jsonOption],
      examples: [`mem mcp ${word} # every host with mem`, `mem mcp ${word} claude-code # one host`],
      run: (name: string | undefined, { json }: JsonOptions) =>
        toggle(context, { host: name, enabled, asJson: json === true }),
    });
  }
  addCommand(mcp, context, {
    name: "status",
    about: "Show which hosts have the tools",
    arguments: [host],
    options: [jsonOption],
    examples: ["mem mcp status", "mem mcp status claude-code --json # for a script"],
    run: (name: string | undefined, { json }: JsonOptions) => showStatus(context, name, json === true),
  });
}

interface Toggle {
  host: string | undefined;
  enabled: boolean;
  asJson: boolean;
}

async function toggle(context: CliContext, { host, enabled, asJson }: Toggle): Promise<void> {
  const paths = context.paths();
  const hosts = hostsOf(context, host);
  if (hosts.length === 0 && enabled) throw noHostInstalled();
  if (enabled) await writeHookFiles(context, hosts);
  const installs = installsOf(paths);
  if (hosts.length === 0 && installs.mcpWish() === true) installs.setMcpWish(null);
  const failures: MemError[] = [];
  const changes = hosts.flatMap((one) => {
    try {
      return [switchMcp(context, one, enabled)];
    } catch (thrown) {
      failures.push(failureOf(one, thrown));
      return [];
    }
  });
  showChanges(context, changes, { enabled, asJson, isEmpty: hosts.length === 0 });
  throwFailures(context, failures, asJson);
}

function showChanges(
  { io }: CliContext,
  changes: readonly McpChange[],
  { enabled, asJson, isEmpty }: { enabled: boolean; asJson: boolean; isEmpty: boolean },
): void {
  if (asJson) {
    io.json({ items: changes, enabled: enabled || changes.some((change) => change.enabled) });
    return;
  }
  if (isEmpty) io.out("mem is not installed in any host agent, so there is nothing to remove.");
  for (const change of changes) printWrapped(io, io.out, changeInWords(change, enabled));
}

interface McpChange extends McpState {
  changed: boolean;
}

function switchMcp(context: CliContext, host: HostAt, enabled: boolean): McpChange {
  const installer = installerOf(context);
  const { plugin, ...state } = mcpStateOf(host);
  // Registered too, the agent would see every tool twice.
  if (enabled && plugin !== null) return { ...state, plugin, changed: false };
  const plan = installer.planMcp(host, enabled);
  for (const failure of installer.apply(plan).refused) throw failure;
  return { ...state, plugin, enabled: enabled || plugin !== null, changed: changedFiles(plan).length > 0 };
}

function noHostInstalled(): MemError {
  return new MemError("conflict", {
    message: "mem is not installed in any host agent, so recall cannot be enabled.",
    hint: "Run `mem install`, or install the plugin, which brings recall.",
  });
}

function changeInWords({ host, file: path, plugin, changed }: McpChange, enabled: boolean): string {
  const file = homePath(path);
  if (plugin !== null && enabled) return `The plugin ${plugin} already provides the MCP server to ${host}.`;
  if (plugin !== null) {
    const own = changed ? `Removed the server ${mcpServerName} from ${file}, but the` : "The";
    return `${own} plugin ${plugin} provides it to ${host}. Disable the plugin: \`claude plugin disable ${plugin}\`; only its server: \`/mcp\` in ${host}.`;
  }
  if (!changed)
    return enabled
      ? `${file} already has the MCP server for ${host}.`
      : `${file} has no MCP server of mem for ${host}.`;
  return enabled
    ? `Registered the MCP server ${mcpServerName} in ${file}. Start a new ${host} session to use it.`
    : `Removed the MCP server ${mcpServerName} from ${file}.`;
}

function showStatus(context: CliContext, host: string | undefined, asJson: boolean): void {
  const { io } = context;
  const { states, failures } = mcpStatesOf(hostsOf(context, host));
  const isWished = installsOf(context.paths()).mcpWish() === true;
  const isEmpty = states.length + failures.length === 0;
  const enabled = isEmpty ? isWished : failures.length === 0 && states.every((state) => state.enabled);
  if (asJson) io.json({ items: states, enabled });
  else if (isEmpty) io.out("mem is not installed in any host agent. Install it: `mem install`.");
  for (const state of asJson ? [] : states) {
    const where = state.plugin === null ? homePath(state.file) : `from the plugin ${state.plugin}`;
    io.out(`${state.host}: ${state.enabled ? "on" : "off"} (${where})`);
  }
  throwFailures(context, failures, asJson);
}

// A named host need not have entries of mem: it may have the hooks from a plugin.
function hostsOf(context: CliContext, name: string | undefined): HostAt[] {
  return name === undefined ? installerOf(context).installed() : [hostNamed(context, name)];
}

async function serve(context: CliContext): Promise<void> {
  const { io } = context;
  if (process.stdin.isTTY) {
    io.err("This is an MCP server for a host agent. Register it: `mem mcp enable`. Stop it: Ctrl-D.");
  }
  const { serveMcp } = await import("../mcp/serve.ts");
  // Settings that cannot be read are the worker's to report.
  const writes = failOpenSync("read settings", () => context.settings("read").get("MEM_MCP_WRITE")) ?? true;
  await serveMcp({
    hosts: hostNames,
    worker: context.worker(),
    version: version(),
    writes,
    complain: (line) => io.err(line),
  });
}
