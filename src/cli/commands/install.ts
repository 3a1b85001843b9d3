// `mem install`: registers the hooks and the MCP server with host agents, and checks that they work.
import type { Command } from "commander";
import type { Health } from "../../client/worker-client.ts";
import { failOpen, MemError, toMemError } from "../../core/errors.ts";
import { version } from "../../core/version.ts";
import type { HostAt } from "../../hosts/host-places.ts";
import type { HostPlan } from "../../hosts/installer.ts";
import { type Part, registered } from "../../hosts/registration.ts";
import { hostNames } from "../../hosts/registry.ts";
import type { Environment } from "../../settings/environment.ts";
import { eventAt, type Heard, lastHeard, writtenAt } from "../checks/heard.ts";
import { addCommand, type JsonOptions, jsonOption } from "../command.ts";
import { canAsk, confirm } from "../confirm.ts";
import type { CliContext } from "../context.ts";
import { exitCode } from "../exit-codes.ts";
import { type HookProbe, probeHooks } from "../hook-probe.ts";
import {
  failureOf,
  hostNamed,
  hostsOnMachine,
  installerOf,
  installsOf,
  noHostFound,
  throwFailures,
  writeHookFiles,
} from "../host-settings.ts";
import {
  changedFiles,
  hasMcp,
  hostAsJson,
  installedInWords,
  type Planned,
  planInWords,
  printedFiles,
} from "../install-lines.ts";
import type { Io } from "../io.ts";
import { printWrapped } from "../table.ts";
import { homePath } from "../words.ts";

interface InstallOptions extends JsonOptions {
  print?: true;
  force?: true;
  yes?: true;
  mcp: boolean;
}

/** Adds `mem install`. */
export function registerInstall(program: Command, context: CliContext): void {
  addCommand(program, context, {
    name: "install",
    about: "Register hooks and the MCP server with host agents, and check them",
    arguments: [["[host...]", `the agents: ${hostNames.join(", ")} (default: all on this machine)`]],
    options: [
      ["--yes", "do not ask"],
      ["--print", "show what would be registered, change nothing"],
      ["--force", "register the hooks although the plugin provides them"],
      ["--no-mcp", "do not register the MCP server for recall"],
      jsonOption,
    ],
    examples: [
      "mem install # every host agent on this machine",
      "mem install claude-code --print # preview the changes for one of them",
    ],
    run: (names: string[], options: InstallOptions) => install(context, names, options),
  });
}

async function install(context: CliContext, names: string[], options: InstallOptions): Promise<void> {
  const { planned, skipped, failures } = planAll(context, names, options);
  if (options.print === true) {
    showPlan(context, planned, options);
    failures.push(...planned.flatMap(refusals));
  } else if (planned.length > 0) {
    await demandConsent(context, planned, { names, options });
    failures.push(...(await installAll(context, planned, options)));
  } else if (skipped.length > 0 && options.json === true) {
    context.io.json({ items: [], printed: false, warnings: [] });
  }
  for (const line of skipped) (options.json === true ? context.io.err : context.io.out)(line);
  throwFailures(context, failures, options.json === true);
  if (planned.length + skipped.length === 0) throw noHostFound();
}

interface WorkerLook {
  health: Health | null;
  /** Why it cannot check hooks. */
  problem: string | null;
}

// Hooks are checked by a worker of this version: an earlier one would store the check.
async function lookAtWorker({ worker }: CliContext): Promise<WorkerLook> {
  try {
    const health = await worker().health();
    if (health.version === version()) return { health, problem: null };
    const problem = `The worker is ${health.version}, so the hooks were not checked. Run \`mem worker restart\`.`;
    return { health, problem };
  } catch (thrown) {
    const { message, hint = "See `mem doctor`." } = toMemError(thrown);
    const problem = `The hooks are registered, but the worker did not start: ${message} ${hint}`;
    return { health: null, problem };
  }
}

const notInstalled = " was not installed";

interface AllPlanned {
  planned: Planned[];
  /** Says which hosts get the hooks from the plugin. */
  skipped: string[];
  /** Of hosts that stay as they are. */
  failures: MemError[];
}

