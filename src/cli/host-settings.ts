// Host agents for the command line: the machine, the installer, and the record of what mem changed.
import { rmSync } from "node:fs";
import { homedir } from "node:os";
import { MemError, toMemError } from "../core/errors.ts";
import { type DataPaths, homePath } from "../core/paths.ts";
import { version } from "../core/version.ts";
import { type HostAt, hostAt, type Machine, traceOf } from "../hosts/host-places.ts";
import { createInstalls, type Installs } from "../hosts/install-records.ts";
import { createInstaller, type Installer, type McpState, mcpStateOf } from "../hosts/installer.ts";
import { removeLaunchers, startedByLaunchers, writeLaunchers } from "../hosts/launcher-files.ts";
import { agentNamed, hostAgents } from "../hosts/registry.ts";
import { prepareDataDirectory } from "../settings/data-dir.ts";
import { readPrivateFile, replacePrivateFile } from "../settings/private-file.ts";
import { noSqlite, ownRuntime, sqliteProblem } from "./checks/sqlite.ts";
import type { CliContext } from "./context.ts";
import { snakeCased } from "./io.ts";
import { demandLasting } from "./worker-process.ts";

/** The records of installs. */
export function installsOf({ installs: file }: DataPaths): Installs {
  return createInstalls({
    read: () => readPrivateFile(file, "data_dir_unusable"),
    replace: (change) => replacePrivateFile(file, "data_dir_unusable", change),
  });
}

export function machineOf(context: CliContext): Machine {
  const { environment } = context;
  return { paths: context.paths(), environment, home: homedir(), platform: process.platform };
}

export function installerOf(context: CliContext): Installer {
  return createInstaller(machineOf(context), installsOf(context.paths()));
}

/** The named host at the folder that it reads for this user. Throws `host_settings_unreadable`. */
export function hostNamed(context: CliContext, name: string): HostAt {
  return hostAt(machineOf(context), agentNamed(name));
}

/** The hosts that are found on this machine, with or without mem. */
export function hostsOnMachine(context: CliContext): HostAt[] {
  const machine = machineOf(context);
  return hostAgents
    .map((agent) => hostAt(machine, agent))
    .filter(({ agent, place }) => traceOf(machine, agent, place) !== null);
}

/** The error when no host is found on this machine. */
export function noHostFound(): MemError {
  const names = hostAgents.map(({ host }) => host.name);
  return new MemError("not_found", {
    message: "No host agent was found on this machine.",
    hint: `Name one: \`mem install ${names[0]}\`. Known: ${names.join(", ")}.`,
  });
}

/** Throws the last of the failures, and prints the others before, one JSON object a line with `asJson`. */
export function throwFailures({ io }: CliContext, failures: readonly MemError[], asJson: boolean): void {
  const last = failures.at(-1);
  for (const failure of failures.slice(0, -1)) {
    const { message, hint } = failure;
    if (asJson) {
      io.err(JSON.stringify(snakeCased(failure.toBody())));
      continue;
    }
    io.err(io.errPaint.red(message));
    if (hint !== undefined && hint !== last?.hint) io.err(hint);
  }
  if (last !== undefined) throw last;
}

/** The error with its host: `Gemini CLI was not installed: ...`; without `failed`, `Gemini CLI: ...`. */
export function failureOf({ agent }: HostAt, thrown: unknown, failed = ""): MemError {
  const { code, message, hint } = toMemError(thrown);
  return new MemError(code, {
    message: `${agent.integration.title}${failed}: ${message}`,
    ...(hint === undefined ? {} : { hint }),
    cause: thrown,
  });
}

/** Whether the hosts have our MCP server, and the errors of those whose files cannot be read. */
export function mcpStatesOf(hosts: readonly HostAt[]): { states: McpState[]; failures: MemError[] } {
  const failures: MemError[] = [];
  const states = hosts.flatMap((host) => {
    try {
      return [mcpStateOf(host)];
    } catch (thrown) {
      failures.push(failureOf(host, thrown));
      return [];
    }
  });
  return { states, failures };
}

/**
 * Writes what the registered hooks start, and the version of mem; returns the files that it changed. A Node that cannot
 * load SQLite does not replace one that can; throws `worker_not_ready` where neither can.
 */
export async function writeHookFiles(context: CliContext, hosts: readonly HostAt[]): Promise<string[]> {
  demandLasting();
  const paths = context.paths();
  const isKept = await keepsRuntime(context);
  prepareDataDirectory(paths.root);
  const launchers = writeLaunchers(
    paths,
    hosts.map(({ agent }) => agent),
  );
  const { node, bundle } = ownRuntime();
  const notes: [string, string][] = [
    ...(isKept ? [] : [[paths.hookRuntime, `${node}\n${bundle}\n`] satisfies [string, string]]),
    [paths.installVersion, `${version()}\n`],
  ];
  const changed = notes.filter(([file, text]) => readPrivateFile(file, "data_dir_unusable") !== text);
  // The marker's time also ends the count of events that could not be read.
  for (const [file, text] of notes) {
    if (file === paths.installVersion || changed.some(([one]) => one === file))
      replacePrivateFile(file, "data_dir_unusable", () => text);
  }
  return [...launchers, ...changed.map(([file]) => file)];
}

async function keepsRuntime({ environment, io, paths }: CliContext): Promise<boolean> {
  const problem = await sqliteProblem(ownRuntime(), environment);
  if (problem === null) return false;
  const kept = startedByLaunchers(paths());
  if (kept === null || (await sqliteProblem(kept, environment)) !== null) throw noSqlite(problem);
  io.err(`SQLite cannot be loaded here (${problem}). Hooks still start ${homePath(kept.node)}.`);
  return true;
}

/** Removes what only registered hooks start. */
export function removeHookFiles(paths: DataPaths): void {
  removeLaunchers(paths);
  rmSync(paths.installVersion, { force: true });
}
