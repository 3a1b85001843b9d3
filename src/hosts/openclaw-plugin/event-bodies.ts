// What the gateway's events become: the bodies that the worker takes.
import { shorten, shortenJson } from "../../core/shorten.ts";
import { cleanJson, cleanText } from "../../privacy/clean.ts";
import { stripPrivate } from "../../privacy/private-tags.ts";
import { isJsonObject, type Json, type JsonObject } from "../../text/json.ts";
import { numberField, objectField, parseObject, textField } from "../../text/json-fields.ts";
import { lastText, textIn } from "../in-process/message-text.ts";
import type { PluginSettings } from "./plugin-settings.ts";
import { rootOf, runOf, type Session, type Sessions } from "./sessions.ts";

/** Characters of a tool's response, and of its arguments as JSON, that are sent. */
const maxResponseChars = 1_000;
const maxInputChars = 65_536;

/** The prompt of a run; null for one that no user wrote. */
export function initBody(
  about: About,
  { event, context }: { event: JsonObject; context: JsonObject },
): JsonObject | null {
  if (about.session.isSubagent || machineTriggers.has(textField(context, "trigger"))) return null;
  const given = textField(event, "currentUserMessage") || event.prompt;
  if (typeof given !== "string") return null;
  const run = runOf(event, context);
  const prompt = userText(given);
  // The gateway announces the result of a sub-agent in a separate run, or as nothing but an internal block.
  if (run.startsWith("announce:") || (prompt === "" && given.includes(contextStart))) return null;
  return { ...origin(about), prompt, ...withRun(run) };
}

/**
 * Makes the body of a tool use, later: long texts are cleaned, while the tool's result is written now. Null for tools
 * that read memory, and for results that the gateway made up.
 */
export function observation(
  about: About,
  { event, context }: { event: JsonObject; context: JsonObject },
  sessions: Pick<Sessions, "takeTool">,
): (() => JsonObject) | null {
  const message = objectField(event, "message");
  const named = (field: string) =>
    textField(event, field) || textField(context, field) || textField(message, field);
  const toolCallId = named("toolCallId");
  const call = sessions.takeTool(toolCallId);
  const calledName = named("toolName");
  const { toolName, input } = targetOf(calledName, call?.input ?? objectField(event, "args"));
  if (toolName === "" || isOfGateway(toolName) || event.isSynthetic === true) return null;
  const fields = {
    ...origin(about),
    tool_name: toolName,
    tool_failed: message.isError === true || event.isError === true,
    ...(toolCallId === "" ? {} : { tool_use_id: toolCallId }),
    ...withRun(call?.runId || runOf(event, context)),
  };
  const answer = toolName === calledName ? message : answerOf(message);
  return () => ({ ...fields, tool_input: cutInput(input), tool_response: responseOf(answer) });
}

// What the catalog's tool puts around the answer of the called one.
function answerOf(message: JsonObject): JsonObject {
  const wrapped = objectField(parseObject(textIn(message.content)) ?? {}, "result");
  return Array.isArray(wrapped.content) ? wrapped : message;
}

// The gateway calls tools that it does not show to the model, such as MCP tools, through a tool of its catalog.
function targetOf(toolName: string, input: Json): { toolName: string; input: Json } {
  if (toolName !== "tool_call" || !isJsonObject(input)) return { toolName, input };
  const target = textField(input, "id", "name");
  if (target === "") return { toolName, input };
  return { toolName: target.replace(/^openclaw:core:/, ""), input: input.args ?? input };
}

/** The end of a turn, with the last message of the agent. */
export function summarizeBody(
  about: About,
  { event, context }: { event: JsonObject; context: JsonObject },
): JsonObject {
  return {
    ...origin(about),
    last_assistant_message: lastText(event, "assistant"),
    ...withRun(runOf(event, context)),
  };
}

/** What an event belongs to. */
export interface About {
  session: Session;
  settings: Pick<PluginSettings, "project">;
}

/** The session and its project. Without a setting it is that of the workspace, else the gateway's own. */
export function origin({ session, settings }: About): JsonObject {
  const project = settings.project ?? (session.cwd === null ? "openclaw" : null);
  return {
    claudeSessionId: rootOf(session).id,
    ...(session.cwd === null ? {} : { cwd: session.cwd }),
    ...(project === null ? {} : { project }),
    ...(session.isSubagent ? { subagentId: session.key } : {}),
  };
}

// `tool_search` and `tool_describe` read the gateway's own list of tools: they say nothing of the work.
function isOfGateway(toolName: string): boolean {
  return toolName.startsWith("memory_") || toolName === "tool_search" || toolName === "tool_describe";
}

// Turns that the gateway starts by itself, with its own prompt.
const machineTriggers: ReadonlySet<string> = new Set(["heartbeat", "memory"]);

function withRun(runId: string): JsonObject {
  return runId === "" ? {} : { runId };
}

function responseOf(message: JsonObject): JsonObject {
  const details = objectField(message, "details");
  const exitCode = numberField(details, "exitCode");
  const status = textField(details, "status");
  return {
    output: cutText(textIn(message.content)),
    ...(exitCode === null ? {} : { exitCode }),
    ...(status === "" ? {} : { status: shorten(status, 40) }),
  };
}

// Cleaned before it is cut: a cut could remove the opening of a private tag and keep its content.
function cutText(text: string): string {
  if (text.length <= maxResponseChars) return text;
  return shorten(cleanText(ends(stripPrivate(text))), maxResponseChars);
}

// A response of megabytes is not searched for secrets in parts that are left out anyway.
function ends(text: string): string {
  return text.length <= 2 * maxEndChars ? text : text.slice(0, maxEndChars) + text.slice(-maxEndChars);
}

const maxEndChars = 16_384;

function cutInput(input: Json): Json {
  return shortenJson(input, maxInputChars) === input ? input : shortenJson(cleanJson(input), maxInputChars);
}

/**
 * The text of a prompt without the blocks of metadata before it (`Sender (untrusted metadata):` and JSON), the time stamp
 * or envelope of its channel, and the gateway's own blocks.
 */
export function userText(prompt: string): string {
  let text = prompt.replace(internalContext, "").trimStart();
  for (let block = metadataBlock.exec(text); block !== null; block = metadataBlock.exec(text)) {
    text = text.slice(block[0].length);
  }
  return text.replace(envelope, "").trim();
}

const contextStart = "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>";
const internalContext =
  /<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>[\s\S]*?<<<END_OPENCLAW_INTERNAL_CONTEXT>>>\n*/g;

// A label, `(untrusted ...)` or the mark of later versions, and a block of JSON or lines up to an empty one.
const metadataBlock =
  /^[^\n]{1,80}?(?: \(untrusted[^\n)]{0,40}\):| ⟦openclaw:ctx⟧)[ \t]*\n(?:```json\n[\s\S]*?\n```[ \t]*(?:\n+|$)|(?:[^\n]+\n)+\n+)/;

// `[Fri 2026-11-20 23:54 UTC] `, or `[Telegram Ann +2m Fri 2026-11-20 23:54 UTC] `.
const envelope = /^\[(?:[^\]\n]{1,120} )?[A-Z][a-z]{2} \d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}[^\]\n]{0,20}\] ?/;
