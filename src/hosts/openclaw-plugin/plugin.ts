// The OpenClaw plugin: sends the gateway's sessions to the worker, and brings its context into their system prompts.
// It runs in the gateway's process, so a handler never throws and never waits past a deadline.
import { type Clock, systemClock } from "../../core/clock.ts";
import { failOpen, failOpenSync, reportFailOpenTo } from "../../core/errors.ts";
import { version } from "../../core/version.ts";
import { isJsonObject, type JsonObject } from "../../text/json.ts";
import { objectField, textField } from "../../text/json-fields.ts";
import { failureOf } from "../hook/connection.ts";
import { deadlineMs } from "../hook/deadlines.ts";
import { hookDataDir } from "../hook/hook-call.ts";
import { createHookProcess } from "../in-process/hook-process.ts";
import { createOutbox, type Outbox } from "../in-process/outbox.ts";
import { createWorkerLink, type WorkerLink } from "../in-process/worker-link.ts";
import { sendToChannel } from "./channel.ts";
import { type ContextSource, createContextSource } from "./context-source.ts";
import { type About, initBody, observation, origin, summarizeBody } from "./event-bodies.ts";
import { createFeed, type Feed } from "./feed.ts";
import type { Gateway } from "./gateway.ts";
import { type PluginSettings, readPluginSettings } from "./plugin-settings.ts";
import { createSessions, runOf, type Sessions } from "./sessions.ts";
import { feedText, type PluginState, statusText } from "./status-text.ts";

/** What tests replace. */
export interface PluginDeps {
  environment: NodeJS.ProcessEnv;
  clock: Clock;
  after(ms: number, run: () => void): () => void;
}

/** The name in `/api/hooks/`. */
const openclaw = "openclaw";
const id = "mem";

export default {
  id,
  name: "mem",
  description: "Remembers what agents do, and gives them the context of earlier sessions.",
  register(gateway: Gateway): void {
    failOpenSync("register the plugin", () => registerPlugin(gateway, partsFor(gateway)));
  },
};

// A gateway loads several copies of the plugin, and calls handlers, commands and services of different ones: they share
// their state while version and settings are the same.
const sharedName = Symbol.for("agent-mem.openclaw");

interface Shared {
  key: string;
  parts: PluginParts;
}

function partsFor(gateway: Gateway): PluginParts {
  const key = JSON.stringify([version(), readPluginSettings(gateway.pluginConfig)]);
  const holder = globalThis as { [sharedName]?: Shared };
  const shared = holder[sharedName];
  if (shared?.key !== key) {
    const parts = createParts(gateway);
    holder[sharedName] = { key, parts };
    return parts;
  }
  if (gateway.registrationMode === "full") shared.parts.gateway = gateway;
  return shared.parts;
}

/** What the handlers share. Starts nothing. */
export function createParts(gateway: Gateway, given: Partial<PluginDeps> = {}): PluginParts {
  const { environment = process.env, clock = systemClock, after = afterMs } = given;
  const settings = readPluginSettings(gateway.pluginConfig);
  const log = (level: "warn" | "debug", message: string) =>
    parts.gateway.logger?.[level]?.(`mem: ${message}`);
  const warn = (message: string) => log("warn", message);
  reportFailOpenTo((what, cause) => log("debug", `could not ${what}: ${String(cause)}`));
  const dataDir = hookDataDir({
    ...environment,
    ...(settings.dataDir && { MEM_DATA_DIR: settings.dataDir }),
  });
  const link = createWorkerLink({ host: openclaw, dataDir, port: settings.workerPort, clock });
  const runHook = createHookProcess({ host: openclaw, dataDir, environment });
  const send = (text: string) => sendToChannel(parts.gateway, settings.feed, text);
  const parts: PluginParts = {
    gateway,
    settings,
    link,
    outbox: createOutbox({ host: openclaw, link, dataDir, runHook, environment, clock, warn }),
    sessions: createSessions(openclaw, clock),
    contexts: createContextSource({ link, environment, clock }),
    feed: createFeed({ link, send, after, warn }),
    seen: { conversation: false },
  };
  return parts;
}

