// `mem doctor`: checks everything that memory needs and names the next command where something is wrong.
import { setTimeout as delay } from "node:timers/promises";
import type { Command } from "commander";
import { failOpen, failOpenSync, MemError, toMemError } from "../../core/errors.ts";
import { version } from "../../core/version.ts";
import type { LoadedSettings } from "../../settings/load.ts";
import { definitionOf, type SettingKey, settingKeys } from "../../settings/table.ts";
import { padToWidth, terminalLine } from "../../text/terminal-text.ts";
import { type Check, type CheckState, fail } from "../checks/check.ts";
import { checkDisk } from "../checks/disk.ts";
import {
  checkCache,
  checkCrashes,
  checkDatabase,
  checkDataDirectory,
  checkRuntime,
  checkSettings,
  checkSpool,
} from "../checks/files.ts";
import { checkProvider, checkPython, checkQueue, checkSync, checkVectors } from "../checks/generation.ts";
import { lastHeard } from "../checks/heard.ts";
import { checkFolderFiles, checkHooks, checkMcp } from "../checks/hooks.ts";
import { lostProgram } from "../checks/lost-program.ts";
import { checkContextWords, checkMode } from "../checks/mode.ts";
import { checkRecords } from "../checks/records.ts";
import { checkEvents, checkPort, checkSocket, checkTvToken, checkWorker } from "../checks/running.ts";
import { checkSqlite } from "../checks/sqlite.ts";
import { addCommand, type JsonOptions, jsonOption } from "../command.ts";
import type { CliContext } from "../context.ts";
import { exitCode } from "../exit-codes.ts";
import { installerOf, mcpStatesOf } from "../host-settings.ts";
import type { Io } from "../io.ts";
import { printBeside, stepLines } from "../table.ts";
import { counted } from "../words.ts";
import { lookAtWorker, type WorkerState } from "../worker-state.ts";

/** Adds `mem doctor`; exits with 1 when a check fails. */
export function registerDoctor(program: Command, context: CliContext): void {
  addCommand(program, context, {
    name: "doctor",
    about: "Check what memory needs; exits with 1 when something is broken",
    options: [["--repair", "rebuild full text, files and vectors from the records"], jsonOption],
    examples: ["mem doctor", "mem doctor --repair # when the indexes differ from the records"],
    run: async ({ json, repair }: JsonOptions & { repair?: true }) => {
      if (repair === true) await repairRecords(context);
      const checks = await runChecks(context);
      if (json === true) context.io.json({ items: checks });
      else printChecks(context.io, checks);
      if (checks.some(({ state }) => state === "fail")) context.exitWith(exitCode.brokenCheck);
    },
  });
}

const pollMs = 200;

async function repairRecords({ io, worker }: CliContext): Promise<void> {
  const client = worker();
  let { waiting } = await client.repair();
  const all = waiting;
  let shown = 0;
  io.err(`Rebuilding the indexes of ${counted(all, "record")}. The worker continues if you leave.`);
  while (waiting > 0) {
    await delay(pollMs);
    ({ waiting } = await client.repairState());
    const done = Math.floor((10 * (all - waiting)) / Math.max(1, all));
    if (done > shown && waiting > 0) io.err(`${done * 10} %`);
    shown = Math.max(shown, done);
  }
  io.err("Done.");
}

async function runChecks(context: CliContext): Promise<Check[]> {
  const checks: (Check | null)[] = [checkRuntime(process.versions)];
  try {
    const paths = context.paths();
    checks.push(checkDataDirectory(paths), checkDisk(paths));
    const settings = context.settings("read");
    checks.push(...(await checksOf(context, settings)));
  } catch (thrown) {
    // The other checks need a data directory and readable settings.
    const error = toMemError(thrown);
    checks.push(fail(error.code === "settings_unreadable" ? "Settings" : "Data", error.message, error.hint));
  }
  return checks.filter((check) => check !== null);
}

