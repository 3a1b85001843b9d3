// `mem tv`: opens the read-only TV page to other devices, closes it, and prints its address.
import type { Command } from "commander";
import { workerUrl } from "../../client/worker-address.ts";
import { failOpen, MemError, toMemError } from "../../core/errors.ts";
import { newSecret } from "../../core/ids.ts";
import { hostNames } from "../../hosts/registry.ts";
import type { LoadedSettings } from "../../settings/load.ts";
import { isLoopbackHost } from "../../settings/loopback-host.ts";
import { changeSettingsFile, readSettingsFile } from "../../settings/settings-file.ts";
import type { SettingKey } from "../../settings/table.ts";
import { weakTokenNotice } from "../../settings/tv-token.ts";
import { resetSetting, setSetting } from "../../settings/write.ts";
import { nearestName } from "../../text/edit-distance.ts";
import { terminalLine } from "../../text/terminal-text.ts";
import { tryBind } from "../bind-trial.ts";
import { demandSqlite } from "../checks/sqlite.ts";
import { addCommand, type CommandPart, type JsonOptions, jsonOption } from "../command.ts";
import { canAsk, confirm } from "../confirm.ts";
import type { CliContext } from "../context.ts";
import { printWrapped } from "../table.ts";
import { qrLines, tvUrls } from "../tv-address.ts";
import { hostProblem, ownAddresses, unreachableHost } from "../worker-host.ts";
import { startWorker, stopWorker, whileSlow } from "../worker-process.ts";
import { lookAtWorker, silentWorker } from "../worker-state.ts";

interface Filters extends JsonOptions {
  project?: string;
  source?: string;
}

interface EnableOptions extends Filters {
  host?: string;
  yes?: true;
}

const filters: NonNullable<CommandPart["options"]> = [
  ["--project <name>", "show this project only"],
  ["--source <host>", "show this host agent only, such as claude-code"],
];

/** Adds `mem tv enable|disable|url`. */
export function registerTv(program: Command, context: CliContext): void {
  const tv = addCommand(program, context, {
    name: "tv",
    about: "Show observations on a wall display, a tablet or a phone in your network",
    examples: ["mem tv enable # open the page to other devices", "mem tv url --project shop # its address"],
  });
  addCommand(tv, context, {
    name: "enable",
    about: "Open the TV page to other devices, with a token, and restart the worker",
    options: [
      ["--host <address>", "address to bind (default: 0.0.0.0, every network of this machine)"],
      ...filters,
      ["--yes", "do not ask"],
      jsonOption,
    ],
    examples: [
      "mem tv enable # on every network of this machine",
      "mem tv enable --host 192.168.1.20 --yes # on one, unasked",
    ],
    run: (options: EnableOptions) => enable(context, options),
  });
  addCommand(tv, context, {
    name: "disable",
    about: "Close the TV page: remove the token, bind 127.0.0.1, restart the worker",
    options: [jsonOption],
    examples: ["mem tv disable", "mem tv disable && mem tv enable # with a new token"],
    run: (options: JsonOptions) => disable(context, options),
  });
  addCommand(tv, context, {
    name: "url",
    about: "Print the address of the TV page, with its token",
    options: [...filters, jsonOption],
    examples: ["mem tv url", "mem tv url --project shop --source claude-code # filtered"],
    run: (options: Filters) => printUrl(context, options),
  });
}

async function enable(context: CliContext, options: EnableOptions): Promise<void> {
  const before = context.settings("write");
  const changes = await changesFor(before, options.host);
  if (changes.length > 0) {
    await demandConsent(context, options, changes.find(([key]) => key === "MEM_WORKER_HOST")?.[1]);
    await orAsBefore(context, before, () => apply(context, before, changes));
  } else if (await needsStart(context, before)) await restart(context, before);
  await showPage(context, context.settings("read"), options);
}

async function apply(
  context: CliContext,
  { dataDir }: LoadedSettings,
  changes: readonly Change[],
): Promise<void> {
  // The token is first: an interruption leaves no open address without one.
  for (const [key, value] of changes) setSetting(dataDir, key, value);
  const settings = context.settings("read");
  demandEffect(settings, changes);
  await restart(context, settings);
}

