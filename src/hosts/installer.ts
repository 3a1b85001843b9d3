// Installs mem into host agents and removes it: plans the change of every file, then writes them.
import { failOpenSync, MemError, toMemError } from "../core/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../text/json.ts";
import { type HostAt, hostAt, type Machine } from "./host-places.ts";
import type { Installs } from "./install-records.ts";
import type { HostFile } from "./integration.ts";
import {
  type InstallRecord,
  type Part,
  parseText,
  planFile,
  type Registered,
  registered,
} from "./registration.ts";
import { agentNamed, hostAgents } from "./registry.ts";
import { readSettingsFile, removeEmptyFolders, replaceSettingsFile } from "./settings-file.ts";

/** What a host's files say about mem. */
export interface HostState {
  files: readonly FileState[];
  hooks: Registered;
  mcp: Registered;
  /** The plugin that brings hooks and MCP server, whatever the files say. */
  plugin: string | null;
  /** Why the host runs no hook, and the file that says so. */
  hooksOff: { path: string; reason: string; next: string } | null;
  /** What the user took back of the consent, and the file that says so. */
  revoked: { path: string; reason: string } | null;
}

export interface FileState {
  path: string;
  hooks: Registered;
  mcp: Registered;
}

/** The change of one file, not yet written. */
export interface PlannedFile {
  file: HostFile;
  before: string | null;
  after: string | null;
  record: InstallRecord | null;
  earlier: InstallRecord | undefined;
}

export interface HostPlan {
  files: PlannedFile[];
  /** Errors of files that stay as they are. */
  refused: MemError[];
}

export interface Installer {
  /** Hosts that mem is registered with, by its records or by what their files say, and those with its plugin. */
  installed(): HostAt[];
  /** The host at this user's folder, and at every folder with a record. */
  placesOf(name: string): HostAt[];
  /** Throws `host_settings_unreadable`. */
  state(host: HostAt): HostState;
  /** The files with the parts registered; a file that refuses the MCP server only lacks it. Throws for hooks. */
  plan(host: HostAt, parts: ReadonlySet<Part>): HostPlan;
  /** The files without anything of ours. */
  planRemoval(host: HostAt): HostPlan;
  /** The files with the MCP server registered or removed, and hooks as they are. */
  planMcp(host: HostAt, enabled: boolean): HostPlan;
  /** Writes the plan, and the records of it. Returns the files that it wrote, and the errors of the others. */
  apply(plan: HostPlan): HostPlan;
}

export function createInstaller(machine: Machine, installs: Installs): Installer {
  const recordOf = (path: string) => installs.list().find((record) => record.settings_file === path);

  const planOne = (host: HostAt, file: HostFile, parts: ReadonlySet<Part>): PlannedFile =>
    planHostFile({ host, file, parts, earlier: recordOf(file.path) });

  function placesOf(name: string): HostAt[] {
    const agent = agentNamed(name);
    const own = hostAt(machine, agent);
    const folders = installs
      .list()
      .filter(({ host }) => host === name)
      .map(({ folder }) => folder ?? own.place.folder);
    return [...new Set([...folders, own.place.folder])].map((folder) => hostAt(machine, agent, folder));
  }

  // An unreadable file without a record has nothing of ours that could be seen.
  const isInstalled = (host: HostAt): boolean =>
    filesOf(host).some(({ path }) => recordOf(path) !== undefined) ||
    failOpenSync("look for mem in a host's files", () => isRegistered(stateOf(host))) === true;

  return {
    installed: () => hostAgents.flatMap(({ host }) => placesOf(host.name)).filter(isInstalled),
    placesOf,
    state: stateOf,
    plan(host, parts) {
      const withoutMcp = new Set([...parts].filter((part) => part !== "mcp"));
      const refused: MemError[] = [];
      const files = filesOf(host).flatMap((file) => {
        try {
          return [planOne(host, file, parts)];
        } catch (thrown) {
          const isForMcp = file.syntax !== "own" && file.hooks === undefined;
          const hasBoth = file.syntax !== "own" && file.mcp !== undefined && parts.has("mcp");
          if (!isForMcp && !hasBoth) throw thrown;
          refused.push(toMemError(thrown));
          return isForMcp ? [] : [planOne(host, file, withoutMcp)];
        }
      });
      return { files, refused };
    },
    // The last file first: a folder made for all of them is recorded with the first.
    planRemoval(host) {
      const plan: HostPlan = { files: [], refused: [] };
      for (const file of filesOf(host).toReversed()) {
        try {
          plan.files.push(planOne(host, file, new Set()));
        } catch (thrown) {
          plan.refused.push(toMemError(thrown));
        }
      }
      return plan;
    },
    planMcp(host, enabled) {
      const { revoked } = stateOf(host);
      if (revoked !== null) throw stillRevoked(host, revoked);
      const parts: Part[] = enabled ? ["mcp"] : [];
      const withMcp = filesOf(host).filter((file) => file.syntax !== "own" && file.mcp !== undefined);
      return {
        files: withMcp.map((file) => {
          const { exact, other } = registered(file, readSettingsFile(file.path), "hooks");
          return planOne(host, file, new Set(exact + other > 0 ? ["hooks", ...parts] : parts));
        }),
        refused: [],
      };
    },
    apply({ files }) {
      const done: HostPlan = { files: [], refused: [] };
      for (const one of files) {
        try {
          applyFile(installs, one);
          done.files.push(one);
        } catch (thrown) {
          done.refused.push(toMemError(thrown));
        }
      }
      return done;
    },
  };
}