function planAll(context: CliContext, names: string[], options: InstallOptions): AllPlanned {
  const installer = installerOf(context);
  const hosts =
    names.length === 0
      ? hostsOnMachine(context)
      : [...new Set(names)].map((name) => hostNamed(context, name));
  const all: AllPlanned = { planned: [], skipped: [], failures: [] };
  for (const host of hosts) {
    try {
      const state = installer.state(host);
      const isOwn = state.plugin === null || options.force === true || options.print === true;
      if (!isOwn && names.length > 0) throw broughtByPlugin(host, state.plugin);
      if (isOwn) all.planned.push(planHost(context, { host, state }, options));
      else all.skipped.push(`${host.agent.integration.title}: hooks come from the plugin ${state.plugin}.`);
    } catch (thrown) {
      all.failures.push(failureOf(host, thrown, notInstalled));
    }
  }
  return all;
}

function planHost(
  context: CliContext,
  { host, state }: Pick<Planned, "host" | "state">,
  options: InstallOptions,
): Planned {
  const { integration } = host.agent;
  const isUnwanted = installsOf(context.paths()).mcpWish() === false;
  const parts = new Set<Part>(["hooks"]);
  const hasMcp = state.mcp.exact + state.mcp.other > 0;
  if (hasMcp || (options.mcp && !isUnwanted && state.plugin === null)) parts.add("mcp");
  const plan = installerOf(context).plan(host, parts);
  const off = state.hooksOff;
  const { otherMemory } = state;
  const warnings = [
    ...(otherMemory === null ? [] : [besideOther(host, otherMemory)]),
    ...(off === null ? [] : [`${homePath(off.path)} ${off.reason}. ${off.next}.`]),
    ...(options.mcp && isUnwanted && !hasMcp ? [unwantedRecall(host)] : []),
  ];
  return { host, state, plan, warnings: integration.files(host.place).length === 0 ? [] : warnings };
}

function besideOther({ agent }: HostAt, plugin: string): string {
  const { title } = agent.integration;
  return `The plugin ${plugin} is enabled too: both record, and both add context. Disable it in ${title}. Take over what it has: \`mem import claude-mem\`.`;
}

function unwantedRecall({ agent }: HostAt): string {
  return `Recall over MCP stays off, as set before. Turn it on: \`mem mcp enable ${agent.host.name}\`.`;
}

function broughtByPlugin({ agent }: HostAt, plugin: string | null): MemError {
  const { host, integration } = agent;
  return new MemError("conflict", {
    message: `The plugin ${plugin} is enabled and provides the same hooks, so every event would arrive twice. Nothing was changed.`,
    hint: `Keep the plugin and update it in ${integration.title}, or disable it there, then run \`mem install ${host.name}\`. \`--force\` registers the hooks anyway.`,
  });
}

function showPlan({ io }: CliContext, planned: readonly Planned[], { json }: InstallOptions): void {
  if (json === true) {
    io.json({ items: planned.map((one) => ({ ...hostAsJson(one), warnings: one.warnings })), printed: true });
    return;
  }
  for (const one of planned) for (const line of printedFiles(one)) io.out(line);
  warnAll(
    io,
    planned.flatMap(({ warnings }) => warnings),
  );
}

/** A host that was named needs no question, unless its entries allow more than hooks and tools. */
async function demandConsent(
  { io }: CliContext,
  planned: readonly Planned[],
  { names, options }: { names: readonly string[]; options: InstallOptions },
): Promise<void> {
  const changing = planned.filter(({ plan }) => changedFiles(plan).length > 0);
  const consents = changing.flatMap(({ host }) => host.agent.integration.consent ?? []);
  if (options.yes === true || changing.length === 0 || (names.length > 0 && consents.length === 0)) return;
  for (const line of [...changing.flatMap(planInWords), ...consents]) printWrapped(io, io.err, line);
  if (!canAsk() || options.json === true) {
    const words = ["mem install", ...names, "--yes"].join(" ");
    throw new MemError("usage", {
      message: "This changes the files above, and there is no terminal to ask.",
      hint: `Run \`${words}\`, or name the hosts. \`--print\` shows the changes.`,
    });
  }
  await confirm("Write these files?", "Nothing was changed.");
}