/** Runs `change`. If it fails, restores settings.json and the worker, and throws the error with a sentence about both. */
async function orAsBefore(
  context: CliContext,
  { dataDir }: LoadedSettings,
  change: () => Promise<void>,
): Promise<void> {
  const stored = readSettingsFile(dataDir);
  const wasRunning = (await lookAtWorker(dataDir)).is !== "stopped";
  try {
    await change();
  } catch (thrown) {
    const { code, message, hint } = toMemError(thrown);
    // The address is first, as when the page is closed.
    for (const key of tvSettings) changeSettingsFile(dataDir, { [key]: stored?.[key] ?? null });
    const runs =
      wasRunning && (await failOpen("start the worker again", () => keepRunning(context, dataDir)));
    const after = runs === true ? "and the worker runs with them." : "but the worker is stopped.";
    const next = hint ?? (runs === true ? undefined : "Start the worker: `mem worker start`.");
    throw new MemError(code, {
      message: `The TV page was not opened. The settings are as before, ${after}\n${message}`,
      ...(next === undefined ? {} : { hint: next }),
      cause: thrown,
    });
  }
}

async function keepRunning(context: CliContext, dataDir: string): Promise<true> {
  if ((await lookAtWorker(dataDir)).is === "stopped") await start(context, dataDir);
  return true;
}

const tvSettings = ["MEM_WORKER_HOST", "MEM_TV_TOKEN"] as const;

type Change = readonly [key: (typeof tvSettings)[number], value: string];

async function changesFor(settings: LoadedSettings, wanted: string | undefined): Promise<Change[]> {
  const host = settings.get("MEM_WORKER_HOST");
  const next = wanted ?? (isLoopbackHost(host) ? "0.0.0.0" : host);
  await demandOpen(next);
  return [
    ...(settings.get("MEM_TV_TOKEN").isSet ? [] : [["MEM_TV_TOKEN", newSecret()] as const]),
    ...(next === host ? [] : [["MEM_WORKER_HOST", next] as const]),
  ];
}

// A name may stand for an address of another machine, or for loopback.
async function demandOpen(host: string): Promise<void> {
  const message = await unreachableHost(host);
  if (message === null) return;
  const own = ownAddresses();
  const hint = own === null ? "Connect it to a network first." : `${own} For all: --host 0.0.0.0`;
  throw new MemError("usage", { message, hint });
}

async function demandConsent(
  { io }: CliContext,
  options: EnableOptions,
  host: string | undefined,
): Promise<void> {
  if (options.yes === true) return;
  const where = host === undefined ? "" : `The worker will listen on ${host}. `;
  printWrapped(
    io,
    io.err,
    `${where}Other devices can then open the TV page with the token, and nothing else. They see observations, and the stream carries your prompts. ${plainHttp}`,
  );
  if (!canAsk() || options.json === true) {
    throw new MemError("usage", {
      message: "This opens the worker to your network, and there is no terminal to ask.",
      hint: "Run `mem tv enable --yes`.",
    });
  }
  await confirm("Open the TV page to other devices?", "Nothing was changed.");
}

const plainHttp = "The connection is plain HTTP: use it in a network that you trust.";

// The environment takes precedence over settings.json.
function demandEffect(settings: LoadedSettings, changes: readonly Change[]): void {
  for (const [key, value] of changes) {
    if (settings.reveal(key) !== value) throw overruled(key);
  }
}

function overruled(key: SettingKey): MemError {
  return new MemError("conflict", {
    message: `The environment sets ${key}, which takes precedence over settings.json.`,
    hint: `Run \`unset ${key}\`, then the command again.`,
  });
}

async function disable(context: CliContext, { json }: JsonOptions): Promise<void> {
  const { io } = context;
  const before = context.settings("write");
  const wasOn = before.get("MEM_TV_TOKEN").isSet || !isLoopbackHost(before.get("MEM_WORKER_HOST"));
  const couldStart = (await tryBind(before.get("MEM_WORKER_HOST"), 0)).is === "bound";
  if (wasOn) {
    // The address is first: an interruption leaves no open address without a token.
    for (const key of tvSettings) resetSetting(before.dataDir, key);
  }
  const settings = context.settings("read");
  for (const key of tvSettings) {
    if (settings.source(key) === "environment") throw overruled(key);
  }
  const state = await lookAtWorker(context.dataDir());
  // The address may be why it is stopped.
  const runs = state.is !== "stopped" || !couldStart;
  if (runs && (wasOn || (await needsStart(context, settings)))) await restart(context, settings);
  if (json === true) {
    io.json({ enabled: false, changed: wasOn, worker: runs ? "running" : "stopped" });
    return;
  }
  io.out(
    wasOn ? "The TV page is closed: only this machine reaches the worker." : "The TV page is closed already.",
  );
  if (!runs) printWrapped(io, io.err, stoppedSentence);
}

