// Installs mem into host agents and removes it: plans the change of every file, then writes them.
import { failOpenSync, MemError, toMemError } from "../core/errors.ts";
import { homePath } from "../core/paths.ts";
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
  /** The enabled plugin of another memory. */
  otherMemory: string | null;
  /** Why its file of MCP servers cannot be read; null if it can. */
  mcpFault: MemError | null;
  /** Why the host runs no hook, and the file that says so. */
  hooksOff: { path: string; reason: string; next: string } | null;
  /** What the user took back of the consent, and the file that says so. */
  revoked: { path: string; reason: string } | null;
}

export interface FileState {
  path: string;
  /** The whole file is ours. */
  isWhole: boolean;
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
  /** Hosts with mem: by its records, by what their files say, or by its plugin. */
  installed(): HostAt[];
  /** Hosts with entries in their files. */
  withEntries(): HostAt[];
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
  const isRecorded = ({ path }: HostFile) => recordOf(path) !== undefined;
  const stateIf = (host: HostAt) => failOpenSync("look for mem in a host's files", () => stateOf(host));

  // An unreadable file without a record has nothing of ours that could be seen.
  const hasEntries = (host: HostAt): boolean =>
    [...filesOf(host), ...formerFiles(host, isRecorded)].some(isRecorded) || isRegistered(stateIf(host));

  function placesOf(name: string): HostAt[] {
    const agent = agentNamed(name);
    const own = hostAt(machine, agent);
    const folders = installs
      .list()
      .filter(({ host }) => host === name)
      .map(({ folder }) => folder ?? own.place.folder);
    return [...new Set([...folders, own.place.folder])].map((folder) => hostAt(machine, agent, folder));
  }

  const everyPlace = () => hostAgents.flatMap(({ host }) => placesOf(host.name));