async function installAll(
  context: CliContext,
  planned: readonly Planned[],
  options: InstallOptions,
): Promise<MemError[]> {
  const { io, environment } = context;
  const installer = installerOf(context);
  const installs = installsOf(context.paths());
  // First: what the hooks start.
  await writeHookFiles(context, [...installer.installed(), ...planned.map(({ host }) => host)]);
  const done = planned.map((one) => {
    const { files, refused } = installer.apply(one.plan);
    return { ...one, plan: { files, refused: [...one.plan.refused, ...refused] } };
  });
  const failures = done.flatMap(refusals);
  const written = done.filter(({ plan }) => hasHooks(plan));
  if (written.length === 0) return failures;
  // From now on the configuration of the host decides.
  if (installs.mcpWish() !== null) installs.setMcpWish(null);
  const { problem, health } = await lookAtWorker(context);
  const heard = await lastHeard(context, health);
  const items = [];
  for (const one of written) {
    const probes = problem === null ? await probeHooks(one.host, environment) : [];
    const next = await stepsLeft(one, { heard: heard?.get(one.host.agent.host.name), environment });
    items.push({ one, probes, next, warnings: [...one.warnings, ...failedProbes(probes)] });
  }
  if (items.some(({ probes }) => failedProbes(probes).length > 0)) context.exitWith(exitCode.brokenCheck);
  const warnings = problem === null ? [] : [problem];
  if (options.json === true) {
    const shown = items.map(({ one, ...rest }) => ({ ...hostAsJson(one), ...rest }));
    io.json({ items: shown, printed: false, warnings });
  } else {
    for (const { one, probes, next } of items)
      for (const line of installedInWords(one, probes, next)) printWrapped(io, io.out, line);
    io.out("Check: `mem doctor`. Remove: `mem uninstall`.");
    if (await hasPast(context, written))
      io.out("Import the past: `mem import`. Hosts delete transcripts after about 30 days.");
    if (health?.sync === undefined) io.out("Share the memory with your other devices: `mem sync setup`.");
  }
  warnAll(io, [...items.flatMap((item) => item.warnings), ...warnings]);
  return failures;
}

/** The errors of files that stay as they are. */
function refusals({ host, plan }: Planned): MemError[] {
  return plan.refused.map((one) => failureOf(host, one, hasHooks(plan) ? "" : notInstalled));
}

/** Whether the hosts have transcripts of sessions, and nothing is remembered yet. */
async function hasPast({ worker }: CliContext, written: readonly Planned[]): Promise<boolean> {
  const { hasTranscripts } = await import("../../imports/find-transcripts.ts");
  if (!written.some(({ host }) => hasTranscripts(host))) return false;
  const stats = await failOpen("counting sessions for the offer of an import", () => worker().stats());
  return stats?.database.sessions === 0;
}

// After a change every step is left: what was done before was for other hooks.
async function stepsLeft(
  { host, plan }: Planned,
  { heard, environment }: { heard: Heard | undefined; environment: Environment },
): Promise<string[]> {
  const { next, trust } = host.agent.integration;
  const isChanged = changedFiles(plan).length > 0;
  const wroteAt = Math.max(...plan.files.map(({ file }) => writtenAt(file.path)));
  const hasRun = !isChanged && eventAt(heard) > wroteAt;
  const trusted = (await trust?.(host.place, environment))?.state === "trusted";
  const isDone = { event: hasRun, trust: trusted };
  return next
    .filter(({ until, part }) => (until === undefined || !isDone[until]) && (part !== "mcp" || hasMcp(plan)))
    .map(({ text }) => text);
}

function hasHooks({ files }: HostPlan): boolean {
  return files.some(({ file, after }) => registered(file, after, "hooks").exact > 0);
}

// Not wrapped: they name commands to copy.
function warnAll({ err, errPaint }: Io, warnings: readonly string[]): void {
  for (const warning of warnings) err(errPaint.yellow(warning));
}

function failedProbes(probes: readonly HookProbe[]): string[] {
  return probes.flatMap(({ event, problem }) =>
    problem === null ? [] : [`The hook of ${event} does not work: ${problem}. See \`mem doctor\`.`],
  );
}
