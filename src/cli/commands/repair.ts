// `mem repair`: renews the launcher and the entries of every host with mem for this version.
import type { Command } from "commander";
import type { MemError } from "../../core/errors.ts";
import { version } from "../../core/version.ts";
import type { HostAt } from "../../hosts/host-places.ts";
import type { Part } from "../../hosts/registration.ts";
import { addCommand, type JsonOptions, jsonOption } from "../command.ts";
import type { CliContext } from "../context.ts";
import { failureOf, installerOf, installsOf, throwFailures, writeHookFiles } from "../host-settings.ts";
import { changedFiles } from "../install-lines.ts";
import { printWrapped } from "../table.ts";
import { counted, homePath } from "../words.ts";

/** Adds `mem repair`. */
export function registerRepair(program: Command, context: CliContext): void {
  addCommand(program, context, {
    name: "repair",
    about: "Renew what mem registered with host agents, after an update or a move of mem",
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
  /** What the user took back of the consent, so that nothing was changed; else null. */
  revoked: string | null;
}

async function repair(context: CliContext, asJson: boolean): Promise<void> {
  const { io } = context;
  const hosts = installerOf(context).installed();
  const written = await writeHookFiles(context, hosts);
  const items: Repaired[] = [];
  const failures: MemError[] = [];
  for (const host of hosts) {
    try {
      const { files, refused, revoked } = repairHost(context, host);
      failures.push(...refused.map((one) => failureOf(host, one)));
      const { host: agent, integration } = host.agent;
      items.push({ host: agent.name, title: integration.title, files, revoked });
    } catch (thrown) {
      failures.push(failureOf(host, thrown, " was not repaired"));
    }
  }
  if (asJson) io.json({ items, written, version: version() });
  else
    for (const line of inWords(items, { written, failed: failures.length })) printWrapped(io, io.out, line);
  throwFailures(context, failures, asJson);
}

function repairHost(
  context: CliContext,
  host: HostAt,
): Pick<Repaired, "files" | "revoked"> & { refused: MemError[] } {
  const installer = installerOf(context);
  const { hooks, mcp, revoked, mcpFault } = installer.state(host);
  if (revoked !== null)
    return { files: [], refused: [], revoked: `${homePath(revoked.path)} ${revoked.reason}` };
  const parts = new Set<Part>();
  if (hooks.exact + hooks.other > 0) parts.add("hooks");
  if (mcp.exact + mcp.other > 0) parts.add("mcp");
  const plan = parts.size === 0 ? { files: [], refused: [] } : installer.plan(host, parts);
  const done = installer.apply(plan);
  const files = changedFiles(done).map(({ file }) => file.path);
  const refused = [...plan.refused, ...done.refused];
  // The file may have the MCP server or not.
  const isHidden =
    mcpFault !== null && refused.length === 0 && installsOf(context.paths()).mcpWish() !== false;
  return { files, refused: isHidden ? [mcpFault] : refused, revoked: null };
}

function inWords(
  items: readonly Repaired[],
  { written, failed }: { written: readonly string[]; failed: number },
): string[] {
  if (items.length + failed === 0)
    return ["mem is not installed in any host agent. Install it: `mem install`."];
  const changed = items.filter(({ files }) => files.length > 0);
  const works = items.filter(({ revoked }) => revoked === null);
  const isUnchanged = written.length + changed.length + failed === 0 && works.length > 0;
  return [
    ...(written.length === 0 ? [] : [`Wrote ${written.map(homePath).join(", ")}.`]),
    ...changed.map(
      ({ title, files }) => `${title}: renewed the entries in ${files.map(homePath).join(" and ")}.`,
    ),
    ...items.flatMap(({ host, title, revoked }) =>
      revoked === null
        ? []
        : [`${title}: ${revoked}, so it was left as it is. To allow it: \`mem install ${host}\`.`],
    ),
    ...(isUnchanged ? ["Nothing to repair."] : []),
    ...(works.length === 0
      ? []
      : [`The hooks of ${counted(works.length, "host")} start version ${version()}.`]),
  ];
}
