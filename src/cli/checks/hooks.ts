// Checks of host agents: hooks, MCP server and context files.
import { existsSync } from "node:fs";
import type { FolderFilesAnswer } from "../../client/worker-client.ts";
import { type MemError, toMemError } from "../../core/errors.ts";
import { type HostAt, traceOf } from "../../hosts/host-places.ts";
import type { HostState, McpState } from "../../hosts/installer.ts";
import type { HostAgent } from "../../hosts/integration.ts";
import { hostAgents } from "../../hosts/registry.ts";
import type { CliContext } from "../context.ts";
import { hostNamed, installerOf, machineOf } from "../host-settings.ts";
import { hooksInWords } from "../install-lines.ts";
import { ageInWords, counted, homePath } from "../words.ts";
import { type Check, fail, ok, warn } from "./check.ts";
import { eventAt, type Heard, writtenAt } from "./heard.ts";
import { type LostProgram, launchersIn, lostInWords, lostProgram, missingLauncher } from "./lost-program.ts";

/** Undefined for a host that was never heard; null without a worker, which would know. */
type HeardOf = Heard | null | undefined;

/** The checks of every host that is found on this machine or was ever heard, and one that names the others. */
export async function checkHooks(
  context: CliContext,
  heard: ReadonlyMap<string, Heard> | null,
): Promise<Check[]> {
  const checks: Check[] = [];
  const absent: HostAgent[] = [];
  for (const agent of hostAgents) {
    const found = await checkAgent(context, agent, heard === null ? null : heard.get(agent.host.name));
    if (found.length === 0) absent.push(agent);
    checks.push(...found);
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
  return titles === "" ? checks : [...checks, ok("Other agents", `not found on this machine: ${titles}`)];
}

// One for each folder with mem, which the environment of this shell need not name, and one for the folder that it names.
async function checkAgent(context: CliContext, agent: HostAgent, heard: HeardOf): Promise<Check[]> {
  const { title } = agent.integration;
  try {
    const own = hostNamed(context, agent.host.name);
    const others = installerOf(context)
      .placesOf(agent.host.name)
      .filter(({ place }) => place.folder !== own.place.folder);
    const installed = await Promise.all(others.map((host) => checkInstalled(context, host, heard)));
    const found = installed.filter((check) => check !== null);
    const check = await checkInstalled(context, own, heard);
    if (check !== null) return [check, ...found];
    const heardAt = eventAt(heard);
    const isHere =
      found.length > 0
        ? existsSync(own.place.folder)
        : heardAt > 0 || traceOf(machineOf(context), agent, own.place) !== null;
    const where = found.length > 0 ? ` in ${homePath(own.place.folder)}` : "";
    return isHere ? [...found, withoutHooks(own, where, { heardAt, now: context.clock.now() })] : found;
  } catch (thrown) {
    const { message, hint } = toMemError(thrown);
    return [fail(title, message, hint)];
  }
}

// Null where mem is not installed.
async function checkInstalled(context: CliContext, host: HostAt, heard: HeardOf): Promise<Check | null> {
  try {
    const state = installerOf(context).state(host);
    const { hooks, mcp, plugin } = state;
    const isInstalled = plugin !== null || hooks.exact + hooks.other + mcp.exact + mcp.other > 0;
    return isInstalled ? await checkHost(context, { host, state, heard }) : null;
  } catch (thrown) {
    const { code, message, hint } = toMemError(thrown);
    const next = code === "host_settings_unreadable" ? "Fix the file" : hint;
    return fail(host.agent.integration.title, message, next);
  }
}

function heardOf({ clock }: CliContext, heard: HeardOf): string {
  if (heard === null) return "last event not known while the worker is stopped";
  const now = clock.now();
  const at = heard?.activity?.last_event_at_epoch ?? heard?.sessionAt;
  if (at === undefined) return "no event yet";
  const event = `last event ${ageInWords(at, now)}`;
  const injectedAt = heard?.activity?.last_injection_at_epoch ?? null;
  return injectedAt === null ? event : `${event}, last context ${ageInWords(injectedAt, now)}`;
}

const recentMs = 7 * 86_400_000;

// Sessions before an uninstall look like sessions of a plugin that the settings do not name.
function withoutHooks(
  { agent }: HostAt,
  where: string,
  { heardAt, now }: { heardAt: number; now: number },
): Check {
  const message =
    now - heardAt <= recentMs
      ? `No hooks are registered${where} and no plugin is enabled. The last session was active ${ageInWords(heardAt, now)}.`
      : `No hooks are registered${where}, so nothing is recorded.`;
  return warn(agent.integration.title, message, `mem install ${agent.host.name}`);
}

interface Installed {
  host: HostAt;
  state: HostState;
  heard: HeardOf;
}

async function checkHost(context: CliContext, { host, state, heard }: Installed): Promise<Check> {
  const { integration } = host.agent;
  const [name, install] = [integration.title, `mem install ${host.agent.host.name}`];
  const { hooks, plugin, hooksOff: off, revoked } = state;
  if (off !== null) return fail(name, `${homePath(off.path)} ${off.reason}.`, off.next);
  const main = state.files.find((file) => file.hooks.wanted > 0);
  const where = homePath(main?.path ?? "");
  const present = hooks.exact + hooks.other;
  if (plugin !== null && present === 0)
    return ok(name, `hooks come from the plugin; ${heardOf(context, heard)}`);
  if (plugin !== null) {
    const twice = `The plugin ${plugin} and hooks in ${where} are both active: every event and context comes twice.`;
    return warn(name, twice, `mem uninstall ${host.agent.host.name}`);
  }
  if (revoked !== null) return fail(name, `${homePath(revoked.path)} ${revoked.reason}.`, install);
  const started = launchersIn(hooks.values);
  const missing = missingLauncher(context, started);
  if (missing !== undefined)
    return fail(name, `The hooks start ${homePath(missing)}, which is gone.`, "mem repair");
  // A command that names the bundle itself starts nothing else.
  const lost = started.some((file) => !file.endsWith(".sh")) ? null : lostProgram(context);
  if (lost !== null) return lostCheck(name, "The hooks", lost);
  const all = hooksInWords(host, { count: hooks.wanted, isWhole: main?.isWhole === true });
  if (present < hooks.wanted)
    return warn(name, `${present} of ${all} are registered.`, present === 0 ? install : "mem repair");
  if (hooks.other > 0) {
    const some = main?.isWhole === true ? all : `${hooks.other} of ${all}`;
    return warn(name, `From another version of mem: ${some} in ${where}.`, "mem repair");
  }
  return checkTrust(context, { host, heard }, { all, file: main?.path ?? "" });
}

async function checkTrust(
  context: CliContext,
  { host, heard }: Pick<Installed, "host" | "heard">,
  { all, file }: { all: string; file: string },
): Promise<Check> {
  const { title, trust: ask } = host.agent.integration;
  const trust = await ask?.(host.place, context.environment);
  if (trust?.state === "untrusted") return fail(title, trust.message, trust.next);
  const words = `${all} in ${homePath(file)}`;
  const active = heardOf(context, heard);
  if (trust === undefined) return ok(title, `${words}; ${active}`);
  // An event since the hooks were written shows as much.
  const runs = trust.state === "trusted" || eventAt(heard) > writtenAt(file);
  if (runs) return ok(title, `${words}, trusted; ${active}`);
  if (heard === null && trust.state === "unknown")
    return warn(
      title,
      `${words}; trust and last event not known while the worker is stopped.`,
      "mem worker start",
    );
  return warn(title, `${words}; ${active}. ${trust.message}`, trust.next);
}

function lostCheck(name: string, subject: "The hooks" | "It", lost: LostProgram): Check {
  const message = `${subject} ${lostInWords(lost, subject === "It" ? "starts" : "start")}`;
  return (lost.instead === null ? fail : warn)(name, message, "mem repair");
}

/** Whether the hosts with mem have the MCP server, and whether it starts: `lost` is what it would start and is gone. */
export function checkMcp(
  { states, failures }: { states: readonly McpState[]; failures: readonly MemError[] },
  lost: LostProgram | null = null,
): Check {
  const name = "MCP server";
  const [failure] = failures;
  if (failure !== undefined) return fail(name, failure.message, "Fix the file");
  const missing = states.filter(({ enabled }) => !enabled).map(({ host }) => host);
  if (states.length === 0) return ok(name, "not registered: mem is not installed in any host agent");
  if (lost !== null && states.some(({ enabled, plugin }) => enabled && plugin === null))
    return lostCheck(name, "It", lost);
  const outdated = states.filter((state) => state.outdated).map(({ host }) => host);
  if (outdated.length > 0) {
    const message = `Registered by another version of mem, or where the host no longer looks: ${outdated.join(", ")}.`;
    return warn(name, message, "mem repair");
  }
  if (missing.length > 0)
    return ok(name, `not registered for ${missing.join(", ")}. Register it: \`mem mcp enable\``);
  const files = states.flatMap(({ file, plugin }) => (plugin === null ? [homePath(file)] : []));
  const plugins = states.flatMap(({ plugin }) => plugin ?? []).map((plugin) => `from the plugin ${plugin}`);
  return ok(
    name,
    [...(files.length === 0 ? [] : [`registered in ${files.join(", ")}`]), ...plugins].join("; "),
  );
}

/** Context files that are left after they were turned off; null without any. */
export function checkFolderFiles(isOn: boolean, files: FolderFilesAnswer["files"]): Check | null {
  const there = files.filter(({ is }) => is === "there").length;
  if (isOn || there === 0) return null;
  const message = `Context files are turned off, but ${counted(there, "file")} still ${there === 1 ? "has" : "have"} the section of mem.`;
  return warn("Folders", message, "mem folders remove");
}
