// `mem worker`: start, stop, look at the daemon that remembers.
import { statSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { type Command, InvalidArgumentError } from "commander";
import { workerUrl } from "../../client/worker-address.ts";
import type { Health } from "../../client/worker-client.ts";
import { failOpenSync, MemError } from "../../core/errors.ts";
import { terminalLine } from "../../text/terminal-text.ts";
import type { CliContext } from "../context.ts";
import { withExamples } from "../examples.ts";
import { addedText, lastLines, renderLogLine } from "../log-lines.ts";
import { whileSlow } from "../while-slow.ts";
import { missingPackage, startWorker, stopWorker, workerBundle } from "../worker-process.ts";
import { lookAtWorker, silentWorker } from "../worker-state.ts";
import { stateAsJson, upInWords } from "./status.ts";

/** Adds `mem worker start|stop|restart|status|logs`. */
export function registerWorker(program: Command, context: CliContext): void {
  const worker = program.command("worker").description("start, stop and look at the worker");
  withExamples(worker, [
    ["mem worker start", "start it in the background"],
    ["mem worker logs -f", "watch what it does"],
  ]);
  registerStart(worker, context);
  registerStop(worker, context);
  registerStatus(worker, context);
  registerLogs(worker, context);
}

function registerStart(worker: Command, context: CliContext): void {
  const start = worker
    .command("start")
    .description("start the worker, unless it runs")
    .option("--foreground", "stay in the foreground until Ctrl-C")
    .option("--json", "print JSON")
    .action((options: { foreground?: true; json?: true }) =>
      options.foreground === true ? runForeground() : startInBackground(context, options.json === true),
    );
  withExamples(start, [
    ["mem worker start", "in the background"],
    ["MEM_PROVIDER=local mem worker start --foreground", "here, without a model"],
  ]);
}

// The worker takes this process over: one process gets the signals of the terminal, once.
async function runForeground(): Promise<void> {
  process.argv.push("--announce");
  try {
    await import(pathToFileURL(workerBundle()).href);
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
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
  const settings = context.settings("write");
  for (const warning of settings.warnings) io.err(io.errPaint.yellow(terminalLine(warning)));
  const { environment, clock } = context;
  const health = await startWorker({ dataDir: settings.dataDir, environment, clock });
  if (asJson) io.json({ started: true, ...health });
  else io.out(`The worker runs at ${urlOf(context, health)} (process ${health.pid}).`);
  for (const notice of health.notices) io.err(io.errPaint.yellow(terminalLine(notice)));
}

function registerStop(worker: Command, context: CliContext): void {
  const stop = worker
    .command("stop")
    .description("stop the worker; what it was working on is kept")
    .option("--json", "print JSON")
    .action(async (options: { json?: true }) => {
      const pid = await stopAndSay(context, { force: false, asJson: options.json === true });
      if (options.json === true) context.io.json({ stopped: pid !== null, pid });
    });
  withExamples(stop, [
    ["mem worker stop", ""],
    ["MEM_DATA_DIR=/tmp/try mem worker stop", "the one of another data directory"],
  ]);
  const restart = worker
    .command("restart")
    .description("stop the worker, by force when it hangs, and start it again, with its settings read anew")
    .option("--json", "print JSON")
    .action(async (options: { json?: true }) => {
      const asJson = options.json === true;
      await stopAndSay(context, { force: true, asJson });
      await startInBackground(context, asJson);
    });
  withExamples(restart, [
    ["mem worker restart", ""],
    ["mem settings set MEM_MODE chill && mem worker restart", "use a changed setting"],
  ]);
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
  else context.io.out(`The worker (process ${pid}) has stopped.`);
  if (pid !== null && process.platform === "win32") {
    context.io.err(
      "Windows has no polite signal: it was ended at once. Unfinished work is taken up at the next start.",
    );
  }
  return pid;
}

function registerStatus(worker: Command, context: CliContext): void {
  const status = worker
    .command("status")
    .description("say whether the worker runs, and where; exit code 69 when it does not")
    .option("--json", "print JSON")
    .action(async (options: { json?: true }) => {
      const { io } = context;
      const state = await lookAtWorker(context.dataDir());
      if (options.json === true) io.json(stateAsJson(state));
      if (state.is === "silent") throw silentWorker(state.pid);
      if (state.is !== "answering") throw new MemError("worker_unreachable");
      const { health } = state;
      if (options.json === true) return;
      io.out(
        `The worker runs at ${urlOf(context, health)} (process ${health.pid}, up ${upInWords(health)}).`,
      );
    });
  withExamples(status, [
    ["mem worker status", ""],
    ["mem worker status --json", "with queue and provider, for a program"],
  ]);
}

function registerLogs(worker: Command, context: CliContext): void {
  const logs = worker
    .command("logs")
    .description("print the end of the worker's log")
    .option("-f, --follow", "keep printing what is added, until Ctrl-C")
    .option("-n, --lines <count>", "lines to print", wholeNumber, 50)
    .option("--json", "print the lines as they are in the file")
    .action((options: LogOptions) => printLogs(context, options));
  withExamples(logs, [
    ["mem worker logs -n 200", "the last 200 lines"],
    ["mem worker logs -f", "watch it work"],
  ]);
}

interface LogOptions {
  follow?: true;
  lines: number;
  json?: true;
}

const followEveryMs = 200;

async function printLogs(context: CliContext, options: LogOptions): Promise<void> {
  const { io } = context;
  const file = context.paths().logFile;
  const print = (line: string) => io.out(options.json === true ? line : renderLogLine(line, io.paint));
  const tail = failOpenSync("read the log", () => lastLines(file, options.lines));
  if (tail === undefined && options.follow !== true) {
    throw new MemError("not_found", {
      message: `There is no log at ${file}.`,
      hint: "Start the worker: `mem worker start`.",
    });
  }
  for (const line of tail?.lines ?? []) print(line);
  if (options.follow !== true) return;
  if (tail === undefined) io.err(`There is no log at ${file} yet. Waiting for it; Ctrl-C ends that.`);
  let size = tail?.size ?? 0;
  let unfinished = "";
  while (!io.isClosed) {
    await delay(followEveryMs);
    if (statSync(file, { throwIfNoEntry: false })?.size === size) continue;
    const added = failOpenSync("read the log", () => addedText(file, size));
    if (added === undefined) continue;
    size = added.size;
    const lines = (unfinished + added.text).split("\n");
    unfinished = lines.pop() ?? "";
    for (const line of lines) print(line);
  }
}

function wholeNumber(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number from 0 to 999999.");
}

function urlOf(context: CliContext, health: Health): string {
  const host = context.settings("read").get("MEM_WORKER_HOST");
  return workerUrl({ host, port: health.port });
}
