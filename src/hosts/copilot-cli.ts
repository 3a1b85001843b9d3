// GitHub Copilot CLI: decodes its hook payloads, renders replies in its envelope, and lists the hooks to register.
import { join } from "node:path";
import { isJsonObject, type Json, type JsonObject } from "../text/json.ts";
import { numberField, objectField, parseObject, textField } from "../text/json-fields.ts";
import {
  beforeCompactEvent,
  decodeEvent,
  type EventReader,
  type EventTable,
  eventNames,
  injectedText,
  outputJson,
  promptEvent,
  sessionEndEvent,
  toolUseEvent,
} from "./decode-event.ts";
import type { Host, HostAnswer, HostEvent, HostEventBase, Transcripts } from "./host-event.ts";
import {
  callsGranted,
  type HookRegistration,
  type HostPlace,
  type Integration,
  isHandlerOf,
  mcpEntry,
  mcpServerName,
} from "./integration.ts";

const host = "copilot-cli";

// PascalCase: payloads then name their event. Timeouts are in seconds. PreToolUse takes no context that was seen to arrive.
const hooks: readonly HookRegistration[] = [
  { event: "SessionStart", timeout: 60 },
  { event: "UserPromptSubmit", timeout: 60 },
  { event: "PostToolUse", timeout: 60 },
  { event: "PostToolUseFailure", timeout: 60 },
  { event: "Stop", timeout: 60 },
  { event: "PreCompact", timeout: 60 },
  { event: "SessionEnd", timeout: 3 },
];

export const copilotCliIntegration: Integration = {
  title: "GitHub Copilot CLI",
  toldOf: "mem-remember",
  folder: { variable: "COPILOT_HOME", inHome: ".copilot" },
  program: "copilot",
  hooks,
  files: (at) => [
    {
      path: join(at.folder, "hooks", "mem.json"),
      syntax: "own",
      text: hooksFile(at),
      isOurs: isHooksFile,
      grants: callsGranted,
    },
    {
      path: join(at.folder, "mcp-config.json"),
      syntax: "json",
      mcp: [mcpEntry(["mcpServers"], { type: "local", ...at.server, tools: ["*"] })],
    },
  ],
  next: [{ text: "Start a new Copilot session: a running one has no hooks yet.", until: "event" }],
};

// It asks about tools that write, and its settings allow tools of one project only. Earlier versions ignore the matcher.
const ours = `^\\{"hookName":"permissionRequest","sessionId":"[^"]*","timestamp":[0-9]+,"cwd":"[^"]*","toolName":"${mcpServerName}/(remember|review)",`;
const permission = {
  ...{ type: "command", matcher: `${mcpServerName}/(remember|review)`, timeoutSec: 10 },
  bash: `if grep -qE '${ours}'; then echo '{"behavior":"allow"}'; fi`,
  powershell: `if ([Console]::In.ReadToEnd() -match '${ours}') { '{"behavior":"allow"}' }`,
};

function hooksFile(at: HostPlace): string {
  const byEvent = hooks.map(({ event, timeout: timeoutSec }): [string, Json] => {
    const command = at.hookCommand(event);
    // On Windows the command is two quoted paths, which PowerShell would print.
    const shell: JsonObject = command.startsWith('"') ? { powershell: `& ${command}` } : { bash: command };
    return [event, [{ type: "command", ...shell, timeoutSec }]];
  });
  const all = { ...Object.fromEntries(byEvent), PermissionRequest: [permission] };
  return `${JSON.stringify({ version: 1, hooks: all }, null, 2)}\n`;
}

// Every command in it is ours.
function isHooksFile(text: string): boolean {
  const handlers = Object.values(objectField(parseObject(text) ?? {}, "hooks")).flat();
  const isOurs = (handler: Json) =>
    isHandlerOf(host, handler, "bash") ||
    (isJsonObject(handler) &&
      (handler.matcher === permission.matcher ||
        isHandlerOf(host, { command: textField(handler, "powershell").replace(/^& /, "") })));
  return handlers.length > 0 && handlers.every(isOurs);
}

const transcripts: Transcripts = { folderVariable: "COPILOT_HOME", folder: ".copilot", lastMessage };

/**
 * Payloads recorded from 1.0.102, in both spellings: an event registered in camelCase has fields in camelCase. The context of
 * a start is not saved with the messages.
 */
export const copilotCli: Host = { name: host, keepsPromptsOnly: true, isSender, transcripts, decode, render };

// It also runs the hooks in a project's `.claude/settings.json`, with its own payloads.
function isSender(payload: JsonObject): boolean {
  return "hook_event_name" in payload && ownFields.some((field) => field in payload);
}

const ownFields = ["tool_result", "initial_prompt", "stop_reason"];

