// Gemini CLI: decodes its hook payloads, renders replies in its envelope, and lists the hooks to register.
import { join } from "node:path";
import { isJsonObject, type JsonObject } from "../text/json.ts";
import { objectField, textField } from "../text/json-fields.ts";
import {
  beforeCompactEvent,
  decodeNamed,
  type EventReader,
  type EventTable,
  eventNames,
  nestedOutput,
  promptEvent,
  sessionEndEvent,
  sessionStartEvent,
  toolUseEvent,
  turnEndEvent,
} from "./decode-event.ts";
import type { Host, HostAnswer, HostEvent, HostEventBase } from "./host-event.ts";
import {
  callsGranted,
  type EditedFile,
  type HookRegistration,
  type HostPlace,
  hookGroups,
  type Integration,
  mcpEntry,
} from "./integration.ts";

const name = "gemini-cli";

/**
 * Payloads recorded from 0.61.0. It puts the context of a start before the first prompt: `/clear` drops it, and a resumed
 * session drops it together with the prompt.
 */
export const geminiCli: Host = { name, keepsPromptsOnly: true, decode, render };

// Shown while the hook runs; without it, the whole command.
export const named = { more: { name: "mem" } };

// Timeouts are in milliseconds. BeforeTool takes no context, and PreCompress without a matcher comes before every model
// call.
const hooks: readonly HookRegistration[] = [
  { event: "SessionStart", timeout: 60_000, ...named },
  { event: "BeforeAgent", timeout: 60_000, ...named },
  { event: "AfterTool", matcher: "*", timeout: 60_000, ...named },
  { event: "AfterAgent", timeout: 60_000, ...named },
  { event: "PreCompress", matcher: "manual", timeout: 60_000, ...named },
  { event: "SessionEnd", timeout: 3_000, ...named },
];

export const geminiCliIntegration: Integration = {
  title: "Gemini CLI",
  folder: { variable: "GEMINI_CLI_HOME", inVariable: ".gemini", inHome: ".gemini" },
  program: "gemini",
  hooks,
  files: (at) => [settingsFile(name, hooks, at)],
  next: [
    { text: "Start a new Gemini CLI session: a running one has no hooks yet.", until: "event" },
    {
      text: "Trust your project folders in Gemini CLI: in others it starts no MCP server, so the agent cannot search the memory.",
      part: "mcp",
    },
  ],
  hooksOff: ({ hooksConfig }) =>
    isJsonObject(hooksConfig) && hooksConfig.enabled === false
      ? { reason: "sets hooksConfig.enabled to false: no hook runs", next: "Set it to true" }
      : null,
};

/** The settings of Gemini CLI and of Qwen Code, which is made from it. The hosts read comments. */
export function settingsFile(host: string, hooks: readonly HookRegistration[], at: HostPlace): EditedFile {
  return {
    path: join(at.folder, "settings.json"),
    syntax: "json5",
    hooks: hookGroups(host, hooks, at),
    mcp: [{ ...mcpEntry(["mcpServers"], { ...at.server, trust: true }), grants: callsGranted }],
  };
}

// No event has an id: each has its time, so the hash of a payload is one. Tools of a sub-agent come in the session of its
// parent, without a mark.
function decode(event: string, payload: JsonObject): HostEvent {
  return decodeNamed(events, event, { payload });
}

const events: EventTable = {
  read: new Map<string, EventReader>([
    ["session-start", sessionStartEvent],
    ["before-agent", prompt],
    ["after-tool", afterTool],
    ["after-agent", (base, payload) => turnEndEvent(base, textField(payload, "prompt_response"))],
    ["pre-compress", beforeCompress],
    // At /quit it comes up to three times.
    ["session-end", sessionEndEvent],
  ]),
  // BeforeTool cannot inject.
  unused: eventNames("BeforeTool BeforeModel AfterModel BeforeToolSelection Notification"),
};

// The context of the session start stands before the first prompt. A spooled prompt lost it when it was cleaned.
function prompt(base: HostEventBase, payload: JsonObject): HostEvent | null {
  const given = textField(payload, "prompt");
  const end = given.startsWith("<hook_context>") ? given.indexOf(contextEnd) : -1;
  if (end < 0) return promptEvent(base, payload);
  return promptEvent(base, { ...payload, prompt: given.slice(end + contextEnd.length).trimStart() });
}

const contextEnd = "</hook_context>";

function afterTool(base: HostEventBase, payload: JsonObject): HostEvent | null {
  return toolUseEvent(base, payload, {
    name: toolName(payload),
    failed: Object.keys(objectField(payload, "tool_response")).includes("error"),
  });
}

// MCP tools are named as on other hosts, so that uses of our own tools are recognized.
function toolName(payload: JsonObject): string {
  const { server_name: server, tool_name: tool } = objectField(payload, "mcp_context");
  if (typeof server === "string" && typeof tool === "string") return `mcp__${server}__${tool}`;
  return textField(payload, "tool_name");
}

// `auto` comes before every model call, whether or not anything is compressed.
function beforeCompress(base: HostEventBase, payload: JsonObject): HostEvent {
  if (textField(payload, "trigger") === "manual") return beforeCompactEvent(base);
  return { ...base, kind: "other", name: "PreCompress", payload };
}

// 60,000 characters reached the model whole.
const maxContextChars = 60_000;

const contextEvents: ReadonlyMap<HostEvent["kind"], string> = new Map([
  ["session_start", "SessionStart"],
  ["prompt", "BeforeAgent"],
  ["tool_use", "AfterTool"],
]);

function render(event: HostEvent, answer: HostAnswer): string {
  return nestedOutput(event, answer, { names: contextEvents, maxChars: maxContextChars });
}
