// `mem uninstall`: removes what mem registered with host agents.
import type { Command } from "commander";
import { failOpenSync } from "../../core/errors.ts";
import type { HostAt } from "../../hosts/host-places.ts";
import type { HostPlan, Installer } from "../../hosts/installer.ts";
import { hostNames } from "../../hosts/registry.ts";
import { addCommand, type JsonOptions, jsonOption } from "../command.ts";
import { canAsk, confirm } from "../confirm.ts";
import type { CliContext } from "../context.ts";
import { failureOf, installerOf, removeHookFiles, throwFailures } from "../host-settings.ts";
import { changedFiles } from "../install-lines.ts";
import { printWrapped } from "../table.ts";
import { homePath } from "../words.ts";

interface UninstallOptions extends JsonOptions {
  print?: true;
  yes?: true;
  all?: true;
}

/** Adds `mem uninstall`. */
export function registerUninstall(program: Command, context: CliContext): void {
  addCommand(program, context, {
    name: "uninstall",
    about: "Remove hooks and MCP server from host agents; the memory stays",
    arguments: [["[host...]", `the agents: ${hostNames.join(", ")} (default: all with mem)`]],
    options: [
      ["--all", "every host with mem, the default"],
      ["--yes", "do not ask"],
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

async function uninstall(context: CliContext, names: string[], options: UninstallOptions): Promise<void> {
  const { io } = context;
  const { all, print, json } = options;
  const installer = installerOf(context);
  const hosts =
    names.length === 0 || all === true
      ? installer.installed()
      : [...new Set(names)].flatMap((name) => installer.placesOf(name));
  const planned = hosts.map((host): Removal => {
    const state = failOpenSync("look for the plugin", () => installer.state(host));
    return { host, plugin: state?.plugin ?? null, plan: installer.planRemoval(host) };
  });
  if (print !== true) await demandConsent(context, planned, { names, options });
  const removals = print === true ? planned : planned.map((one) => remove(installer, one));
  if (print !== true && installer.withEntries().length === 0) removeHookFiles(context.paths());
  if (json === true) io.json({ items: removals.map(asJson), printed: print === true });
  else showRemovals(context, removals, print === true);
  // Last: an unreadable file must not keep the entries in another one.
  throwFailures(
    context,
    removals.flatMap(({ host, plan }) => plan.refused.map((one) => failureOf(host, one))),
    json === true,
  );
}

function remove(installer: Installer, { host, plugin, plan }: Removal): Removal {
  const done = installer.apply(plan);
  return { host, plugin, plan: { files: done.files, refused: [...plan.refused, ...done.refused] } };
}

// A script gets no question: the settings come back, and the memory stays.
async function demandConsent(
  { io }: CliContext,
  planned: readonly Removal[],
  { names, options }: { names: readonly string[]; options: UninstallOptions },
): Promise<void> {
  const changing = planned.filter(({ plan }) => changedFiles(plan).length > 0);
  if (options.yes === true || options.json === true || names.length > 0) return;
  if (changing.length === 0 || !canAsk()) return;
  for (const line of changing.flatMap((one) => filesInWords(one, "would"))) printWrapped(io, io.err, line);
  await confirm("Change these files?", "Nothing was changed.");
}

function showRemovals(context: CliContext, removals: readonly Removal[], isPrinted: boolean): void {
  const { io } = context;
  if (removals.length === 0) {
    io.out("mem is not installed in any host agent, so there is nothing to remove.");
    return;
  }
  for (const removal of removals) {
    for (const line of filesInWords(removal, isPrinted ? "would" : "did")) printWrapped(io, io.out, line);
  }
  const isUnchanged = removals.every(({ plan }) => changedFiles(plan).length === 0);
  if (isPrinted) io.out("Nothing was changed.");
  else if (!isUnchanged) io.out(`The memory stays in ${homePath(context.dataDir())}.`);
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

const verbs = {
  did: { title: "Removed mem from", remove: "removed", restore: "restored" },
  would: { title: "Would remove mem from", remove: "remove", restore: "restore" },
};

function filesInWords({ plugin, host, plan }: Removal, tense: keyof typeof verbs): string[] {
  const { title } = host.agent.integration;
  const changed = changedFiles(plan);
  const verb = verbs[tense];
  const files = changed.map(
    ({ file, after }) => `  ${after === null ? verb.remove : verb.restore} ${homePath(file.path)}`,
  );
  const isUntouched = files.length === 0 && plan.refused.length === 0 && plugin === null;
  return [
    ...(files.length === 0 ? [] : [`${verb.title} ${title}:`, ...files]),
    ...(isUntouched ? [`${title}: nothing of mem in its settings.`] : []),
    ...(plugin === null
      ? []
      : [
          `${title}: the plugin ${plugin} still provides the hooks. Disable it: \`claude plugin disable ${plugin}\`.`,
        ]),
  ];
}
