// The plugin for OpenCode and Kilo CLI: sends their sessions to the worker, and adds its context to prompts and tool results. It
// runs in the host's process, so a handler never throws and never waits past a deadline.
import { type Clock, systemClock } from "../../core/clock.ts";
import { failOpen } from "../../core/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../../text/json.ts";
import { numberField, objectField, textField } from "../../text/json-fields.ts";
import type { Outbox } from "../in-process/outbox.ts";
import { createPluginOutbox } from "../in-process/plugin-outbox.ts";
import { createSessions, type Sessions } from "./sessions.ts";

/** What OpenCode gives a plugin; only this is used. */
export interface PluginInput {
  directory: string;
  client?: { app?: { log?(entry: { body: JsonObject }): unknown } };
}

/** Handlers by the name of their hook. A handler changes `output` in place. */
export type Hooks = Record<string, (input: unknown, output?: unknown) => Promise<void>>;

/** What tests replace. */
interface PluginDeps {
  /** The name in `/api/hooks/`. */
  host: string;
  environment: NodeJS.ProcessEnv;
  clock: Clock;
}

/** The handlers of one OpenCode; none where mem itself runs it to write records. */
export function createPlugin(
  { directory, client }: PluginInput,
  { host = "opencode", environment = process.env, clock = systemClock }: Partial<PluginDeps> = {},
): { hooks: Hooks; settled(): Promise<void> } {
  const log = (level: string, message: string) => {
    client?.app?.log?.({ body: { service: "mem", level, message } });
  };
  const outbox = createPluginOutbox({ host, environment, clock, log });
  if (outbox === null) return { hooks: {}, settled: async () => undefined };
  outbox.wake();
  const handlers = handlersOf({ directory, outbox, sessions: createSessions() });
  const guarded = Object.entries(handlers).map(([name, handler]) => [
    name,
    async (input: unknown, output?: unknown) => {
      await failOpen(`handle ${name}`, () => handler(objectOf(input), objectOf(output)));
    },
  ]);
  return { hooks: Object.fromEntries(guarded), settled: outbox.settled };
}

interface Parts {
  directory: string;
  outbox: Outbox;
  sessions: Sessions;
}

type Handler = (input: JsonObject, output: JsonObject) => Promise<unknown> | undefined;

function handlersOf(parts: Parts): Record<string, Handler> {
  const { outbox, sessions } = parts;
  return {
    event: ({ event }) => onEvent(parts, objectOf(event)),
    "chat.message": (input, output) => onPrompt(parts, textField(input, "sessionID"), output),
    "tool.execute.after": (input, output) => onToolUse(parts, input, output),
    "experimental.text.complete"(input, output) {
      sessions.said(textField(input, "sessionID"), textField(output, "text"));
      return undefined;
    },
    "experimental.session.compacting": (input) => outbox.ask("pre-compact", originOf(parts, input)),
    dispose: () => outbox.settled(),
  };
}

async function onPrompt(parts: Parts, sessionID: string, output: JsonObject): Promise<void> {
  const { outbox, sessions } = parts;
  const messageID = textField(objectField(output, "message"), "id");
  const given: Json[] = Array.isArray(output.parts) ? output.parts : [];
  const texts = given.filter(isJsonObject).filter((part) => part.type === "text" && part.synthetic !== true);
  const files = given.filter(isJsonObject).filter((part) => part.type === "file");
  const last = texts.at(-1) ?? files.at(-1);
  const prompt = unquoted(texts.map((part) => textField(part, "text")).join("\n"));
  // A sub-agent's prompt was written by the agent that started it.
  if (last === undefined || (prompt === "" && files.length === 0) || sessions.parentOf(sessionID) !== null)
    return;
  if (sessions.isCopy(sessionID))
    await outbox.ask("session-start", { ...originOf(parts, { sessionID }), source: "fork" });
  sessions.asked(sessionID, messageID);
  const text = await outbox.ask("user-prompt-submit", { ...originOf(parts, { sessionID }), prompt });
  // OpenCode sorts the parts of a message by id: this one goes behind the user's.
  const id = `${textField(last, "id")}mem`;
  if (text !== "") given.push({ id, sessionID, messageID, type: "text", text, synthetic: true });
}

// `opencode run "fix it"` reports the quotation marks too.
function unquoted(prompt: string): string {
  return /^"[^"]*"$/.test(prompt) ? prompt.slice(1, -1) : prompt;
}

async function onToolUse(parts: Parts, input: JsonObject, output: JsonObject): Promise<void> {
  const context = await parts.outbox.ask("post-tool-use", {
    ...originOf(parts, input),
    tool_name: textField(input, "tool"),
    tool_use_id: textField(input, "callID"),
    tool_input: input.args ?? null,
    tool_response: resultOf(output),
  });
  if (context !== "" && typeof output.output === "string") output.output += `\n\n${context}`;
}

// Without attachments, and without metadata: it repeats the output for the screen. A tool of an MCP server has `content`.
function resultOf({ title, output, content, isError, metadata }: JsonObject): JsonObject {
  const { exit } = objectOf(metadata);
  const texts = Array.isArray(content)
    ? content.filter(isJsonObject).filter(({ type }) => type === "text")
    : [];
  return {
    ...(typeof title === "string" ? { title } : {}),
    output: output ?? texts.map((part) => textField(part, "text")).join("\n"),
    ...(typeof exit === "number" ? { exit } : {}),
    ...(isError === true ? { is_error: true } : {}),
  };
}

async function onEvent(parts: Parts, { type, properties }: JsonObject): Promise<void> {
  const { outbox, sessions } = parts;
  const about = objectOf(properties);
  const info = objectField(about, "info");
  const sessionID = textField(about, "sessionID") || textField(info, "id");
  const createdMs = numberField(objectField(info, "time"), "created") ?? Number.NaN;
  if (type === "session.created") sessions.opened(sessionID, textField(info, "parentID") || null, createdMs);
  if (type === "message.updated") sessions.has(sessionID, createdMs);
  // The session of a sub-agent is a part of the user's.
  const isOwn = sessions.parentOf(sessionID) === null;
  if (type === "session.idle" && isOwn) {
    const last_assistant_message = sessions.lastSaid(sessionID);
    await outbox.ask("stop", { ...originOf(parts, { sessionID }), last_assistant_message });
  }
  if (type === "session.deleted") {
    if (isOwn) await outbox.ask("session-end", { ...originOf(parts, { sessionID }), reason: "deleted" });
    sessions.closed(sessionID);
  }
}

// A sub-agent has a separate session: what it does belongs to the session that started it.
function originOf({ directory, sessions }: Parts, input: JsonObject): JsonObject {
  const sessionId = textField(input, "sessionID");
  const root = sessions.rootOf(sessionId);
  const prompt = sessions.promptOf(root);
  return {
    session_id: root,
    cwd: directory,
    ...(root === sessionId ? {} : { agent_id: sessionId }),
    ...(prompt === "" ? {} : { prompt_id: prompt }),
  };
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}
