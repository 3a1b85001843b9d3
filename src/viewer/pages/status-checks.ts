// The state of each part of the worker in words, with the commands that fix it.
import { pauseReason } from "../../core/records/generation-pause.ts";
import { type HooksState, hooksInState } from "../../core/records/hooks-state.ts";
import type { UnreadReason } from "../../core/records/unread-event.ts";
import { vectorsInWords } from "../../core/records/vector-status.ts";
import { bytesInWords, counted, durationInWords } from "../../text/quantities.ts";
import type { Reads } from "../api.ts";
import { ageOf, fullTime } from "../clock.ts";

/** `ok` only for what the worker checked; `off` for what is not in use; `unknown` for what nothing has shown yet. */
export type CheckState = "ok" | "attention" | "problem" | "off" | "unknown";

export interface Check {
  name: string;
  state: CheckState;
  /** What is the case. Backticks mark commands. */
  words: string;
  /** Further sentences. */
  details: readonly string[];
  /** Commands that fix it or show more. */
  commands: readonly string[];
}

/** What the checks read. */
export interface StatusAnswers {
  health: Reads["/api/health"];
  stats: Reads["/api/stats"];
  repair: Reads["/api/maintenance/repair"];
  sync: Reads["/api/sync/status"];
  mcp: Reads["/api/mcp/status"];
  cost: Reads["/api/cost"];
}

type Health = StatusAnswers["health"];

export function checksOf(answers: StatusAnswers, now: number): Check[] {
  const { health } = answers;
  return [
    workerCheck(health),
    providerCheck(health, now),
    queueCheck(health),
    spendCheck(answers.cost),
    hostsCheck(health, now),
    vectorsCheck(health),
    storageCheck(answers, now),
    syncCheck(answers.sync, now),
    mcpCheck(answers.mcp),
  ];
}

/** True for a check that wants the user's attention. */
export function isBad({ state }: Check): boolean {
  return state === "problem" || state === "attention";
}

function check(name: string, state: CheckState, words: string, more: Partial<Check> = {}): Check {
  return { name, state, words, details: [], commands: [], ...more };
}

function workerCheck({ status, version, pid, port, uptime }: Health): Check {
  const words = `version ${version}, up ${durationInWords(Math.max(1, uptime) * 1000)}`;
  const details = [`Process ${pid} on port ${port}.`];
  if (status === "ok") return check("Worker", "ok", words, { details });
  return check("Worker", "problem", `degraded, ${words}`, { details, commands: ["mem doctor"] });
}

function providerCheck({ provider, paused, budget }: Health, now: number): Check {
  const { name, active, model } = provider;
  const writer = model === null ? active : `${active} (${model})`;
  if (budget !== null)
    return check("Provider", "attention", `${writer} writes: ${budget}`, { commands: ["mem cost"] });
  if (paused !== null) {
    const until = paused.until === null ? "" : ` for ${durationInWords(Math.max(0, paused.until - now))}`;
    const details = [paused.message, ...(paused.next === null ? [] : [paused.next])];
    const meanwhile = paused.localWrites === true ? "; local rules write meanwhile" : "";
    // The user did not choose it, so it is no fault of theirs.
    const state = paused.isFallback === true ? "off" : paused.until === null ? "problem" : "attention";
    const words = `${writer} is paused${until}: ${pauseReason(paused.kind, paused.fix)}${meanwhile}`;
    return check("Provider", state, words, { details, commands: state === "off" ? [] : ["mem doctor"] });
  }
  if (name !== active)
    return check("Provider", "attention", `${writer} writes, because ${name} is not set up`, {
      commands: ["mem doctor"],
    });
  return check(
    "Provider",
    "ok",
    active === "local" ? "local rules write, no model is asked" : `${writer} writes`,
  );
}

const stuckMs = 15 * 60_000;

function queueCheck({ queue }: Health): Check {
  const { depth, dead, oldestPendingAgeMs } = queue;
  const age = oldestPendingAgeMs ?? 0;
  const waiting = depth === 0 ? "empty" : `${depth} waiting, the oldest for ${durationInWords(age)}`;
  if (dead > 0)
    return check("Queue", "problem", `${counted(dead, "message")} failed; ${waiting}`, {
      commands: ["mem queue list --failed", "mem queue retry"],
    });
  if (age > stuckMs)
    return check("Queue", "attention", waiting, { commands: ["mem queue list", "mem doctor"] });
  return check("Queue", "ok", waiting);
}

function spendCheck({ total, budgets, notice, projection }: StatusAnswers["cost"]): Check {
  const cost = (usd: number | null) => (usd === null ? "price unknown" : `$${usd.toFixed(2)}`);
  const details = [
    ...budgets.map(
      ({ name, usedTokens, limitTokens }) =>
        `${name} budget: ${usedTokens.toLocaleString("en")} of ${limitTokens.toLocaleString("en")} tokens used.`,
    ),
    ...(projection === null || projection.byEnd.tokens === 0
      ? []
      : [
          `By the end of ${projection.month}: about ${projection.byEnd.tokens.toLocaleString("en")} tokens, ${cost(projection.byEnd.costUsd)}.`,
        ]),
  ];
  if (notice !== null) return check("Spend", "attention", notice, { details, commands: ["mem cost"] });
  if (total.calls === 0) return check("Spend", "ok", "no call to a model in 30 days", { details });
  const tokens = total.inputTokens + total.outputTokens;
  const failed = total.failedCalls === 0 ? "" : `, ${total.failedCalls} failed`;
  const words = `${counted(tokens, "token")} in ${counted(total.calls, "call")}${failed}, ${cost(total.costUsd)} in 30 days`;
  return check("Spend", "ok", words, { details, commands: ["mem cost"] });
}

