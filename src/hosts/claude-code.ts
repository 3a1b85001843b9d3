// Claude Code: decodes its hook payloads, renders replies in its envelope, and lists the hooks to register.
import { join } from "node:path";
import { isJsonObject, type JsonObject } from "../text/json.ts";
import { objectField, textField } from "../text/json-fields.ts";
import {
  beforeCompactEvent,
  decodeNamed,
  type EventReader,
  type EventTable,
  eventNames,
  keyedPromptEvent,
  nestedOutput,
  sessionEndEvent,
  sessionStartEvent,
  stopEvent,
  toolUseEvent,
} from "./decode-event.ts";
import { hookCommand } from "./hook-command.ts";
import type { Host, HostAnswer, HostEvent, HostEventBase } from "./host-event.ts";
import {
  callsGranted,
  type Entry,
  type HookRegistration,
  type HostPlace,
  hookGroups,
  type Integration,
  mcpEntry,
  mcpServerName,
} from "./integration.ts";

// Timeouts are in seconds.
// SessionStart has no matcher: a resumed session needs no context, but it needs a worker.
// SessionEnd: a plugin always has 1.5 s; settings.json too, if it sets no timeout.
const hooks: readonly HookRegistration[] = [
  { event: "Setup", timeout: 300 },
  { event: "SessionStart", timeout: 60 },
  { event: "UserPromptSubmit", timeout: 60 },
  { event: "PreToolUse", matcher: "Bash|Read|Edit|Write|MultiEdit|NotebookEdit", timeout: 60 },
  { event: "PostToolUse", matcher: "*", timeout: 120 },
  { event: "PostToolUseFailure", matcher: "*", timeout: 120 },
  { event: "Stop", timeout: 120 },
  { event: "PreCompact", timeout: 60 },
  { event: "SessionEnd", timeout: 3 },
];

const name = "claude-code";

const permission: Entry = {
  path: ["permissions", "allow"],
  value: `mcp__${mcpServerName}`,
  isOurs: (rule) => rule === `mcp__${mcpServerName}`,
  grants: callsGranted,
};

/** Payloads recorded from 2.1.197 and 2.1.329. */
export const claudeCode: Host = { name, decode, render };

export const claudeCodeIntegration: Integration = {
  title: "Claude Code",
  folder: { variable: "CLAUDE_CONFIG_DIR", inHome: ".claude" },
  program: "claude",
  hooks,
  files: (at) => [
    {
      path: join(at.folder, "settings.json"),
      syntax: "json",
      hooks: [...hookGroups(name, hooks, at), permission],
    },
    {
      path: mcpFile(at),
      syntax: "json",
      mcp: [mcpEntry(["mcpServers"], { type: "stdio", ...at.server })],
    },
  ],
  next: [{ text: "Start a new Claude Code session: a running one has no hooks yet.", until: "event" }],
  plugin: enabledPlugin("agent-mem"),
  otherMemory: enabledPlugin("claude-mem"),
  hooksOff: allHooksOff,
};

export function allHooksOff({ disableAllHooks }: JsonObject): { reason: string; next: string } | null {
  if (disableAllHooks !== true) return null;
  return { reason: "sets disableAllHooks: no hook runs", next: "Set it to false" };
}

function enabledPlugin(name: string) {
  return ({ enabledPlugins }: JsonObject): string | null => {
    const plugins = isJsonObject(enabledPlugins) ? Object.entries(enabledPlugins) : [];
    return plugins.find(([key, isOn]) => key.startsWith(`${name}@`) && isOn === true)?.[0] ?? null;
  };
}

// In the home beside the default folder, but inside a folder that the user set. The variable may also name the default
// folder; then the file is inside.
function mcpFile({ home, folder, exists }: HostPlace): string {
  const inside = join(folder, ".claude.json");
  return folder === join(home, ".claude") && !exists(inside) ? join(home, ".claude.json") : inside;
}

