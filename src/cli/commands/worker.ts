// `mem worker`: start, stop and inspect the background process that records.
import { statSync } from "node:fs";
import { createRequire } from "node:module";
import { setTimeout as delay } from "node:timers/promises";
import type { Command } from "commander";
import { workerUrl } from "../../client/worker-address.ts";
import type { Health } from "../../client/worker-client.ts";
import { codeOf, unlessMissing } from "../../core/error-code.ts";
import { failOpenSync, MemError } from "../../core/errors.ts";
import { demandSqlite } from "../checks/sqlite.ts";
import { addCommand, count, type JsonOptions, jsonOption } from "../command.ts";
import type { CliContext } from "../context.ts";
import { addedText, lastLines, renderLogLine } from "../log-lines.ts";
import { printWarnings } from "../table.ts";
import {
  demandLasting,
  missingPackage,
  startWorker,
  stopWorker,
  whileSlow,
  workerBundle,
} from "../worker-process.ts";
import { lookAtWorker, silentWorker } from "../worker-state.ts";
import { stateAsJson, upInWords } from "./status.ts";

/** Adds `mem worker start|stop|restart|status|logs`. */
export function registerWorker(program: Command, context: CliContext): void {
  const { io } = context;
  const worker = addCommand(program, context, {
    name: "worker",
    about: "Start, stop and inspect the worker",
    examples: ["mem worker start # start it in the background", "mem worker logs -f # follow its log"],
  });
  addCommand(worker, context, {
    name: "start",
    about: "Start the worker unless it runs",
    options: [["--foreground", "stay in the foreground until Ctrl-C"], jsonOption],
    examples: [
      "mem worker start # in the background",
      "MEM_PROVIDER=local mem worker start --foreground # here, without a model",
    ],
    run: ({ foreground, json }: JsonOptions & { foreground?: true }) =>
      foreground === true ? runForeground() : startInBackground(context, json === true),
  });
  addCommand(worker, context, {
    name: "stop",
    about: "Stop the worker; unfinished work is kept",
    options: [jsonOption],
    examples: ["mem worker stop", "MEM_DATA_DIR=/tmp/try mem worker stop # with another data directory"],
    run: async ({ json }: JsonOptions) => {
      const pid = await stopAndSay(context, { force: false, asJson: json === true });
      if (json === true) io.json({ stopped: pid !== null, pid });
    },
  });
  addCommand(worker, context, {
    name: "restart",
    about: "Restart the worker and reload its settings; kills it when it hangs",
    options: [jsonOption],
    examples: [
      "mem worker restart",
      "mem settings set MEM_MODE chill && mem worker restart # use a changed setting",
    ],
    run: async ({ json }: JsonOptions) => {
      const asJson = json === true;
      await demandSqlite(context.environment);
      await stopAndSay(context, { force: true, asJson });
      await startInBackground(context, asJson);
    },
  });
  addCommand(worker, context, {
    name: "status",
    about: "Show whether the worker runs; exits with 69 when it does not",
    options: [jsonOption],
    examples: ["mem worker status", "mem worker status --json # with queue and provider"],
    run: ({ json }: JsonOptions) => showStatus(context, json === true),
  });
  addCommand(worker, context, {
    name: "logs",
    about: "Print the end of the worker's log",
    options: [
      ["-f, --follow", "keep printing new lines until Ctrl-C"],
      ["-n, --lines <count>", "lines to print", count(0, 999_999), 50],
      ["--json", "print the lines of the file: one JSON object a line"],
    ],
    examples: ["mem worker logs -n 200 # the last 200 lines", "mem worker logs -f # follow it"],
    run: (options: LogOptions) =>
      options.follow === true
        ? followLogs(context, options)
        : context.paged(async () => void printTail(context, options)),
  });
}

// The worker runs in this process, so that it gets the signals of the terminal once.
async function runForeground(): Promise<void> {
  process.argv.push("--announce");
  try {
    createRequire(import.meta.url)(workerBundle());
  } catch (cause) {
    const code = codeOf(cause);
    throw /^(ERR_)?MODULE_NOT_FOUND$/.test(code) ? missingPackage(cause) : cause;
  }
}