const unreadWords: Readonly<Record<UnreadReason, string>> = {
  unknown_host: "the host is unknown",
  not_an_object: "not a JSON object",
  no_session: "no session id",
  missing_field: "a required field is missing",
  unknown_event: "the event is unknown",
};

function hostsCheck({ hosts = [], unreadEvents = [] }: Health, now: number): Check {
  const seen = hosts.map(({ title, hooks, last_event_at_epoch, last_injection_at_epoch }) => {
    const event =
      last_event_at_epoch === null ? "no event yet" : `last event ${since(last_event_at_epoch, now)}`;
    const injected =
      last_injection_at_epoch === null ? "" : `, last injection ${since(last_injection_at_epoch, now)}`;
    return `${title}: ${hooksInState[hooks]}, ${event}${injected}.`;
  });
  const unread = unreadEvents.map(
    ({ host, reason, events, last_event, last_at_epoch }) =>
      `${host}: ${counted(events, "event")} not read, ${unreadWords[reason]}; newest ${last_event}, ${since(last_at_epoch, now)}.`,
  );
  const details = [...seen, ...unread];
  if (unread.length > 0)
    return check("Hosts", "attention", "some events could not be read this week", {
      details,
      commands: ["mem doctor", "mem repair"],
    });
  const broken = hosts.filter(({ hooks }) => needsRepair.has(hooks));
  if (broken.length > 0)
    return check("Hosts", "attention", `look at ${titlesOf(broken)}`, {
      details,
      commands: ["mem doctor", "mem repair"],
    });
  const recorded = hosts.filter(({ hooks }) => hooks === "registered" || hooks === "plugin");
  const heard = hosts.filter(({ last_event_at_epoch }) => last_event_at_epoch !== null);
  if (recorded.length > 0)
    return check("Hosts", "ok", `mem is registered with ${titlesOf(recorded)}`, { details });
  if (heard.length > 0) return check("Hosts", "ok", `events came from ${titlesOf(heard)}`, { details });
  const words =
    hosts.length > 0 ? "mem is registered with no agent" : "no host agent was found on this machine";
  return check("Hosts", "unknown", words, { details, commands: ["mem install", "mem doctor"] });
}

const needsRepair: ReadonlySet<HooksState> = new Set(["outdated", "partial", "off", "unreadable"]);

function titlesOf(hosts: readonly { title: string }[]): string {
  return hosts.map(({ title }) => title).join(", ");
}

function since(epochMs: number, now: number): string {
  const age = ageOf(epochMs, now);
  return age === "now" ? "just now" : /\d (min|h|d)$/.test(age) ? `${age} ago` : age;
}

function vectorsCheck({ vectors }: Health): Check {
  const name = "Search by meaning";
  if (vectors === undefined) return check(name, "unknown", "this worker does not report it");
  const words = vectorsInWords(vectors).replace(/\.$/, "");
  const details = vectors.next === null ? [] : [vectors.next];
  switch (vectors.state) {
    case "off":
      return check(name, "off", `${words}.`, { details: [...details, "Keyword search works without it."] });
    case "failing":
      return check(name, "attention", words, { details, commands: ["mem doctor"] });
    case "ready":
    case "embedding":
    case "re-embedding":
      return check(name, "ok", words, { details });
    default:
      return vectors.state satisfies never;
  }
}

function storageCheck({ stats, repair, health }: StatusAnswers, now: number): Check {
  const { database } = stats;
  const words = `${bytesInWords(database.size)}, ${counted(database.observations, "observation")}, ${counted(database.summaries, "summary", "summaries")}, ${counted(database.prompts, "prompt")}, ${counted(database.sessions, "session")}`;
  const checked =
    repair.compared_at_epoch === null
      ? "The indexes were not compared with the records yet; the worker does it when it is idle."
      : `Indexes compared with the records ${since(repair.compared_at_epoch, now)} (${fullTime(repair.compared_at_epoch)}), ${counted(repair.repaired, "record")} repaired.`;
  const details = [`Database ${database.path}.`, checked];
  if (health.notices.some((notice) => notice.includes("events cannot be stored")))
    return check("Storage", "problem", `events cannot be stored; ${words}`, {
      details,
      commands: ["mem doctor"],
    });
  if (repair.waiting > 0)
    return check(
      "Storage",
      "attention",
      `${counted(repair.waiting, "record")} wait for their index; ${words}`,
      {
        details,
      },
    );
  return check("Storage", repair.compared_at_epoch === null ? "unknown" : "ok", words, { details });
}

function syncCheck(sync: StatusAnswers["sync"], now: number): Check {
  if (!sync.configured) {
    const commands = ["mem sync setup"];
    return check("Sync", "off", "not set up; records stay on this machine", { commands });
  }
  const { state, hub, pending, failed, lastError, lastFlushAt } = sync;
  const details = [
    `${counted(pending.total, "record")} to push, last push ${lastFlushAt === null ? "never" : ageOf(lastFlushAt, now)}.`,
    ...(lastError === null ? [] : [lastError]),
    ...(failed.length === 0 ? [] : [`${counted(failed.length, "record")} failed.`]),
  ];
  const commands = ["mem sync status"];
  if (state === "stopped") return check("Sync", "problem", "stopped", { details, commands });
  if (!hub.reachable) return check("Sync", "attention", "the hub does not answer", { details, commands });
  if (failed.length > 0)
    return check("Sync", "attention", "records failed", { details, commands: ["mem sync now"] });
  return check("Sync", state === "paused" ? "off" : "ok", state === "paused" ? "paused" : "on", { details });
}

function mcpCheck({ enabled }: StatusAnswers["mcp"]): Check {
  if (enabled) return check("Recall over MCP", "ok", "on for the installed hosts");
  return check("Recall over MCP", "off", "off", { commands: ["mem mcp enable"] });
}
