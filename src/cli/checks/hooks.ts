// Checks of host agents: hooks, MCP server and context files.
import { existsSync } from "node:fs";
import type { FolderFilesAnswer, Health } from "../../client/worker-client.ts";
import { failOpen, toMemError } from "../../core/errors.ts";
import type { DataPaths } from "../../core/paths.ts";
import { launcherOf } from "../../hosts/hook-command.ts";
import { type HostAt, hostAt, traceOf } from "../../hosts/host-places.ts";
import type { HostState, McpState } from "../../hosts/installer.ts";
import type { HostAgent } from "../../hosts/integration.ts";
import { missingLaunchers } from "../../hosts/launcher-files.ts";
import { hostAgents } from "../../hosts/registry.ts";
import { isJsonObject } from "../../text/json.ts";
import type { CliContext } from "../context.ts";
import { installerOf, machineOf } from "../host-settings.ts";
import { ageInWords, counted, homePath } from "../words.ts";
import { type Check, fail, ok, warn } from "./check.ts";

/** When a host was last active. */
interface Heard {
  /** By its last session. */
  sessionAt: number | undefined;
  /** Since the worker started. */
  activity: HostActivity | undefined;
}

type HostActivity = NonNullable<Health["hosts"]>[number];

/** The last activity of each host; empty without a worker. */
export async function lastHeard(
  context: CliContext,
  health: Health | null,
): Promise<ReadonlyMap<string, Heard>> {
  const sessions = health === null ? new Map<string, number>() : await lastSessions(context);
  const hosts = health?.hosts ?? [];
  const names = new Set([...sessions.keys(), ...hosts.map(({ host }) => host)]);
  const heardOfName = (name: string): Heard => ({
    sessionAt: sessions.get(name),
    activity: hosts.find(({ host }) => host === name),
  });
  return new Map([...names].map((name) => [name, heardOfName(name)]));
}

async function lastSessions({ worker }: CliContext): Promise<Map<string, number>> {
  const page = await failOpen("ask for sessions", () => worker().sessions({ limit: 100 }));
  const times = (page?.items ?? []).map((one): [string, number] => [one.host, one.last_active_at_epoch]);
  return new Map(times.sort(([, left], [, right]) => left - right));
}

/** One check per host on this machine or ever heard, and one that names the others. */
export async function checkHooks(context: CliContext, heard: ReadonlyMap<string, Heard>): Promise<Check[]> {
  const checks: Check[] = [];
  const absent: HostAgent[] = [];
  for (const agent of hostAgents) {
    const check = await checkAgent(context, agent, heard.get(agent.host.name));
    if (check === null) absent.push(agent);
    else checks.push(check);
  }
  const titles = absent.map(({ integration }) => integration.title).join(", ");
  if (checks.length === 0) {
    const next = `mem install ${absent[0]?.host.name ?? ""}`;
    return [
      warn(
        "Host agents",
        `No host agent was found on this machine, so nothing is recorded: ${titles}.`,
        next,
      ),
    ];
  }
  return titles === "" ? checks : [...checks, ok("Other agents", `not on this machine: ${titles}`)];
}

// Null for a host that is not on this machine.
async function checkAgent(
  context: CliContext,
  agent: HostAgent,
  heard: Heard = { sessionAt: undefined, activity: undefined },
): Promise<Check | null> {
  try {
    const machine = machineOf(context);
    const host = hostAt(machine, agent);
    const state = installerOf(context).state(host);
    const { hooks, mcp, plugin } = state;
    const isInstalled = plugin !== null || hooks.exact + hooks.other + mcp.exact + mcp.other > 0;
    if (isInstalled)
      return await checkHost(host, state, { heard: heardOf(context, heard), paths: machine.paths });
    const heardAt = heard.activity?.last_event_at_epoch ?? heard.sessionAt;
    const isHere = heardAt !== undefined || traceOf(machine, agent, host.place) !== null;
    return isHere ? withoutHooks(host, heardAt, context.clock.now()) : null;
  } catch (thrown) {
    const { message, hint } = toMemError(thrown);
    return fail(agent.integration.title, message, hint);
  }
}