/** Registers handlers, commands and the feed. */
export function registerPlugin(gateway: Gateway, parts: PluginParts): void {
  // Asking for the runtime would throw there.
  if (withoutRuntime.has(gateway.registrationMode ?? "")) return;
  for (const [event, handler] of Object.entries(handlersOf(parts))) {
    if (!isGone(event, gateway)) gateway.on(event, guarded(event, handler));
  }
  failOpenSync("register for tool results", () => registerResults(gateway, parts));
  registerCommands(gateway, parts);
  registerFeed(gateway, parts);
}

const withoutRuntime: ReadonlySet<string> = new Set(["cli-metadata", "setup-only"]);

function afterMs(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms).unref();
  return () => clearTimeout(timer);
}

interface PluginParts {
  /** The last registration of a running gateway. */
  gateway: Gateway;
  settings: PluginSettings;
  link: WorkerLink;
  outbox: Outbox;
  sessions: Sessions;
  contexts: ContextSource;
  feed: Feed;
  /** Events that prove that the gateway lets us see conversations: older versions always do. */
  seen: { conversation: boolean };
}

interface Occurrence {
  event: JsonObject;
  context: JsonObject;
}

type PluginHandler = (occurrence: Occurrence) => unknown;

function guarded(name: string, handler: PluginHandler) {
  return (event: unknown, context: unknown): unknown => {
    const occurrence = { event: objectOf(event), context: objectOf(context) };
    const result = failOpenSync(`handle ${name}`, () => handler(occurrence));
    return result instanceof Promise ? failOpen(`handle ${name}`, () => result) : result;
  };
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

// Later versions warn about an event that they no longer have.
function isGone(event: string, { runtime }: Gateway): boolean {
  const [, year = "", month = ""] = /^(\d{4})\.(\d{1,2})\./.exec(runtime?.version ?? "") ?? [];
  return event === "before_agent_start" && Number(year) * 100 + Number(month) >= 202_608;
}

function handlersOf(parts: PluginParts): Record<string, PluginHandler> {
  const { outbox, sessions, feed, settings } = parts;
  const about = ({ event, context }: Occurrence): About => ({
    session: sessions.of(event, context),
    settings,
  });
  const end = ({ event, context }: Occurrence) => {
    const session = sessions.end(event, context);
    if (session === null) return;
    const reason = textField(event, "reason") || "other";
    outbox.send("complete", () => ({ ...origin({ session, settings }), reason }));
  };
  return {
    gateway_start({ context }) {
      sessions.clear(textField(context, "workspaceDir") || null);
      outbox.wake();
    },
    before_agent_start: (occurrence) => announceRun(parts, about(occurrence), occurrence),
    before_prompt_build(occurrence) {
      const where = about(occurrence);
      announceRun(parts, where, occurrence);
      return contextFor(parts, where, occurrence);
    },
    before_tool_call: ({ event, context }) => sessions.rememberTool(event, context),
    after_tool_call: ({ event, context }) => sessions.rememberTool(event, context),
    tool_result_persist(occurrence) {
      if (sessions.takeSentResult(callOf(occurrence))) return;
      const make = observation(about(occurrence), occurrence, sessions);
      if (make !== null) outbox.send("observations", make);
    },
    subagent_spawned({ event, context }) {
      sessions.spawned(textField(event, "childSessionKey"), textField(context, "requesterSessionKey"));
    },
    agent_end(occurrence) {
      const where = about(occurrence);
      parts.seen.conversation = true;
      if (where.session.parent !== null) return;
      if (!where.session.isSubagent) {
        const body = summarizeBody(where, occurrence);
        outbox.send("summarize", () => body);
      }
      outbox.send("complete", () => ({ ...origin(where), reason: "turn" }));
    },
    before_reset: end,
    session_end(occurrence) {
      // The session goes on with a shorter transcript.
      if (occurrence.event.reason === "compaction") return;
      end(occurrence);
      // At a shutdown the gateway waits for 2 s.
      return isShutdown(occurrence) ? outbox.settled() : undefined;
    },
    gateway_stop() {
      feed.stop();
      return outbox.settled();
    },
  };
}

function isShutdown({ event }: Occurrence): boolean {
  return event.reason === "shutdown" || event.reason === "restart";
}

// Once for each run, whichever event tells of it first.
function announceRun(
  { sessions, outbox, seen }: PluginParts,
  about: About,
  { event, context }: Occurrence,
): void {
  seen.conversation = true;
  const body = initBody(about, { event, context });
  if (body === null || !sessions.isNewRun(about.session, runOf(event, context))) return;
  outbox.send("init", () => body);
}

async function contextFor(
  { settings, contexts }: PluginParts,
  about: About,
  { context }: Occurrence,
): Promise<{ appendSystemContext: string } | undefined> {
  if (!settings.injects || settings.notInto.includes(textField(context, "agentId"))) return undefined;
  const text = await contexts.textFor(about);
  return text === "" ? undefined : { appendSystemContext: text };
}

function callOf({ event, context }: Occurrence): string {
  return textField(event, "toolCallId") || textField(context, "toolCallId");
}

// Earlier versions refuse it, or have none. The host writes a result down after it, as an event that is then no news.
function registerResults(gateway: Gateway, parts: PluginParts): void {
  if (!parts.settings.injects) return;
  const handler = guarded("agent_tool_result", (occurrence) => addToResult(parts, occurrence));
  gateway.registerAgentToolResultMiddleware?.(handler, { runtimes: ["openclaw"] });
}

async function addToResult(
  { outbox, sessions, settings }: PluginParts,
  { event, context }: Occurrence,
): Promise<{ result: JsonObject } | undefined> {
  const result = objectOf(event.result);
  if (settings.notInto.includes(textField(context, "agentId")) || !Array.isArray(result.content))
    return undefined;
  // The event that writes the result down is sent in the background: it finds out when a hung worker answers again.
  const { failed } = outbox.counts();
  if (callOf({ event, context }) === "" || failed === "timeout" || failed === "hung") return undefined;
  const occurrence = { event: { ...event, message: result }, context };
  const make = observation({ session: sessions.of(event, context), settings }, occurrence, sessions);
  if (make === null) return undefined;
  sessions.sentResult(callOf(occurrence));
  const text = await outbox.ask("observations", { ...make(), takes_context: true });
  return text === ""
    ? undefined
    : { result: { ...result, content: [...result.content, { type: "text", text }] } };
}

function registerCommands(gateway: Gateway, parts: PluginParts): void {
  const { settings, feed } = parts;
  gateway.registerCommand?.({
    name: "mem_status",
    description: "State of mem: worker, context, events, feed",
    acceptsArgs: true,
    handler: async () => ({
      text: (await failOpen("tell the status", () => status(parts))) ?? "mem: no status.",
    }),
  });
  gateway.registerCommand?.({
    name: "mem_feed",
    description: "Turn the observation feed on or off: /mem_feed [on|off]",
    acceptsArgs: true,
    handler: async ({ args = "" }) => {
      const word = args.trim().toLowerCase();
      if (word === "on" && settings.feed.channel !== "" && settings.feed.to !== "") feed.start();
      else if (word === "off") feed.stop();
      else if (word !== "" && word !== "on") return { text: "Usage: /mem_feed [on|off]" };
      return { text: `Feed: ${feedText(settings, feed.state())}` };
    },
  });
}

async function status(parts: PluginParts): Promise<string> {
  const { gateway, settings, link, sessions, outbox, feed, seen } = parts;
  const worker = await link.get("/api/health", deadlineMs("user-prompt-submit")).then(
    ({ body }): PluginState["worker"] => ({ health: body.toString("utf8") }),
    (cause: unknown): PluginState["worker"] => ({ failed: failureOf(cause) }),
  );
  const pluginId = gateway.id ?? id;
  return statusText({
    version: version(),
    worker,
    settings,
    isConversationAllowed: seen.conversation || isAllowed(gateway.config, pluginId),
    pluginId,
    sessions: sessions.count(),
    outbox: outbox.counts(),
    feed: feed.state(),
  });
}

function isAllowed(config: unknown, pluginId: string): boolean {
  const entry = ["plugins", "entries", pluginId, "hooks"].reduce(objectField, objectOf(config));
  return entry.allowConversationAccess === true;
}

function registerFeed(gateway: Gateway, { settings, feed }: PluginParts): void {
  const { enabled, channel, to } = settings.feed;
  gateway.registerService?.({
    id: "mem-feed",
    start() {
      if (!enabled) return;
      if (channel === "" || to === "")
        gateway.logger?.warn?.(`mem: feed ${feedText(settings, feed.state())}`);
      else feed.start();
    },
    stop: () => feed.stop(),
  });
}
