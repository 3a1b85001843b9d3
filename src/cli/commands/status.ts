// `mem status`: the worker, its provider, its queue and what it remembers, in a few lines.
import type { Command } from "commander";
import { workerUrl } from "../../client/worker-address.ts";
import type { Health, Stats } from "../../client/worker-client.ts";
import { pauseReason } from "../../core/records/generation-pause.ts";
import { vectorsInWords } from "../../core/records/vector-status.ts";
import { terminalLine } from "../../text/terminal-text.ts";
import { printAligned } from "../aligned.ts";
import { spoolInWords } from "../checks/files.ts";
import type { CliContext } from "../context.ts";
import { withExamples } from "../examples.ts";
import { bytesInWords, counted, durationInWords, homePath, localDate, localTime } from "../words.ts";
import { lookAtWorker, silentWorker, type WorkerState } from "../worker-state.ts";

/** Adds `mem status`. */
export function registerStatus(program: Command, context: CliContext): void {
  const status = program
    .command("status")
    .summary("show the worker, its queue and what it remembers")
    .description(
      "show the worker, its queue and what it remembers; exit code 0 also when it is down, for that ask `mem worker status`",
    )
    .option("--json", "print JSON")
    .action((options: { json?: true }) => showStatus(context, options.json === true));
  withExamples(status, [
    ["mem status", ""],
    ["mem worker status || mem worker start", "in a script: 69 when it is down"],
  ]);
}

async function showStatus(context: CliContext, asJson: boolean): Promise<void> {
  const { io, clock } = context;
  const settings = context.settings("read");
  const state = await lookAtWorker(settings.dataDir);
  const health = state.is === "answering" ? state.health : null;
  const stats = health === null ? null : await context.worker().stats();
  const notices = health?.notices ?? [];
  const own = settings.warnings.filter((warning) => !notices.some((notice) => notice.includes(warning)));
  const warnings = [...own, ...notices];
  if (asJson) {
    io.json({ worker: stateAsJson(state), database: stats?.database ?? null, warnings });
    return;
  }
  // A worker that runs takes them up by itself.
  const waiting = health === null ? spoolInWords(context.paths()) : null;
  const url = health && workerUrl({ host: settings.get("MEM_WORKER_HOST"), port: health.port });
  printAligned(io, [
    ["Worker", stateInWords(state, url, health?.status === "degraded")],
    ...(health === null ? [] : [["Process", processInWords(health)] as const]),
    ["Provider", health === null ? settings.get("MEM_PROVIDER") : providerInWords(health, clock.now())],
    ...(health === null || health.budget === null ? [] : [["Budget", terminalLine(health.budget)] as const]),
    ...(health === null ? [] : [["Queue", queueInWords(health.queue)] as const]),
    ...(health?.vectors === undefined
      ? []
      : [["Vectors", terminalLine(vectorsInWords(health.vectors))] as const]),
    ...(waiting === null ? [] : [["Spool", waiting] as const]),
    ...(stats === null ? [] : [["Memory", memoryInWords(stats.database)] as const]),
    ["Data", dataInWords(settings.dataDir, stats)],
  ]);
  for (const warning of warnings) io.err(io.errPaint.yellow(terminalLine(warning)));
  if (health !== null && health.queue.dead > 0) {
    io.err(`${counted(health.queue.dead, "message")} given up: \`mem queue list --failed\` says why.`);
  }
  if (health !== null && health.budget === null && health.provider.active !== health.provider.name) {
    io.err(`\`mem doctor\` says what ${health.provider.name} lacks.`);
  }
  if (state.is === "silent") io.err(silentWorker(state.pid).hint ?? "");
  else if (health === null) io.err("Start it with `mem worker start`.");
}

function stateInWords(state: WorkerState, url: string | null, isDegraded: boolean): string {
  if (state.is === "silent") return `process ${state.pid} does not answer`;
  if (url === null) return "not running";
  return isDegraded ? `degraded, at ${url}` : `running at ${url}`;
}

/** The worker's health, or why there is none. */
export function stateAsJson(
  state: WorkerState,
): Health | { status: "stopped" } | { status: "silent"; pid: number } {
  if (state.is === "answering") return state.health;
  return state.is === "silent" ? { status: "silent", pid: state.pid } : { status: "stopped" };
}

/** `primary (claude-haiku-4-5), paused until 14:05: rate limited`, or `local writes; primary: access refused`. */
export function providerInWords({ provider, paused, budget }: ProviderHealth, nowEpochMs: number): string {
  const { name, active, model } = provider;
  const writer = model === null ? active : `${active} (${terminalLine(model)})`;
  const why = budget === null ? `${name} is not set up` : `the budget of ${name} is spent`;
  const words = name === active ? writer : `${writer}, because ${why}`;
  if (paused === null) return words;
  const reason = pauseReason(paused.kind, paused.mends);
  if (paused.localWrites === true && budget === null) return `local writes; ${writer}: ${reason}`;
  // Refused access is tried again by itself too, but it is the user who ends it.
  const until =
    paused.kind !== "auth" && paused.until !== null && paused.until > nowEpochMs
      ? ` until ${localTime(paused.until, nowEpochMs)}`
      : "";
  return `${words}, paused${until}: ${reason}`;
}

type ProviderHealth = Pick<Health, "provider" | "paused" | "budget">;

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