async function startInBackground(context: CliContext, asJson: boolean): Promise<void> {
  const { io } = context;
  const state = await lookAtWorker(context.dataDir());
  if (state.is === "silent") throw silentWorker(state.pid);
  if (state.is === "answering") {
    const running = state.health;
    if (asJson) io.json({ started: false, ...running });
    else io.out(`The worker already runs at ${urlOf(context, running)} (process ${running.pid}).`);
    return;
  }
  demandLasting();
  const settings = context.settings("write");
  printWarnings(io, settings.warnings);
  const { environment, clock } = context;
  const health = await startWorker({ dataDir: settings.dataDir, environment, clock });
  if (asJson) io.json({ started: true, ...health });
  else io.out(`The worker runs at ${urlOf(context, health)} (process ${health.pid}).`);
  printWarnings(io, health.notices);
}

/** The pid of the worker that was stopped, or null when none ran. */
async function stopAndSay(
  context: CliContext,
  { force, asJson }: { force: boolean; asJson: boolean },
): Promise<number | null> {
  const request = { dataDir: context.dataDir(), clock: context.clock, force };
  const pid = await whileSlow(context.io, "The worker is still stopping…", () => stopWorker(request));
  if (asJson) return pid;
  if (pid === null) context.io.out("The worker is not running.");
  else context.io.out(`Stopped the worker (process ${pid}).`);
  if (pid !== null && process.platform === "win32") {
    context.io.err(
      "Windows cannot stop a process gently. The worker resumes unfinished work at the next start.",
    );
  }
  return pid;
}

async function showStatus(context: CliContext, asJson: boolean): Promise<void> {
  const { io } = context;
  const state = await lookAtWorker(context.dataDir());
  if (asJson) io.json(stateAsJson(state));
  if (state.is === "silent") throw silentWorker(state.pid);
  if (state.is !== "answering") throw new MemError("worker_unreachable");
  const { health } = state;
  if (asJson) return;
  io.out(`The worker runs at ${urlOf(context, health)} (process ${health.pid}, up ${upInWords(health)}).`);
}

interface LogOptions extends JsonOptions {
  follow?: true;
  lines: number;
}

const followEveryMs = 200;

/** Prints the end of the log; its size, or undefined when there is none. */
function printTail(context: CliContext, options: LogOptions): number | undefined {
  const file = context.paths().logFile;
  const tail = failOpenSync("read the log", () => lastLines(file, options.lines));
  if (tail === undefined && options.follow !== true) {
    throw new MemError("not_found", {
      message: `No log at ${file}.`,
      hint: "Start the worker: `mem worker start`.",
    });
  }
  for (const line of tail?.lines ?? []) printLogLine(context, options, line);
  return tail?.size;
}

function printLogLine({ io }: CliContext, { json }: LogOptions, line: string): void {
  io.out(json === true ? line : renderLogLine(line, io.paint));
}

async function followLogs(context: CliContext, options: LogOptions): Promise<void> {
  const { io } = context;
  const file = context.paths().logFile;
  const printed = printTail(context, options);
  if (printed === undefined) io.err(`No log at ${file} yet. Waiting for it; stop with Ctrl-C.`);
  let size = printed ?? 0;
  let unfinished = "";
  while (!io.isClosed) {
    await delay(followEveryMs);
    if (unlessMissing(() => statSync(file))?.size === size) continue;
    const added = failOpenSync("read the log", () => addedText(file, size));
    if (added === undefined) continue;
    size = added.size;
    const lines = (unfinished + added.text).split("\n");
    unfinished = lines.pop() ?? "";
    for (const line of lines) printLogLine(context, options, line);
  }
}

function urlOf(context: CliContext, health: Health): string {
  const host = context.settings("read").get("MEM_WORKER_HOST");
  return workerUrl({ host, port: health.port });
}