function heardOf({ clock }: CliContext, { sessionAt, activity }: Heard): string {
  const now = clock.now();
  const eventAt = activity?.last_event_at_epoch ?? sessionAt;
  if (eventAt === undefined) return "no event yet";
  const event = `last event ${ageInWords(eventAt, now)}`;
  const injectedAt = activity?.last_injection_at_epoch ?? null;
  return injectedAt === null ? event : `${event}, last context ${ageInWords(injectedAt, now)}`;
}

const recentMs = 7 * 86_400_000;

// Sessions before an uninstall look like sessions of a plugin that the settings do not name.
function withoutHooks({ agent }: HostAt, heardAt: number | undefined, nowEpochMs: number): Check {
  const isRecent = heardAt !== undefined && nowEpochMs - heardAt <= recentMs;
  const message = isRecent
    ? `No hooks are registered and no plugin is enabled. The last session was active ${ageInWords(heardAt, nowEpochMs)}.`
    : "No hooks are registered, so nothing is recorded.";
  return warn(agent.integration.title, message, `mem install ${agent.host.name}`);
}

async function checkHost(
  { agent, place }: HostAt,
  state: HostState,
  { heard, paths }: { heard: string; paths: DataPaths },
): Promise<Check> {
  const { integration, host } = agent;
  const name = integration.title;
  const { hooks, plugin, hooksOff: off } = state;
  if (off !== null) return fail(name, `${homePath(off.path)} ${off.reason}.`, off.next);
  const where = state.files.find((file) => file.hooks.wanted > 0)?.path ?? "";
  const present = hooks.exact + hooks.other;
  if (plugin !== null && present === 0) return ok(name, `hooks come from the plugin; ${heard}`);
  if (plugin !== null) {
    const twice = `The plugin ${plugin} and hooks in ${homePath(where)} are both active: every event and context comes twice.`;
    return warn(name, twice, `mem uninstall ${host.name}`);
  }
  const started = hooks.values.flatMap(launchersIn);
  // Without a command in the settings, a plugin inside the host starts them.
  const needed = started.length > 0 ? started : missingLaunchers(paths);
  const lost = needed.find((file) => !existsSync(file));
  if (lost !== undefined)
    return fail(name, `The hooks start ${homePath(lost)}, which is gone.`, "mem repair");
  const noun = integration.hooks.length === 0 ? "entry" : "hook";
  const all = counted(hooks.wanted, noun, noun === "hook" ? "hooks" : "entries");
  if (present < hooks.wanted) return warn(name, `${present} of ${all} are registered.`, "mem repair");
  if (hooks.other > 0) {
    return warn(name, `${hooks.other} of ${all} are from another version of mem.`, "mem repair");
  }
  const trust = await integration.trust?.(place);
  if (trust?.state === "untrusted") return fail(name, trust.message, trust.next);
  const trusted = trust === undefined ? "" : trust.state === "trusted" ? ", trusted" : `, ${trust.message}`;
  return ok(name, `${all} in ${homePath(where)}${trusted}; ${heard}`);
}

// The launchers in a handler of a hook, whatever its field is called.
function launchersIn(handler: unknown): string[] {
  const words = isJsonObject(handler) ? Object.values(handler) : [];
  return words.flatMap((word) => (typeof word === "string" ? (launcherOf(word) ?? []) : []));
}

/** Whether the installed hosts have the MCP server. */
export function checkMcp(states: readonly McpState[]): Check {
  const name = "MCP server";
  const missing = states.filter(({ enabled }) => !enabled).map(({ host }) => host);
  if (states.length === 0) return ok(name, "not registered: no host agent is installed");
  if (missing.length > 0)
    return ok(name, `not registered for ${missing.join(", ")}. Register it: \`mem mcp enable\``);
  const where = states.map(({ file, plugin }) =>
    plugin === null ? `registered in ${homePath(file)}` : `from the plugin ${plugin}`,
  );
  return ok(name, where.join(", "));
}

/** Context files that are left after they were turned off; null without any. */
export function checkFolderFiles(isOn: boolean, files: FolderFilesAnswer["files"]): Check | null {
  const there = files.filter(({ is }) => is === "there").length;
  if (isOn || there === 0) return null;
  const message = `Context files are turned off, but ${counted(there, "file")} still ${there === 1 ? "has" : "have"} the section of mem.`;
  return warn("Folders", message, "mem folders remove");
}