  return {
    ...createPlanner(recordOf),
    installed: () =>
      everyPlace().filter((host) => hasEntries(host) || (stateIf(host)?.plugin ?? null) !== null),
    withEntries: () => everyPlace().filter(hasEntries),
    placesOf,
    state: stateOf,
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

type Planner = Pick<Installer, "plan" | "planRemoval" | "planMcp">;

function createPlanner(recordOf: (path: string) => InstallRecord | undefined): Planner {
  const formerOf = (host: HostAt) => formerFiles(host, ({ path }) => recordOf(path) !== undefined);
  const planOne = (host: HostAt, file: HostFile, parts: ReadonlySet<Part>): PlannedFile =>
    planHostFile({ host, file, parts, earlier: recordOf(file.path) });

  function removalOf(host: HostAt, files: readonly HostFile[]): HostPlan {
    const plan: HostPlan = { files: [], refused: [] };
    for (const file of files) {
      try {
        plan.files.push(planOne(host, file, new Set()));
      } catch (thrown) {
        plan.refused.push(toMemError(thrown));
      }
    }
    return plan;
  }

  return {
    plan(host, parts) {
      const withoutMcp = new Set([...parts].filter((part) => part !== "mcp"));
      const { files: former, refused } = removalOf(host, formerOf(host));
      const files = filesOf(host).flatMap((file) => {
        try {
          return [planOne(host, file, parts)];
        } catch (thrown) {
          const isForMcp = file.syntax !== "own" && file.hooks === undefined;
          const hasBoth = file.syntax !== "own" && file.mcp !== undefined && parts.has("mcp");
          if (!isForMcp && !hasBoth) throw thrown;
          if (isForMcp && !parts.has("mcp") && recordOf(file.path) === undefined) return [];
          refused.push(toMemError(thrown));
          return isForMcp ? [] : [planOne(host, file, withoutMcp)];
        }
      });
      return { files: [...files, ...former], refused };
    },
    // The last file first: a folder made for all of them is recorded with the first.
    planRemoval: (host) => removalOf(host, [...filesOf(host), ...formerOf(host)].toReversed()),
    planMcp(host, enabled) {
      const { revoked } = stateOf(host);
      if (revoked !== null) throw stillRevoked(host, revoked);
      const parts: Part[] = enabled ? ["mcp"] : [];
      const withMcp = filesOf(host).filter((file) => file.syntax !== "own" && file.mcp !== undefined);
      const files = withMcp.map((file) => {
        const hasHooks = countOf(registered(file, readSettingsFile(file.path), "hooks")) > 0;
        return planOne(host, file, new Set(hasHooks ? ["hooks", ...parts] : parts));
      });
      const former = removalOf(host, formerOf(host));
      return { files: [...files, ...former.files], refused: former.refused };
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

/**
 * Files that the host would not use now, with entries of ours: it may choose its file by what is there. `isRecorded` also
 * finds one that cannot be read.
 */
function formerFiles(
  { agent, place }: HostAt,
  isRecorded: (file: HostFile) => boolean = () => false,
): HostFile[] {
  const filesIf = (exists: boolean) => agent.integration.files({ ...place, exists: () => exists });
  const known = new Set(agent.integration.files(place).map(({ path }) => path));
  return [...filesIf(false), ...filesIf(true)].filter((file) => {
    if (known.has(file.path)) return false;
    known.add(file.path);
    return (
      isRecorded(file) || failOpenSync("look for mem in a former file", () => countIn(file) > 0) === true
    );
  });
}

function countIn(file: HostFile): number {
  const text = readSettingsFile(file.path);
  return countOf(registered(file, text, "hooks")) + countOf(registered(file, text, "mcp"));
}

function countOf({ exact, other }: Registered): number {
  return exact + other;
}

function readState(file: HostFile) {
  const text = readSettingsFile(file.path);
  return { file, text, hooks: registered(file, text, "hooks"), mcp: registered(file, text, "mcp") };
}

// To be removed, so none of them is as it should be.
function readFormer(file: HostFile) {
  const { text, hooks, mcp } = readState(file);
  const outdated = ({ exact, other, values }: Registered) => ({
    wanted: 0,
    exact: 0,
    other: exact + other,
    values,
  });
  return { file, text, hooks: outdated(hooks), mcp: outdated(mcp) };
}

function stateOf(host: HostAt): HostState {
  const { integration } = host.agent;
  let mcpFault: MemError | null = null;
  const present = filesOf(host).map((file) => {
    try {
      return readState(file);
    } catch (thrown) {
      // A broken file of MCP servers must not hide the hooks.
      if (file.syntax === "own" || file.hooks !== undefined) throw thrown;
      mcpFault = toMemError(thrown);
      return { file, text: null, ...nothing };
    }
  });
  const files = [...present, ...formerFiles(host).map(readFormer)];
  const main = files.find(({ hooks }) => hooks.wanted > 0);
  const settings = main === undefined ? {} : settingsOf(main.file, main.text);
  const off = integration.hooksOff?.(settings) ?? null;
  const revoked = integration.revoked?.(settings) ?? null;
  return {
    files: files.map(({ file, hooks, mcp }) => ({
      path: file.path,
      isWhole: file.syntax === "own",
      hooks,
      mcp,
    })),
    hooks: total(files.map(({ hooks }) => hooks)),
    mcp: total(files.map(({ mcp }) => mcp)),
    plugin: integration.plugin?.(settings) ?? null,
    otherMemory: integration.otherMemory?.(settings) ?? null,
    mcpFault,
    revoked: revoked !== null && main ? { path: main.file.path, reason: revoked } : null,
    hooksOff: off && main ? { path: main.file.path, ...off } : null,
  };
}

// The MCP server is in the same file: writing it renews the switches too.
function stillRevoked({ agent }: HostAt, { path, reason }: { path: string; reason: string }): MemError {
  return new MemError("conflict", {
    message: `${homePath(path)} ${reason}, so mem leaves the file as it is.`,
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
  /** Registered as another version does, or in a file that the host used before. */
  outdated: boolean;
  /** The plugin that brings the server, whatever the file says. */
  plugin: string | null;
}

/** Throws `host_settings_unreadable`. */
export function mcpStateOf(host: HostAt): McpState {
  const { files, mcp, plugin, mcpFault } = stateOf(host);
  if (plugin === null && mcpFault !== null) throw mcpFault;
  const found = files.find((one) => countOf(one.mcp) > 0) ?? files.find((one) => one.mcp.wanted > 0);
  const enabled = plugin !== null || countOf(mcp) > 0;
  return { host: host.agent.host.name, file: found?.path ?? "", enabled, outdated: mcp.other > 0, plugin };
}

function isRegistered(state: HostState | undefined): boolean {
  return state !== undefined && countOf(state.hooks) + countOf(state.mcp) > 0;
}