const stoppedSentence = "The worker is stopped. Start it: `mem worker start`.";

/** True when no worker runs with these settings. */
async function needsStart(context: CliContext, settings: LoadedSettings): Promise<boolean> {
  const state = await lookAtWorker(context.dataDir());
  if (state.is !== "answering") return true;
  const used = await context.worker().settings();
  return tvSettings.some((key) => used[key] !== settings.reveal(key));
}

async function restart(context: CliContext, { dataDir }: LoadedSettings): Promise<void> {
  await demandSqlite(context.environment);
  const stop = () => stopWorker({ dataDir, clock: context.clock, force: true });
  await whileSlow(context.io, "The worker is still stopping…", stop);
  await start(context, dataDir);
}

async function start({ clock, environment }: CliContext, dataDir: string): Promise<void> {
  await startWorker({ dataDir, environment, clock });
}

async function printUrl(context: CliContext, options: Filters): Promise<void> {
  const settings = context.settings("read");
  const problem = await hostProblem(settings);
  if (problem !== null) throw new MemError("port_unusable", { message: problem.message, hint: problem.next });
  if (!settings.get("MEM_TV_TOKEN").isSet || isLoopbackHost(settings.get("MEM_WORKER_HOST"))) {
    const state = await lookAtWorker(context.dataDir());
    const port = state.is === "answering" ? state.health.port : settings.get("MEM_WORKER_PORT");
    const page = `${workerUrl({ host: settings.get("MEM_WORKER_HOST"), port })}/tv`;
    throw new MemError("not_set_up", {
      message: `The TV page is open to this machine only${port === 0 ? "." : `: ${page}`}`,
      hint: "Open it to other devices: `mem tv enable`.",
    });
  }
  await showPage(context, settings, options);
}

async function showPage(context: CliContext, settings: LoadedSettings, options: Filters): Promise<void> {
  const { io } = context;
  const { project, source, json } = options;
  const state = await lookAtWorker(context.dataDir());
  if (state.is === "silent") throw silentWorker(state.pid);
  const isRunning = state.is === "answering";
  const port = isRunning ? state.health.port : settings.get("MEM_WORKER_PORT");
  const [host, token] = [settings.get("MEM_WORKER_HOST"), settings.reveal("MEM_TV_TOKEN")];
  const urls = tvUrls({ host, port, token, project, source });
  const isStale = isRunning && (await needsStart(context, settings));
  if (json === true) {
    const worker = isRunning ? (isStale ? "outdated" : "running") : "stopped";
    io.json({ items: urls.map((url) => ({ url })), enabled: true, host, port, worker });
    return;
  }
  for (const url of urls) io.out(url);
  const [first] = urls;
  const qr = first !== undefined && io.isTerminal && io.color ? await qrLines(first, io.columns) : null;
  for (const line of ["", ...(qr ?? [])]) if (qr !== null) io.out(line);
  const weak = weakTokenNotice(settings);
  const unknown = source === undefined ? null : unknownSource(source);
  const notes = [
    ...(first === undefined ? ["This machine is in no network."] : []),
    ...(isRunning ? [] : [stoppedSentence]),
    ...(unknown === null ? [] : [unknown]),
    ...(weak === null ? [] : [`${weak.message} Make another: \`${weak.next}\`.`]),
    ...(isStale ? ["The worker runs with other settings: `mem worker restart`."] : []),
    `Every device with this address can read observations. ${plainHttp} Close it: \`mem tv disable\`.`,
  ];
  for (const note of notes) printWrapped(io, io.err, note);
}

// Clients of the API name themselves, so another name may be right.
function unknownSource(source: string): string | null {
  if (hostNames.includes(source)) return null;
  const meant = nearestName(source, hostNames);
  const shown = terminalLine(source).slice(0, 60);
  return `No host agent is named ${shown}. Known: ${hostNames.join(", ")}.${meant === null ? "" : ` Did you mean ${meant}?`}`;
}
