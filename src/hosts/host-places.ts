// Where host agents are on this machine, and how they reach mem.
import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { failOpenSync, MemError } from "../core/errors.ts";
import { type DataPaths, packageFile } from "../core/paths.ts";
import { hookCommand, type Launcher } from "./hook-command.ts";
import type { HostAgent, HostPlace, Integration, McpServer } from "./integration.ts";

/** The machine, as its environment names it. */
export interface Machine {
  paths: DataPaths;
  environment: Readonly<Record<string, string | undefined>>;
  home: string;
  platform: NodeJS.Platform;
}

/** A host agent with one of its folders of settings. */
export interface HostAt {
  agent: HostAgent;
  place: HostPlace;
}

/** The host at a folder; without one, at the folder that it reads for this user. Throws `host_settings_unreadable`. */
export function hostAt(machine: Machine, agent: HostAgent, folder?: string): HostAt {
  const { paths, home } = machine;
  const launcher = launcherIn(paths.launcher, machine.platform);
  const dataDir = namedDataDir(machine);
  const host = agent.host.name;
  const loginShell = agent.integration.loginShell === true;
  const place: HostPlace = {
    home,
    folder: folder ?? folderOf(machine, agent),
    launcherFolder: paths.launcher,
    dataDir,
    hookCommand: (event) => hookCommand({ host, event, launcher, dataDir, loginShell }),
    server: mcpServerOn(machine),
    exists: existsSync,
  };
  return { agent, place };
}

/** What shows that the host is on this machine: its folder or its program; null if nothing of it is found. */
export function traceOf(machine: Machine, { integration }: HostAgent, { folder }: HostPlace): string | null {
  if (existsSync(folder)) return folder;
  return programOn(machine, integration.program);
}

/** The host's folder of settings for the user of this home. */
export function settingsFolder(
  { environment, home }: Pick<Machine, "environment" | "home">,
  { folder: { variable, inVariable = "", inHome } }: Pick<Integration, "folder">,
): string {
  const named = variable === null ? "" : (environment[variable] ?? "");
  return named === "" ? join(home, inHome) : join(resolve(named), inVariable);
}

function folderOf(machine: Machine, { integration }: HostAgent): string {
  const folder = settingsFolder(machine, integration);
  if (isAbsolute(folder)) return folder;
  const { variable } = integration.folder;
  throw new MemError("host_settings_unreadable", {
    message: `The home directory is "${machine.home}", which is not an absolute path.`,
    hint: `Set HOME${variable === null ? "" : `, or ${variable}`}.`,
  });
}

function programOn({ environment, platform }: Machine, program: string): string | null {
  const endings = platform === "win32" ? [".cmd", ".exe", ""] : [""];
  const folders = (environment.PATH ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  const candidates = folders.flatMap((folder) => endings.map((ending) => join(folder, program + ending)));
  const isRunnable = (path: string) =>
    failOpenSync("look for a host's program", () => {
      if (existsSync(path)) accessSync(path, constants.X_OK);
      return existsSync(path);
    }) === true;
  return candidates.find(isRunnable) ?? null;
}

/** How hooks start on this platform: by the shell launcher in the folder, on Windows by Node. */
export function launcherIn(folder: string, platform: NodeJS.Platform): Launcher {
  if (platform !== "win32") return { folder };
  return { node: process.execPath, bundle: packageFile("dist", "hook.cjs") };
}

// A shell first: Node's path changes with its version, and a host may have no Node on its PATH.
function mcpServerOn(machine: Machine): McpServer {
  const { paths, platform } = machine;
  const dataDir = namedDataDir(machine);
  const env = dataDir === null ? {} : { env: { MEM_DATA_DIR: dataDir } };
  return platform === "win32"
    ? { command: process.execPath, args: [join(paths.launcher, "mem-mcp.mjs")], ...env }
    : { command: "/bin/sh", args: [join(paths.launcher, "mem-mcp.sh")], ...env };
}

// The data directory for a process that a host starts; null for the default one.
function namedDataDir({ paths, home }: Machine): string | null {
  return paths.root === join(home, ".mem") ? null : paths.root;
}
