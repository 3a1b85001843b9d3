// `mem doctor`: looks at everything that memory needs and names the next command where something is wrong.
import type { Command } from "commander";
import { failOpen, failOpenSync, MemError, toMemError } from "../../core/errors.ts";
import { version } from "../../core/version.ts";
import type { McpState } from "../../hosts/mcp-switch.ts";
import type { LoadedSettings } from "../../settings/load.ts";
import { definitionOf, type SettingKey, settingKeys } from "../../settings/table.ts";
import { padToWidth, terminalLine, wrapToWidth } from "../../text/terminal-text.ts";
import { type Check, type CheckState, fail } from "../checks/check.ts";
import { checkDisk } from "../checks/disk.ts";
import {
  checkCache,
  checkCrashes,
  checkDatabase,
  checkDataDirectory,
  checkNode,
  checkSettings,
  checkSpool,
} from "../checks/files.ts";
import { checkProvider, checkQueue } from "../checks/generation.ts";
import { checkHooks, lastSessions } from "../checks/hooks.ts";
import { checkContextWords, checkMode } from "../checks/mode.ts";
import { checkFolderFiles, checkMcp } from "../checks/reach.ts";
import { checkRecords } from "../checks/records.ts";
import { checkPort, checkSocket, checkWorker } from "../checks/running.ts";
import { checkPython, checkVectors } from "../checks/vectors.ts";
import type { CliContext } from "../context.ts";
import { withExamples } from "../examples.ts";
import { mcpHosts, mcpSwitchOf } from "../host-settings.ts";
import type { Paint } from "../paint.ts";
import { repairRecords } from "../repair.ts";
import { stepLines } from "../step-lines.ts";
import { lookAtWorker, type WorkerState } from "../worker-state.ts";

/** Adds `mem doctor`; exit code 1 when a check fails. */
export function registerDoctor(program: Command, context: CliContext): void {
  const doctor = program
    .command("doctor")
    .description("check what memory needs; exit code 1: broken")
    .option("--repair", "make full text, files and vectors anew from the records")
    .option("--json", "print JSON")
    .action(async (options: { json?: true; repair?: true }) => {
      if (options.repair === true) await repairRecords(context);
      const checks = await runChecks(context);
      if (options.json === true) context.io.json({ checks });
      else printChecks(context, checks);
      if (checks.some(({ state }) => state === "fail")) context.exitWith(1);
    });
  withExamples(doctor, [
    ["mem doctor", ""],
    ["mem doctor --repair", "when the index does not agree with the records"],
  ]);
}

async function runChecks(context: CliContext): Promise<Check[]> {
  const checks: Check[] = [checkNode(process.versions.node)];
  try {
    const paths = context.paths();
    checks.push(checkDataDirectory(paths), checkDisk(paths));
    const settings = context.settings("read");
    const [looked, mode] = [await stateOf(context), await checkMode(context)];
    const unused =
      looked instanceof MemError || looked.is !== "answering" ? [] : await unusedSettings(context, settings);
    checks.push(checkSettings(settings, unused), checkDatabase(paths));
    const last =
      looked instanceof MemError || looked.is !== "answering"
        ? undefined
        : await failOpen("ask for the last comparison", () => context.worker().repairState());
    const records = await checkRecords(paths, { last, nowEpochMs: context.clock.now() });
    if (records !== null) checks.push(records);
    if (looked instanceof MemError) checks.push(fail("Worker", looked.message, looked.hint));
    else
      checks.push(
        ...checkWorker(looked, version(), [...settings.warnings, ...(mode === null ? [] : [mode.message])]),
      );
    const state: WorkerState = looked instanceof MemError ? { is: "stopped" } : looked;
    const answered = state.is === "answering" ? state.health : null;
    checks.push(...checkHooks(context, answered === null ? new Map() : await lastSessions(context)));
    checks.push(checkMcp(mcpStates(context)));
    const files =
      answered === null
        ? undefined
        : await failOpen("ask for context files", () => context.worker().folderFiles());
    const folders = checkFolderFiles(settings.get("MEM_FOLDER_CONTEXT_ENABLED"), files?.files ?? []);
    if (folders !== null) checks.push(folders);
    checks.push(await checkPort(state, settings), checkSocket(state, paths));
    checks.push(checkSpool(paths, answered !== null), checkCache());
    const crashes = checkCrashes(paths, context.clock.now());
    if (crashes !== null) checks.push(crashes);
    if (answered !== null) checks.push(checkQueue(answered), checkVectors(answered));
    checks.push(checkPython());
    const { environment: env, clock } = context;
    checks.push(checkProvider({ health: answered, settings, env, nowEpochMs: clock.now(), unused }));
    if (mode !== null) checks.push(mode);
    const words = await checkContextWords(context);
    if (words !== null) checks.push(words);
  } catch (thrown) {
    // Without a data directory or readable settings there is nothing further to look at.
    const error = toMemError(thrown);
    checks.push(fail(error.code === "settings_unreadable" ? "Settings" : "Data", error.message, error.hint));
  }
  return checks;
}

function mcpStates(context: CliContext): McpState[] {
  const paths = context.paths();
  const mcp = mcpSwitchOf(paths);
  const states = failOpenSync("look for the MCP server", () =>
    mcpHosts(context).map((host) => mcp.state(host)),
  );
  return states ?? [];
}

/** The settings that the worker took other values of when it started, by their names. */
async function unusedSettings(context: CliContext, settings: LoadedSettings): Promise<SettingKey[]> {
  const inUse = await failOpen("ask for settings", () => context.worker().settings());
  return settingKeys.filter((key) => {
    const used = inUse?.[key];
    const isFixed = definitionOf(key).effect === "restart" && key !== "MEM_DATA_DIR";
    return isFixed && typeof used === "string" && used !== settings.reveal(key);
  });
}

/** The worker's state; its error when it answers with one. */
async function stateOf(context: CliContext): Promise<WorkerState | MemError> {
  try {
    return await lookAtWorker(context.dataDir());
  } catch (thrown) {
    return toMemError(thrown);
  }
}

function printChecks(context: CliContext, checks: readonly Check[]): void {
  const { io } = context;
  const width = Math.max(...checks.map(({ name }) => name.length));
  const indent = " ".repeat(width + 8);
  for (const { name, state, message, next } of checks) {
    const [first = "", ...more] = wrapToWidth(terminalLine(message), io.columns - indent.length);
    io.out(`${mark(state, io.paint)}  ${padToWidth(name, width)}  ${first}`);
    for (const line of more) io.out(indent + line);
    if (next === undefined) continue;
    for (const [index, line] of stepLines(next, io.columns - indent.length - 3).entries())
      io.out(`${indent}${index === 0 ? io.paint.dim("->") : "  "} ${line}`);
  }
  const failed = checks.filter(({ state }) => state === "fail").length;
  const warned = checks.filter(({ state }) => state === "warn").length;
  io.err(verdict(failed, warned));
}

function mark(state: CheckState, paint: Paint): string {
  if (state === "ok") return paint.green("ok  ");
  return state === "warn" ? paint.yellow("warn") : paint.red("fail");
}

function verdict(failed: number, warned: number): string {
  if (failed > 0) return `\n${failed} broken. Follow the arrows.`;
  return warned > 0 ? `\nWorks, with ${warned} to look at.` : "\nAll is well.";
}
