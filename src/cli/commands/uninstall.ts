// `mem uninstall`: removes what mem registered with host agents.
import type { Command } from "commander";
import { failOpenSync } from "../../core/errors.ts";
import type { HostAt } from "../../hosts/host-places.ts";
import type { HostPlan } from "../../hosts/installer.ts";
import { hostNames } from "../../hosts/registry.ts";
import { addCommand, type JsonOptions, jsonOption } from "../command.ts";
import type { CliContext } from "../context.ts";
import { installerOf, installsOf, removeHookFiles, throwFailures } from "../host-settings.ts";
import { changedFiles } from "../install-lines.ts";
import { homePath } from "../words.ts";

interface UninstallOptions extends JsonOptions {
  print?: true;
  all?: true;
}

/** Adds `mem uninstall`. */
export function registerUninstall(program: Command, context: CliContext): void {
  addCommand(program, context, {
    name: "uninstall",
    about: "Remove hooks and MCP server from host agents; the memory stays",
    arguments: [["[host...]", `the agents: ${hostNames.join(", ")} (default: all installed)`]],
    options: [
      ["--all", "every installed host, the default"],
      ["--print", "show which files would change, change nothing"],
      jsonOption,
    ],
    examples: [
      "mem uninstall # restore the settings of every host",
      "mem uninstall claude-code --print # preview it for one host",
    ],
    run: (names: string[], options: UninstallOptions) => uninstall(context, names, options),
  });
}

interface Removal {
  host: HostAt;
  /** The plugin that still brings hooks and MCP server. */
  plugin: string | null;
  plan: HostPlan;
}

function uninstall(context: CliContext, names: string[], { all, print, json }: UninstallOptions): void {
  const { io } = context;
  const installer = installerOf(context);
  const hosts =
    names.length === 0 || all === true
      ? installer.installed()
      : [...new Set(names)].flatMap((name) => installer.placesOf(name));
  const removals = hosts.map((host): Removal => {
    const plan = installer.planRemoval(host);
    const state = failOpenSync("look for the plugin", () => installer.state(host));
    const done = print === true ? plan : installer.apply(plan);
    const refused = [...new Set([...plan.refused, ...done.refused])];
    return { host, plugin: state?.plugin ?? null, plan: { files: done.files, refused } };
  });
  if (print !== true && installsOf(context.paths()).list().length === 0) removeHookFiles(context.paths());
  if (json === true) io.json({ items: removals.map(asJson), printed: print === true });
  else if (removals.length === 0) io.out("No host agent is installed, so there is nothing to remove.");
  else for (const removal of removals) for (const line of inWords(removal, print === true)) io.out(line);
  // Last: an unreadable file must not keep the entries in another one.
  throwFailures(
    context,
    removals.flatMap(({ plan }) => plan.refused),
  );
}

function asJson({ host, plugin, plan }: Removal): object {
  return {
    host: host.agent.host.name,
    folder: host.place.folder,
    changed: changedFiles(plan).length > 0,
    files: plan.files.map(({ file, before, after }) => ({ path: file.path, changed: before !== after })),
    plugin,
  };
}

function inWords(removal: Removal, isPrinted: boolean): string[] {
  const { plugin, host } = removal;
  const lines = filesInWords(removal, isPrinted);
  if (plugin === null) return lines;
  const { title } = host.agent.integration;
  return [
    ...lines,
    `${title}: the plugin ${plugin} still provides the hooks. Disable it: \`claude plugin disable ${plugin}\`.`,
  ];
}

function filesInWords({ host, plan }: Removal, isPrinted: boolean): string[] {
  const { title } = host.agent.integration;
  const changed = changedFiles(plan);
  if (changed.length === 0)
    return plan.refused.length > 0 ? [] : [`${title}: nothing of mem in its settings.`];
  return changed.map(({ file, after }) => {
    const where = homePath(file.path);
    if (isPrinted) return `Would ${after === null ? "remove" : "restore"} ${where}; nothing was changed.`;
    return `${title}: ${after === null ? "removed" : "restored"} ${where}. The memory stays.`;
  });
}
