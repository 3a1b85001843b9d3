// `mem status`: the worker, its provider, its queue and what it remembers, in a few lines.
import type { Command } from "commander";
import { workerUrl } from "../../client/worker-address.ts";
import type { Health, Stats } from "../../client/worker-client.ts";
import { terminalLine } from "../../domain/terminal-text.ts";
import { printAligned } from "../aligned.ts";
import { spoolInWords } from "../checks/files.ts";
import type { CliContext } from "../context.ts";
import { withExamples } from "../examples.ts";
import { bytesInWords, counted, durationInWords, homePath, localDate } from "../words.ts";
import { lookAtWorker, silentWorker, type WorkerState } from "../worker-state.ts";

/** Adds `mem status`. */
export function registerStatus(program: Command, context: CliContext): void {
  const status = program
    .command("status")
    .description("show the worker, its queue and what it remembers")
    .option("--json", "print JSON")
    .action((options: { json?: true }) => showStatus(context, options.json === true));
  withExamples(status, [
    ["mem status", ""],
    ["mem status --json | jq .database.observations", "how much is remembered"],
  ]);
}

async function showStatus(context: CliContext, asJson: boolean): Promise<void> {
  const { io } = context;
  const settings = context.settings("read");
  const state = await lookAtWorker(settings.dataDir);
  const health = state.is === "answering" ? state.health : null;
  const stats = health === null ? null : await context.worker().stats();
  const warnings = [...settings.warnings, ...(health?.notices ?? [])];
  if (asJson) {
    io.json({ worker: stateAsJson(state), database: stats?.database ?? null, warnings });
    return;
  }
  // A worker that runs takes them up by itself.
  const waiting = health === null ? spoolInWords(context.paths()) : null;
  const url = health && workerUrl({ host: settings.get("MEM_WORKER_HOST"), port: health.port });
  printAligned(io, [
    ["Worker", stateInWords(state, url)],
    ...(health === null ? [] : [["Process", processInWords(health)] as const]),
    ["Provider", health === null ? settings.get("MEM_PROVIDER") : providerInWords(health.provider)],
    ...(health === null ? [] : [["Queue", queueInWords(health.queue)] as const]),
    ...(waiting === null ? [] : [["Spool", waiting] as const]),
    ...(stats === null ? [] : [["Memory", memoryInWords(stats.database)] as const]),
    ["Data", dataInWords(settings.dataDir, stats)],
  ]);
  for (const warning of warnings) io.err(io.errPaint.yellow(terminalLine(warning)));
  if (state.is === "silent") io.err(silentWorker(state.pid).hint ?? "");
  else if (health === null) io.err("Start it with `mem worker start`.");
}

function stateInWords(state: WorkerState, url: string | null): string {
  if (state.is === "silent") return `process ${state.pid} does not answer`;
  return url === null ? "not running" : `running at ${url}`;
}

/** The worker's health, or why there is none. */
export function stateAsJson(
  state: WorkerState,
): Health | { status: "stopped" } | { status: "silent"; pid: number } {
  if (state.is === "answering") return state.health;
  return state.is === "silent" ? { status: "silent", pid: state.pid } : { status: "stopped" };
}

/** `local`, or what is set and what writes instead of it. */
export function providerInWords({ name, active }: Health["provider"]): string {
  return name === active ? active : `${active}, because ${name} is not set up`;
}

/** `empty`, or how many wait and for how long. */
export function queueInWords(queue: Health["queue"]): string {
  const age = queue.oldestPendingAgeMs;
  const waiting =
    queue.depth === 0
      ? "empty"
      : `${queue.depth} waiting${age === null ? "" : `, the oldest for ${durationInWords(age)}`}`;
  return queue.dead === 0 ? waiting : `${waiting}; ${queue.dead} given up`;
}

/** `4242, version 0.1.0, up 3 h 12 min`. */
export function processInWords(health: Health): string {
  return `${health.pid}, version ${health.version}, up ${upInWords(health)}`;
}

/** How long the worker has run, to the second. */
export function upInWords({ uptime }: Health): string {
  return durationInWords(Math.max(1, uptime) * 1000);
}

function memoryInWords(database: Stats["database"]): string {
  const since = database.firstObservationAt;
  const counts = [
    counted(database.observations, "observation"),
    counted(database.summaries, "summary", "summaries"),
    counted(database.prompts, "prompt"),
    counted(database.sessions, "session"),
  ].join(", ");
  return since === null ? counts : `${counts} since ${localDate(new Date(since))}`;
}

function dataInWords(dataDir: string, stats: Stats | null): string {
  const size = stats === null ? "" : `, database ${bytesInWords(stats.database.size)}`;
  return `${homePath(dataDir)}${size}`;
}
