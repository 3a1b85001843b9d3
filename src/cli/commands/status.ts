// `mem status`: the worker, its provider, its queue and the size of the memory.
import type { Command } from "commander";
import { workerUrl } from "../../client/worker-address.ts";
import type { Health, Stats } from "../../client/worker-client.ts";
import { failOpenSync, toMemError } from "../../core/errors.ts";
import { pauseReason } from "../../core/records/generation-pause.ts";
import { hooksInState } from "../../core/records/hooks-state.ts";
import type { UnreadEvents, UnreadReason } from "../../core/records/unread-event.ts";
import { vectorsInWords } from "../../core/records/vector-status.ts";
import { demandWritable } from "../../settings/data-dir.ts";
import { terminalLine } from "../../text/terminal-text.ts";
import { databaseBytes, spoolInWords } from "../checks/files.ts";
import { deadHooks } from "../checks/lost-program.ts";
import { addCommand, type JsonOptions, jsonOption } from "../command.ts";
import type { CliContext } from "../context.ts";
import { untilInWords } from "../queue-lines.ts";
import { syncInWords, syncRemedy } from "../sync-lines.ts";
import { printRecord, printWarnings } from "../table.ts";
import { ageInWords, bytesInWords, counted, durationInWords, homePath, localDate } from "../words.ts";
import { lookAtWorker, silentWorker, type WorkerState } from "../worker-state.ts";

/** Adds `mem status`. */
export function registerStatus(program: Command, context: CliContext): void {
  addCommand(program, context, {
    name: "status",
    summary: "Show the worker, its queue and the size of the memory",
    about:
      "Show the worker, its queue and the size of the memory. Exits with 0 when the worker is stopped too: use `mem worker status` to test for that.",
    options: [jsonOption],
    examples: ["mem status", "mem worker status || mem worker start # in a script: 69 when stopped"],
    run: ({ json }: JsonOptions) => showStatus(context, json === true),
  });
}

async function showStatus(context: CliContext, asJson: boolean): Promise<void> {
  const { io } = context;
  const settings = context.settings("read");
  const state = await lookAtWorker(settings.dataDir);
  const health = state.is === "answering" ? state.health : null;
  const stats = health === null ? null : await statsOf(context);
  const notices = health?.notices ?? [];
  const own = settings.warnings.filter((warning) => !notices.some((notice) => notice.includes(warning)));
  const dead = failOpenSync("look at the hooks", () => deadHooks(context)) ?? null;
  const warnings = [...own, ...notices, ...(dead === null ? [] : [dead])];
  if (asJson) {
    const { database = null, agent = null } = stats ?? {};
    io.json({ worker: stateAsJson(state), database, agent, warnings });
    return;
  }
  const url = health && workerUrl({ host: settings.get("MEM_WORKER_HOST"), port: health.port });
  // A running worker reads the spool by itself.
  const waiting = health === null ? spoolInWords(context.paths()) : null;
  const agent = agentInWords(stats?.agent);
  printRecord(io, [
    ["Worker", stateInWords(state, url, health?.status === "degraded")],
    ...(health === null
      ? [["Provider", settings.get("MEM_PROVIDER")] as const]
      : healthRows(health, context.clock.now())),
    ...(waiting === null ? [] : [["Spool", waiting] as const]),
    ...(stats === null ? [] : [["Memory", memoryInWords(stats.database)] as const]),
    ...(agent === null ? [] : [["Agent", agent] as const]),
    ["Data", dataInWords(settings.dataDir, stats)],
  ]);
  printWarnings(io, warnings);
  for (const step of nextSteps(state, settings.dataDir)) io.err(step);
}

// The size as `mem doctor` shows it: the worker counts pages, without the log beside them.
async function statsOf(context: CliContext): Promise<Stats> {
  const stats = await context.worker().stats();
  return { ...stats, database: { ...stats.database, size: databaseBytes(context.paths()) } };
}

function healthRows(health: Health, nowEpochMs: number): (readonly [string, string])[] {
  return [
    ["Process", processInWords(health)],
    ["Provider", providerInWords(health, nowEpochMs)],
    ...(health.budget === null ? [] : [["Budget", terminalLine(health.budget)] as const]),
    ["Queue", queueInWords(health.queue)],
    ...(health.vectors === undefined
      ? []
      : [["Vectors", terminalLine(vectorsInWords(health.vectors))] as const]),
    [
      "Sync",
      health.sync === undefined
        ? "off: `mem sync setup` shares the memory between devices"
        : syncInWords(health.sync),
    ],
    ...hostRows(health, nowEpochMs),
    ...unreadRows(health, nowEpochMs),
  ];
}

function hostRows({ hosts = [] }: Health, nowEpochMs: number): (readonly [string, string])[] {
  if (hosts.length === 0) return [["Hosts", "none found on this machine"]];
  // A worker of an earlier version names no title.
  const known = hosts.filter((one) => "title" in one);
  return known.map((one, at) => [at === 0 ? "Hosts" : "", terminalLine(hostInWords(one, nowEpochMs))]);
}

