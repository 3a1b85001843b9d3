// `mem tv`: opens the read-only TV page to other devices, closes it, and prints its address.
import type { Command } from "commander";
import { MemError } from "../../core/errors.ts";
import { newSecret } from "../../core/ids.ts";
import type { LoadedSettings } from "../../settings/load.ts";
import { isLoopbackHost } from "../../settings/loopback-host.ts";
import type { SettingKey } from "../../settings/table.ts";
import { resetSetting, setSetting } from "../../settings/write.ts";
import { terminalLine } from "../../text/terminal-text.ts";
import { addCommand, type CommandPart, type JsonOptions, jsonOption } from "../command.ts";
import { canAsk, confirm } from "../confirm.ts";
import type { CliContext } from "../context.ts";
import { printWrapped } from "../table.ts";
import { isBindable, machineAddresses, qrLines, tvUrls } from "../tv-address.ts";
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
  const changes = changesFor(before, options.host);
  if (changes.length > 0) {
    await demandConsent(context, options, changes.find(([key]) => key === "MEM_WORKER_HOST")?.[1]);
    // The token is first: an interruption leaves no open address without one.
    for (const [key, value] of changes) setSetting(before.dataDir, key, value);
  }
  const settings = context.settings("read");
  demandEffect(settings, changes);
  if (changes.length > 0 || (await needsStart(context, settings))) await restart(context, settings);
  await showPage(context, settings, options);
}

type Change = readonly [key: "MEM_TV_TOKEN" | "MEM_WORKER_HOST", value: string];

function changesFor(settings: LoadedSettings, wanted: string | undefined): Change[] {
  const host = settings.get("MEM_WORKER_HOST");
  const next = wanted ?? (isLoopbackHost(host) ? "0.0.0.0" : host);
  if (isLoopbackHost(next) || !isBindable(next)) throw badHost(next);
  return [
    ...(settings.get("MEM_TV_TOKEN").isSet ? [] : [["MEM_TV_TOKEN", newSecret()] as const]),
    ...(next === host ? [] : [["MEM_WORKER_HOST", next] as const]),
  ];
}

function badHost(host: string): MemError {
  const own = machineAddresses("::").join(", ");
  return new MemError("usage", {
    message: isLoopbackHost(host)
      ? `Other devices cannot reach ${host}.`
      : `This machine has no address ${terminalLine(host).slice(0, 80)}.`,
    hint: own === "" ? "Connect it to a network first." : `Its addresses: ${own}. Leave out --host for all.`,
  });
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
  if (wasOn) {
    // The address is first: an interruption leaves no open address without a token.
    for (const key of ["MEM_WORKER_HOST", "MEM_TV_TOKEN"] as const) resetSetting(before.dataDir, key);
  }
  const settings = context.settings("read");
  for (const key of ["MEM_WORKER_HOST", "MEM_TV_TOKEN"] as const) {
    if (settings.source(key) === "environment") throw overruled(key);
  }
  const state = await lookAtWorker(context.dataDir());
  const isRunning = state.is !== "stopped";
  if (isRunning && (wasOn || (await needsStart(context, settings)))) await restart(context, settings);
  if (json === true) io.json({ enabled: false, changed: wasOn });
  else
    io.out(
      wasOn
        ? "The TV page is closed: only this machine reaches the worker."
        : "The TV page is closed already.",
    );
}

/** True when no worker runs with these settings. */
async function needsStart(context: CliContext, settings: LoadedSettings): Promise<boolean> {
  const state = await lookAtWorker(context.dataDir());
  if (state.is !== "answering") return true;
  const used = await context.worker().settings();
  return (["MEM_WORKER_HOST", "MEM_TV_TOKEN"] as const).some((key) => used[key] !== settings.reveal(key));
}

async function restart(context: CliContext, { dataDir }: LoadedSettings): Promise<void> {
  const { clock, environment } = context;
  const stop = () => stopWorker({ dataDir, clock, force: true });
  await whileSlow(context.io, "The worker is still stopping…", stop);
  await startWorker({ dataDir, environment, clock });
}

async function printUrl(context: CliContext, options: Filters): Promise<void> {
  const settings = context.settings("read");
  if (!settings.get("MEM_TV_TOKEN").isSet || isLoopbackHost(settings.get("MEM_WORKER_HOST"))) {
    throw new MemError("conflict", {
      message: "The TV page is open to this machine only.",
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
  const notes = [
    ...(first === undefined ? ["This machine is in no network."] : []),
    ...(isRunning ? [] : ["The worker is stopped. Start it: `mem worker start`."]),
    ...(isStale ? ["The worker runs with other settings: `mem worker restart`."] : []),
    `Every device with this address can read observations. ${plainHttp} Close it: \`mem tv disable\`.`,
  ];
  for (const note of notes) printWrapped(io, io.err, note);
}