async function checksOf(context: CliContext, settings: LoadedSettings): Promise<(Check | null)[]> {
  const { clock, environment: env } = context;
  const paths = context.paths();
  const nowEpochMs = clock.now();
  const looked = await stateOf(context);
  const state: WorkerState = looked instanceof MemError ? { is: "stopped" } : looked;
  const health = state.is === "answering" ? state.health : null;
  /** Asks a running worker; undefined when it is stopped or fails. */
  const ask = async <T>(what: string, request: () => Promise<T>): Promise<T | undefined> =>
    health === null ? undefined : failOpen(what, request);
  const unused = (await ask("ask for settings", () => unusedSettings(context, settings))) ?? [];
  const last = await ask("ask for the last comparison", () => context.worker().repairState());
  const files = await ask("ask for context files", () => context.worker().folderFiles());
  const mode = await checkMode(context);
  const token = checkTvToken(settings);
  const shown = [mode, token].flatMap((check) => (check === null ? [] : [check.message]));
  const elsewhere = [...settings.warnings, ...shown];
  const sqlite = await checkSqlite(paths, env);
  const checks = [
    sqlite.check,
    checkSettings(settings, unused),
    checkDatabase(paths),
    sqlite.loadsHere ? await checkRecords(paths, { last, nowEpochMs }) : null,
    ...(looked instanceof MemError
      ? [fail("Worker", looked.message, looked.hint)]
      : checkWorker(looked, version(), elsewhere)),
    ...(await checkHooks(context, await lastHeard(context, health))),
    checkMcp(mcpStates(context), lostProgram(context)),
    checkFolderFiles(settings.get("MEM_FOLDER_CONTEXT_ENABLED"), files?.files ?? []),
    await checkPort(state, settings),
    token,
    checkSocket(state, paths),
    checkSpool(paths, health !== null),
    checkCache(),
    checkCrashes(paths, nowEpochMs),
    ...(health === null
      ? []
      : [checkEvents(health, nowEpochMs), checkQueue(health), checkVectors(health), checkSync(health)]),
    checkPython(),
    checkProvider({ health, settings, env, nowEpochMs, unused }),
    mode,
    await checkContextWords(context),
  ];
  return sqlite.loadsHere ? checks : checks.map((check) => check && withoutRestart(check));
}

// No worker would start, and a restart would end one that still works.
function withoutRestart({ next, ...check }: Check): Check {
  return next === undefined || /mem worker (re)?start/.test(next) ? check : { ...check, next };
}

function mcpStates(context: CliContext): ReturnType<typeof mcpStatesOf> {
  const read = () => mcpStatesOf(installerOf(context).installed());
  return failOpenSync("look for the MCP server", read) ?? { states: [], failures: [] };
}

/** The settings that have changed since the worker started, by their names. */
async function unusedSettings({ worker }: CliContext, settings: LoadedSettings): Promise<SettingKey[]> {
  const inUse = await worker().settings();
  return settingKeys.filter((key) => {
    const used = inUse[key];
    const isFixed = definitionOf(key).effect === "restart" && key !== "MEM_DATA_DIR";
    return isFixed && typeof used === "string" && used !== settings.reveal(key);
  });
}

/** The state of the worker; its error when it answers with one. */
async function stateOf(context: CliContext): Promise<WorkerState | MemError> {
  try {
    return await lookAtWorker(context.dataDir());
  } catch (thrown) {
    return toMemError(thrown);
  }
}

function printChecks(io: Io, checks: readonly Check[]): void {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const indent = width + 8;
  for (const { name, state, message, next } of checks) {
    for (const [at, line] of message.split("\n").entries()) {
      const front = at === 0 ? `${mark(io, state)}  ${padToWidth(name, width)}  ` : " ".repeat(indent);
      printBeside(io, front, indent, terminalLine(line));
    }
    for (const [at, line] of stepLines(next ?? "", io.columns - indent - 3).entries())
      io.out(`${" ".repeat(indent)}${at === 0 ? io.paint.dim("->") : "  "} ${line}`);
  }
  const countOf = (wanted: CheckState) => checks.filter(({ state }) => state === wanted).length;
  io.err(`\n${verdict(countOf("fail"), countOf("warn"))}`);
}

function mark({ paint }: Io, state: CheckState): string {
  if (state === "ok") return paint.green("ok  ");
  return state === "warn" ? paint.yellow("warn") : paint.red("fail");
}

function verdict(failed: number, warned: number): string {
  if (failed > 0) return `${counted(failed, "failure")}. Follow the steps after the arrows.`;
  return warned > 0 ? `OK, ${counted(warned, "warning")}.` : "OK.";
}