function applyFile(installs: Installs, { file, before, after, record, earlier }: PlannedFile): void {
  const made = replaceSettingsFile(file.path, before, after);
  if (after === null) removeEmptyFolders(earlier?.made_folders ?? []);
  if (record === null && earlier === undefined) return;
  const folders = [...(record?.made_folders ?? []), ...made];
  installs.put(file.path, record && { ...record, made_folders: folders });
}

interface FileRequest {
  host: HostAt;
  file: HostFile;
  parts: ReadonlySet<Part>;
  earlier: InstallRecord | undefined;
}

function planHostFile({ host: { agent, place }, file, parts, earlier }: FileRequest): PlannedFile {
  const before = readSettingsFile(file.path);
  const request = { host: agent.host.name, folder: place.folder, file, before, earlier, parts };
  return { file, before, earlier, ...planFile(request) };
}

function filesOf({ agent, place }: HostAt): readonly HostFile[] {
  return agent.integration.files(place);
}

function stateOf({ agent, place }: HostAt): HostState {
  const { integration } = agent;
  const files = integration.files(place).map((file) => {
    const read = () => {
      const text = readSettingsFile(file.path);
      return { file, text, hooks: registered(file, text, "hooks"), mcp: registered(file, text, "mcp") };
    };
    // A broken file of MCP servers must not hide the hooks.
    const isForMcp = file.syntax !== "own" && file.hooks === undefined;
    return (isForMcp ? failOpenSync("read MCP servers", read) : read()) ?? { file, text: null, ...nothing };
  });
  const main = files.find(({ hooks }) => hooks.wanted > 0);
  const settings = main === undefined ? {} : settingsOf(main.file, main.text);
  const off = integration.hooksOff?.(settings) ?? null;
  const revoked = integration.revoked?.(settings) ?? null;
  return {
    files: files.map(({ file, hooks, mcp }) => ({ path: file.path, hooks, mcp })),
    hooks: total(files.map(({ hooks }) => hooks)),
    mcp: total(files.map(({ mcp }) => mcp)),
    plugin: integration.plugin?.(settings) ?? null,
    revoked: revoked !== null && main ? { path: main.file.path, reason: revoked } : null,
    hooksOff: off && main ? { path: main.file.path, ...off } : null,
  };
}

// The MCP server is in the same file: writing it renews the switches too.
function stillRevoked({ agent }: HostAt, { path, reason }: { path: string; reason: string }): MemError {
  return new MemError("conflict", {
    message: `${path} ${reason}, so mem leaves the file as it is.`,
    hint: `To allow it again: \`mem install ${agent.host.name}\`.`,
  });
}

const none: Registered = { wanted: 1, exact: 0, other: 0, values: [] };
const nothing = { hooks: { ...none, wanted: 0 }, mcp: none };

function settingsOf(file: HostFile, text: string | null): JsonObject {
  const value = file.syntax === "own" ? {} : (parseText(file, text) as Json);
  return isJsonObject(value) ? value : {};
}

function total(all: readonly Registered[]): Registered {
  const sum = (of: (one: Registered) => number) => all.reduce((whole, one) => whole + of(one), 0);
  return {
    wanted: sum(({ wanted }) => wanted),
    exact: sum(({ exact }) => exact),
    other: sum(({ other }) => other),
    values: all.flatMap(({ values }) => values),
  };
}

/** Whether a host has our MCP server. */
export interface McpState {
  host: string;
  file: string;
  enabled: boolean;
  /** The plugin that brings the server, whatever the file says. */
  plugin: string | null;
}

/** Throws `host_settings_unreadable`. */
export function mcpStateOf(host: HostAt): McpState {
  const { files, mcp, plugin } = stateOf(host);
  const file = files.find((one) => one.mcp.wanted > 0)?.path ?? "";
  const enabled = plugin !== null || mcp.exact + mcp.other > 0;
  return { host: host.agent.host.name, file, enabled, plugin };
}

function isRegistered({ hooks, mcp, plugin }: HostState): boolean {
  return plugin !== null || [hooks, mcp].some(({ exact, other }) => exact + other > 0);
}