function decode(event: string, payload: JsonObject): HostEvent {
  const agentId = textField(payload, "agent_id", "agentId") || null;
  const parentId = agentId === null ? "" : textField(payload, "parent_agent_id", "parentAgentId");
  const base: HostEventBase = {
    // A sub-agent sends its own id there.
    sessionId: parentId || textField(payload, "session_id", "sessionId"),
    cwd: textField(payload, "cwd") || null,
    agentId,
    agentType: textField(payload, "agent_type", "agentType") || null,
    // No event has an id. Each has its time, so the hash of a payload is one.
    eventKey: null,
    promptKey: null,
  };
  // Payloads in camelCase have no event name, except for permissionRequest.
  const name = textField(payload, "hook_event_name", "hookName") || event;
  return decodeEvent(events, { name, base, payload });
}

const events: EventTable = {
  read: new Map<string, EventReader>([
    ["session-start", sessionStart],
    ["user-prompt-submit", ofUser(promptEvent)],
    ["user-prompt-submitted", ofUser(promptEvent)],
    ["post-tool-use", (base, payload) => toolUse(base, payload, { failed: false })],
    ["post-tool-use-failure", (base, payload) => toolUse(base, payload, { failed: true })],
    ["stop", ofUser(turnEnd)],
    ["agent-stop", ofUser(turnEnd)],
    ["pre-compact", ofUser(beforeCompactEvent)],
    ["session-end", sessionEndEvent],
  ]),
  unused: eventNames(
    `preToolUse preMcpToolCall permissionRequest userPromptTransformed subagentStart subagentStop
     errorOccurred notification`,
  ),
};

// A sub-agent has prompts and turns too, which are not the user's.
function ofUser(read: EventReader): EventReader {
  return (base, payload) =>
    base.agentId === null
      ? read(base, payload)
      : { ...base, kind: "other", name: textField(payload, "hook_event_name"), payload };
}

// `new` comes after /clear too, with a new session id.
function sessionStart(base: HostEventBase, payload: JsonObject): HostEvent {
  const source = textField(payload, "source");
  return { ...base, kind: "session_start", source: source === "resume" ? source : "startup" };
}

function toolUse(
  base: HostEventBase,
  payload: JsonObject,
  { failed }: { failed: boolean },
): HostEvent | null {
  const response = payload.tool_result ?? payload.toolResult ?? errorOf(payload);
  const status = isJsonObject(response) ? textField(response, "result_type", "resultType") : "";
  return toolUseEvent(base, payload, {
    name: toolName(payload),
    input: argumentsOf(payload),
    response,
    failed: failed || (status !== "" && status !== "success"),
  });
}

// `<server>-<tool>`: ours is named as on other hosts, so that its uses are recognized.
function toolName(payload: JsonObject): string {
  const name = textField(payload, "tool_name", "toolName");
  const own = `${mcpServerName}-`;
  return name.startsWith(own) ? `mcp__${mcpServerName}__${name.slice(own.length)}` : name;
}

function errorOf({ error = null }: JsonObject): Json {
  return error === null ? null : { error };
}

// An object; earlier versions sent its JSON text.
function argumentsOf(payload: JsonObject): Json {
  const given = payload.tool_input ?? payload.toolArgs ?? null;
  return typeof given === "string" ? (parseObject(given) ?? given) : given;
}

// The message itself is only in the transcript.
function turnEnd(base: HostEventBase, payload: JsonObject): HostEvent {
  const path = textField(payload, "transcript_path", "transcriptPath");
  const transcript = path === "" ? {} : { transcript: { path, untilEpochMs: timeOf(payload) } };
  return { ...base, kind: "turn_end", lastAssistantMessage: "", ...transcript };
}

// Epoch milliseconds in camelCase payloads, ISO in the others.
function timeOf(fields: JsonObject): number | null {
  const epochMs = numberField(fields, "timestamp") ?? new Date(textField(fields, "timestamp")).getTime();
  return Number.isFinite(epochMs) ? epochMs : null;
}

// One event a line. The host writes it a tenth of a second late; the start of the Stop hook itself stands in it too. A turn
// without a message ends at the user's.
function lastMessage(text: string, untilEpochMs: number | null): string | null {
  let isWritten = untilEpochMs === null;
  for (const line of text.split("\n").reverse()) {
    const event = parseObject(line);
    const at = event === null ? null : timeOf(event);
    if (event === null || at === null) continue;
    if (untilEpochMs !== null && at >= untilEpochMs) isWritten = true;
    if (!isWritten) return null;
    // Of a later turn, or of a sub-agent.
    if ((untilEpochMs !== null && at > untilEpochMs) || textField(event, "agentId") !== "") continue;
    if (event.type === "user.message") return "";
    const content =
      event.type === "assistant.message" ? textField(objectField(event, "data"), "content") : "";
    if (content.trim() !== "") return content;
  }
  return isWritten ? "" : null;
}

// 60,000 characters reached the model whole.
const maxContextChars = 60_000;

// Only at the top level: the host ignores the nested form. PreToolUse decides about permissions and takes no context.
const contextEvents: ReadonlySet<HostEvent["kind"]> = new Set(["session_start", "prompt", "tool_use"]);

// No output shows a notice to the user.
function render(event: HostEvent, answer: HostAnswer): string {
  if (!contextEvents.has(event.kind)) return "";
  const additionalContext = injectedText(event, answer, maxContextChars);
  return outputJson(additionalContext === "" ? {} : { additionalContext });
}