/** `Codex: hooks registered, last event 5 min ago`. */
function hostInWords({ title, hooks, last_event_at_epoch: at }: KnownHost, nowEpochMs: number): string {
  const event = at === null ? "no event yet" : `last event ${ageInWords(at, nowEpochMs)}`;
  return `${title}: ${hooksInState[hooks]}, ${event}`;
}

type KnownHost = NonNullable<Health["hosts"]>[number];

function unreadRows({ unreadEvents = [] }: Health, nowEpochMs: number): (readonly [string, string])[] {
  const line = unreadInWords(unreadEvents, nowEpochMs);
  return line === null ? [] : [["Events", line]];
}

/** `3 not read this week: 2 from cursor (unknown event), 1 from x (unknown host); newest stop, 5 min ago`, or null. */
export function unreadInWords(unread: readonly UnreadEvents[], nowEpochMs: number): string | null {
  const [newest] = unread;
  if (newest === undefined) return null;
  const all = unread.reduce((sum, { events }) => sum + events, 0);
  const shown = unread.slice(0, maxShown);
  const pairs = shown.map(({ host, reason, events }) => `${events} from ${host} (${unreadReason[reason]})`);
  const more = unread.length > maxShown ? ", and others" : "";
  const age = ageInWords(newest.last_at_epoch, nowEpochMs);
  return terminalLine(
    `${all} not read this week: ${pairs.join(", ")}${more}; newest ${newest.last_event}, ${age}`,
  );
}

const maxShown = 4;

const unreadReason: Record<UnreadReason, string> = {
  unknown_host: "unknown host",
  not_an_object: "not a JSON object",
  no_session: "no session id",
  missing_field: "a required field is missing",
  unknown_event: "unknown event",
};

function nextSteps(state: WorkerState, dataDir: string): string[] {
  if (state.is === "silent") return [silentWorker(state.pid).hint ?? ""];
  if (state.is !== "answering") return [stepToStart(dataDir)];
  const { queue, budget, provider, unreadEvents = [], sync, proposals = 0 } = state.health;
  const remedy = sync && syncRemedy(sync);
  return [
    ...(queue.dead === 0
      ? []
      : [`${counted(queue.dead, "message")} failed. See why: \`mem queue list --failed\`.`]),
    ...(unreadEvents.length === 0
      ? []
      : [
          "Events that cannot be read are not in the memory. Update mem, then run `mem repair`, which also clears the count.",
        ]),
    ...(proposals === 0
      ? []
      : [`${counted(proposals, "proposal waits", "proposals wait")}: \`mem rules --all\`.`]),
    ...(remedy === undefined ? [] : [`Sync: ${remedy}`]),
    ...(budget !== null || provider.active === provider.name
      ? []
      : [`${provider.name} is not set up. See what is missing: \`mem doctor\`.`]),
  ];
}

// No worker starts in a directory that it cannot write to.
function stepToStart(dataDir: string): string {
  try {
    demandWritable(dataDir);
    return "Start it: `mem worker start`.";
  } catch (thrown) {
    const { message, hint = "" } = toMemError(thrown);
    return `${message} ${hint}`;
  }
}

function stateInWords(state: WorkerState, url: string | null, isDegraded: boolean): string {
  if (state.is === "silent") return `process ${state.pid} does not answer`;
  if (url === null) return "stopped";
  return isDegraded ? `degraded, at ${url}` : `running at ${url}`;
}

/** The health of the worker, or its state without one. */
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
  const reason = pauseReason(paused.kind, paused.fix);
  if (paused.localWrites === true && budget === null) return `local writes; ${writer}: ${reason}`;
  return `${words}, paused${untilInWords(paused, nowEpochMs)}: ${reason}`;
}

type ProviderHealth = Pick<Health, "provider" | "paused" | "budget">;

/** `empty`, or `3 waiting, the oldest for 5 min; 1 failed`. */
export function queueInWords(queue: Health["queue"]): string {
  const age = queue.oldestPendingAgeMs;
  const waiting =
    queue.depth === 0
      ? "empty"
      : `${queue.depth} waiting${age === null ? "" : `, the oldest for ${durationInWords(age)}`}`;
  return queue.dead === 0 ? waiting : `${waiting}; ${queue.dead} failed`;
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

/** `kept 12 records in 9 of 31 turns of 30 days; in 6 turns a candidate was seen and nothing kept`, or null. */
export function agentInWords(agent: Stats["agent"]): string | null {
  if (agent === undefined || agent.turns === 0) return null;
  const { kept, keptTurns, turns, missedTurns } = agent;
  const missed = `in ${counted(missedTurns, "turn")} a candidate was seen and nothing kept`;
  return `kept ${counted(kept, "record")} in ${keptTurns} of ${counted(turns, "turn")} of 30 days; ${missed}`;
}

function dataInWords(dataDir: string, stats: Stats | null): string {
  const size = stats === null ? "" : `, database ${bytesInWords(stats.database.size)}`;
  return `${homePath(dataDir)}${size}`;
}
