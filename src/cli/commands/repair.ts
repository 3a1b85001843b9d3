// `mem repair`: renews the launcher and the entries of every installed host for this version.
import type { Command } from "commander";
import { type MemError, toMemError } from "../../core/errors.ts";
import { version } from "../../core/version.ts";
import type { Part } from "../../hosts/registration.ts";
import { addCommand, type JsonOptions, jsonOption } from "../command.ts";
import type { CliContext } from "../context.ts";
import { installerOf, throwFailures, writeHookFiles } from "../host-settings.ts";
import { changedFiles } from "../install-lines.ts";
import { counted, homePath } from "../words.ts";

/** Adds `mem repair`. */
export function registerRepair(program: Command, context: CliContext): void {
  addCommand(program, context, {
    name: "repair",
    about: "Renew the hooks of the installed hosts after an update or a move of mem",
    options: [jsonOption],
    examples: [
      "mem repair # the launcher, the version marker, and every registered hook",
      "mem repair --json # what was changed, for scripts",
    ],
    run: ({ json }: JsonOptions) => repair(context, json === true),
  });
}

interface Repaired {
  host: string;
  title: string;
  /** The files of the host that changed. */
  files: string[];
}

function repair(context: CliContext, asJson: boolean): void {
  const { io } = context;
  const installer = installerOf(context);
  const hosts = installer.installed();
  const written = writeHookFiles(context.paths(), hosts);
  const items: Repaired[] = [];
  const failures: MemError[] = [];
  for (const host of hosts) {
    const { host: agent, integration } = host.agent;
    try {
      const { hooks, mcp, revoked } = installer.state(host);
      if (revoked !== null) {
        items.push({ host: agent.name, title: integration.title, files: [] });
        continue;
      }
      const parts = new Set<Part>();
      if (hooks.exact + hooks.other > 0) parts.add("hooks");
      if (mcp.exact + mcp.other > 0) parts.add("mcp");
      const plan = parts.size === 0 ? { files: [], refused: [] } : installer.plan(host, parts);
      const done = installer.apply(plan);
      failures.push(...plan.refused, ...done.refused);
      const files = changedFiles(done).map(({ file }) => file.path);
      items.push({ host: agent.name, title: integration.title, files });
    } catch (thrown) {
      failures.push(toMemError(thrown));
    }
  }
  if (asJson) io.json({ items, written, version: version() });
  else {
    for (const path of written) io.out(`Wrote ${homePath(path)}.`);
    for (const { title, files } of items) {
      const renewed = files.map(homePath).join(" and ");
      io.out(
        files.length === 0 ? `${title}: nothing to repair.` : `${title}: renewed the entries in ${renewed}.`,
      );
    }
    if (hosts.length === 0) io.out("No host agent is installed. Install one: `mem install`.");
    else io.out(`The hooks of ${counted(hosts.length, "host")} start version ${version()}.`);
  }
  throwFailures(context, failures);
}
