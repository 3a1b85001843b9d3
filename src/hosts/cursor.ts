// Cursor: decodes its hook payloads, renders replies in its envelope, and lists the hooks to register. From its
// documentation and public reports: never run here.
import { join } from "node:path";
import type { Json, JsonObject } from "../text/json.ts";
import { parseObject, textField, textsField } from "../text/json-fields.ts";
import {
  beforeCompactEvent,
  decodeNamed,
  type EventReader,
  type EventTable,
  eventNames,
  injectedText,
  keyedPromptEvent,
  outputJson,
  sessionEndEvent,
  toolUseEvent,
  turnEndEvent,
} from "./decode-event.ts";
import type { Host, HostAnswer, HostEvent, HostEventBase } from "./host-event.ts";
import {
  type HookRegistration,
  type Integration,
  isHandlerOf,
  mcpEntry,
  mcpServerName,
} from "./integration.ts";

const host = "cursor";

// Timeouts are in seconds.
const hooks: readonly HookRegistration[] = [
  { event: "sessionStart", timeout: 60 },
  { event: "beforeSubmitPrompt", timeout: 60 },
  { event: "postToolUse", timeout: 60 },
  { event: "postToolUseFailure", timeout: 60 },
  { event: "afterAgentResponse", timeout: 60 },
  { event: "stop", timeout: 60 },
  { event: "preCompact", timeout: 60 },
  { event: "sessionEnd", timeout: 3 },
];

export const cursorIntegration: Integration = {
  title: "Cursor",
  toldOf: "remember",
  folder: { variable: null, inHome: ".cursor" },
  program: "cursor",
  hooks,
  files: (at) => [
    {
      path: join(at.folder, "hooks.json"),
      syntax: "json5",
      hooks: [
        { path: [], key: "version", value: 1, shared: true, isOurs: () => false },
        ...hooks.map(({ event, timeout }) => ({
          path: ["hooks", event],
          value: { command: at.hookCommand(event), timeout },
          isOurs: (handler: unknown) => isHandlerOf(host, handler),
        })),
      ],
    },
    {
      path: join(at.folder, "mcp.json"),
      syntax: "json5",
      mcp: [mcpEntry(["mcpServers"], { ...at.server })],
    },
  ],
  next: [
    { text: "Start a new chat in Cursor: a running one has no hooks yet.", until: "event" },
    { text: "Turn on the MCP server `mem` in Cursor's settings if Cursor asks.", part: "mcp" },
  ],
};

// Cursor also runs the hooks in Claude Code's settings, with its own payloads: each event then comes twice, under two
// hosts. Both are decoded here, so they have the same session and key, and are stored once.
export const cursor: Host = {
  name: host,
  isSender: (payload) => textField(payload, "cursor_version") !== "",
  decode,
  render,
};

function decode(event: string, payload: JsonObject): HostEvent {
  const generation = textField(payload, "generation_id");
  const base: HostEventBase = {
    sessionId: textField(payload, "conversation_id", "session_id"),
    // The command line client sends an empty `cwd`.
    cwd: textField(payload, "cwd") || textsField(payload, "workspace_roots")[0] || null,
    // A sub-agent has a separate conversation, without a link to its parent.
    agentId: null,
    agentType: null,
    eventKey: null,
    promptKey: generation || null,
  };
  return decodeNamed(events, event, { payload, base });
}

const events: EventTable = {
  read: new Map<string, EventReader>([
    ["session-start", (base) => ({ ...base, kind: "session_start", source: "startup" })],
    ["before-submit-prompt", keyedPromptEvent],
    ["user-prompt-submit", keyedPromptEvent],
    ["post-tool-use", (base, payload) => toolUse(base, payload, { failed: false })],
    ["post-tool-use-failure", (base, payload) => toolUse(base, payload, { failed: true })],
    ["after-agent-response", agentMessage],
    ["stop", (base) => turnEndEvent(base, "")],
    ["pre-compact", beforeCompactEvent],
    ["session-end", sessionEndEvent],
  ]),
  // The events of one kind of tool report what postToolUse reports for every tool.
  unused: eventNames(
    `preToolUse beforeShellExecution afterShellExecution beforeMCPExecution afterMCPExecution
     beforeReadFile afterFileEdit beforeTabFileRead afterTabFileEdit afterAgentThought subagentStart
     subagentStop`,
  ),
};

function toolUse(
  base: HostEventBase,
  payload: JsonObject,
  { failed }: { failed: boolean },
): HostEvent | null {
  const response = failed ? failure(payload) : output(payload);
  return toolUseEvent(base, payload, { name: toolName(payload), response, failed });
}

// The JSON text of a result.
function output(payload: JsonObject): Json {
  const text = payload.tool_output ?? payload.tool_response ?? null;
  return typeof text === "string" ? (parseObject(text) ?? text) : text;
}

function failure(payload: JsonObject): Json {
  return {
    error: textField(payload, "error_message", "error"),
    failure_type: textField(payload, "failure_type"),
    ...(payload.is_interrupt === true ? { interrupted: true } : {}),
  };
}

// `MCP:search` does not name its server: ours is known by its answer.
function toolName(payload: JsonObject): string {
  const name = textField(payload, "tool_name");
  const [, tool] = /^MCP:(\w+)$/.exec(name) ?? [];
  if (tool === undefined) return name;
  return /<mem-context/.test(JSON.stringify(payload.tool_output ?? ""))
    ? `mcp__${mcpServerName}__${tool}`
    : name;
}

// The end of a turn does not repeat it.
function agentMessage(base: HostEventBase, { text }: JsonObject): HostEvent | null {
  return typeof text === "string" ? { ...base, kind: "agent_message", text } : null;
}

// A longer context becomes a file name.
const maxContextChars = 9_800;

const contextEvents: ReadonlySet<HostEvent["kind"]> = new Set(["session_start", "prompt", "tool_use"]);

// Nothing else: `permission`, `continue` or `followup_message` would change what the agent does.
function render(event: HostEvent, answer: HostAnswer): string {
  if (!contextEvents.has(event.kind)) return "";
  const additional_context = injectedText(event, answer, maxContextChars);
  return outputJson(additional_context === "" ? {} : { additional_context });
}