/** The text of hooks/hooks/hooks.json, the same hooks for the plugin. */
export function renderPluginHooks(): string {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the host replaces it with the plugin's folder
  const launcher = { folder: "${CLAUDE_PLUGIN_ROOT}" };
  const command = (event: string) => hookCommand({ host: name, event, launcher, dataDir: null });
  const groups = hookGroups(name, hooks, { hookCommand: command });
  const description = "Sends the events of a session to mem, and brings back context from earlier sessions.";
  const byEvent = Object.fromEntries(groups.map(({ path, value }) => [path[1] ?? "", [value]]));
  return `${JSON.stringify({ description, hooks: byEvent }, null, 2)}\n`;
}

function decode(event: string, payload: JsonObject): HostEvent {
  return decodeNamed(claudeCodeEvents, event, { payload });
}

export const claudeCodeEvents: EventTable = {
  read: new Map<string, EventReader>([
    ["setup", (base) => ({ ...base, kind: "setup" })],
    ["session-start", sessionStartEvent],
    ["user-prompt-submit", keyedPromptEvent],
    ["pre-tool-use", beforeTool],
    ["post-tool-use", (base, payload) => toolUseEvent(base, payload, { failed: false, ...noContext })],
    [
      "post-tool-use-failure",
      (base, payload) => toolUseEvent(base, payload, { ...failureIn(payload), ...noContext }),
    ],
    ["stop", stopEvent],
    ["pre-compact", beforeCompactEvent],
    ["session-end", sessionEndEvent],
  ]),
  unused: eventNames(
    // It also comes at a compaction, when the turn goes on.
    `SubagentStop SubagentStart PermissionRequest PermissionDenied PostToolBatch PostCompact
     StopFailure Notification MessageDisplay UserPromptExpansion InstructionsLoaded ConfigChange
     CwdChanged FileChanged DirectoryAdded PreModelSwitch TaskCreated TaskCompleted TeammateIdle
     WorktreeCreate WorktreeRemove Elicitation ElicitationResult`,
  ),
};

function beforeTool(base: HostEventBase, payload: JsonObject): HostEvent {
  const event = beforeCommand(base, payload) ?? beforeFile(base, payload);
  return event ?? { ...base, kind: "other", name: "PreToolUse", payload };
}

// Tools that work on one file, and the input field that names it.
const fileTools: ReadonlyMap<string, string> = new Map([
  ["Read", "file_path"],
  ["Edit", "file_path"],
  ["MultiEdit", "file_path"],
  ["Write", "file_path"],
  ["NotebookEdit", "notebook_path"],
]);

function beforeFile(base: HostEventBase, payload: JsonObject): HostEvent | null {
  const path = fileOf(payload);
  return path === ""
    ? null
    : { ...base, kind: "before_file", toolName: textField(payload, "tool_name"), paths: [path] };
}

function beforeCommand(base: HostEventBase, payload: JsonObject): HostEvent | null {
  if (payload.tool_name !== "Bash") return null;
  const command = textField(objectField(payload, "tool_input"), "command");
  return command === "" ? null : { ...base, kind: "before_command", toolName: "Bash", command };
}

function fileOf(payload: JsonObject): string {
  const field = fileTools.get(textField(payload, "tool_name"));
  return field === undefined ? "" : textField(objectField(payload, "tool_input"), field);
}

// It takes context before a tool.
const noContext = { takesContext: false };

/** A failed tool has an error text instead of a response. */
export function failureIn({ error = null, is_interrupt }: JsonObject) {
  return { failed: true, response: { error, ...(is_interrupt === true ? { interrupted: true } : {}) } };
}

// The model gets up to 9,900 characters whole; above 10,000 only a file name and the first 2 KB.
const maxContextChars = 9_800;

// Only these take context: Stop would make the turn go on, and SessionEnd would be an error.
const contextEvents: ReadonlyMap<HostEvent["kind"], string> = new Map([
  ["session_start", "SessionStart"],
  ["before_file", "PreToolUse"],
  ["before_command", "PreToolUse"],
  ["prompt", "UserPromptSubmit"],
]);

function render(event: HostEvent, answer: HostAnswer): string {
  // Plain text for standard error.
  if (event.kind === "setup") return answer.notice ? `${answer.notice}\n` : "";
  return nestedOutput(event, answer, { names: contextEvents, maxChars: maxContextChars });
}
