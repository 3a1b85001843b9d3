// Codex CLI: decodes its hook payloads, renders replies in its envelope, and lists what to register.
import { join, resolve } from "node:path";
import { patchedPaths } from "../core/tools/apply-patch.ts";
import { filesShown } from "../core/tools/command-files.ts";
import { parseCommandLine } from "../core/tools/command-line.ts";
import { isJsonObject, type JsonObject } from "../text/json.ts";
import { numberField, objectField, parseObject, textField } from "../text/json-fields.ts";
import { codexTrust } from "./codex-trust.ts";
import {
  baseOf,
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
import type { Host, HostAnswer, HostEvent, HostEventBase } from "./host-event.ts";
import { type HookRegistration, hookGroups, type Integration, mcpEntry } from "./integration.ts";

// Codex cuts a text of more tokens; 0 lifts the limit. Ours have their own.
const whole = { additionalContextLimit: 0 };

// Timeouts are in seconds; Codex warns at every start about more than 3 at SessionEnd.
const hooks: readonly HookRegistration[] = [
  { event: "SessionStart", timeout: 60, more: whole },
  { event: "UserPromptSubmit", timeout: 60, more: whole },
  { event: "PreToolUse", matcher: "Bash|apply_patch", timeout: 60, more: whole },
  { event: "PostToolUse", timeout: 120 },
  { event: "PreCompact", timeout: 60 },
  { event: "Stop", timeout: 120 },
  { event: "SessionEnd", timeout: 3 },
];

const name = "codex";
const program = "codex";
const folderVariable = "CODEX_HOME";

/** Payloads recorded from 0.169.0. */
export const codex: Host = {
  ...{ name, decode, render },
  transcripts: { folderVariable, folder: ".codex", exitCode },
};

export const codexIntegration: Integration = {
  title: "Codex CLI",
  toldOf: "mcp__mem__remember",
  folder: { variable: folderVariable, inHome: ".codex" },
  program,
  hooks,
  loginShell: true,
  files: (at) => [
    { path: join(at.folder, "hooks.json"), syntax: "json", hooks: hookGroups(name, hooks, at) },
    {
      path: join(at.folder, "config.toml"),
      syntax: "toml",
      mcp: [mcpEntry(["mcp_servers"], { ...at.server })],
    },
  ],
  next: [
    {
      text: "Open `/hooks` in Codex and trust the hooks of mem: until then Codex skips them without a message.",
      until: "trust",
    },
  ],
  trust: ({ home, folder }, environment) =>
    codexTrust({ host: name, program, cwd: home, env: { ...environment, [folderVariable]: folder } }),
};

function decode(event: string, payload: JsonObject): HostEvent {
  const base = baseOf(payload);
  // A sub-agent has its own turns, which no prompt of the user started.
  const promptKey = base.agentId === null ? textField(payload, "turn_id") || null : null;
  return decodeNamed(events, event, { payload, base: { ...base, promptKey } });
}

const events: EventTable = {
  read: new Map<string, EventReader>([
    ["session-start", sessionStartEvent],
    ["user-prompt-submit", prompt],
    ["pre-tool-use", beforeTool],
    ["post-tool-use", toolUse],
    ["pre-compact", beforeCompactEvent],
    ["stop", stopEvent],
    ["session-end", sessionEndEvent],
  ]),
  // SessionStart comes right after PostCompact.
  unused: eventNames(
    `PostCompact PermissionRequest SubagentStart SubagentStop Interrupt StopFailure PreModelRequest
     PostModelRequest`,
  ),
};

// The prompt of a sub-agent was written by the agent that started it.
function prompt(base: HostEventBase, payload: JsonObject): HostEvent | null {
  if (base.agentId !== null) return { ...base, kind: "other", name: "UserPromptSubmit", payload };
  return keyedPromptEvent(base, payload);
}

function beforeTool(base: HostEventBase, payload: JsonObject): HostEvent | null {
  const toolName = textField(payload, "tool_name");
  const command = textField(objectField(payload, "tool_input"), "command");
  if (toolName === patchTool) {
    const paths = inDirectory(base.cwd, patchedPaths(command));
    return paths.length === 0 ? null : { ...base, kind: "before_file", toolName, paths };
  }
  if (toolName !== "Bash") return { ...base, kind: "other", name: "PreToolUse", payload };
  if (command === "") return null;
  // Codex takes over a patch in a command: no event says that it was applied.
  const patchAt = command.indexOf("*** Begin Patch");
  const patched = patchAt < 0 ? [] : patchedPaths(command.slice(patchAt));
  const files = inDirectory(base.cwd, [...patched, ...filesShown(parseCommandLine(command))]);
  return { ...base, kind: "before_command", toolName, command, files };
}

const patchTool = "apply_patch";

function inDirectory(cwd: string | null, paths: readonly string[]): string[] {
  return cwd === null ? [...paths] : paths.map((path) => resolve(cwd, path));
}

// A response is the output without the exit code, which only the rollout has. A patch that cannot be applied sends no event.
function toolUse(base: HostEventBase, payload: JsonObject): HostEvent | null {
  const event = toolUseEvent(base, payload, { failed: false, takesContext: false });
  const path = textField(payload, "transcript_path");
  const id = textField(payload, "tool_use_id");
  if (event?.kind !== "tool_use" || id === "") return event;
  // The model's server makes the id; small ones count from 1 in each turn.
  const eventKey = `${textField(payload, "turn_id")}:${id}`;
  const isCommand = event.toolName === "Bash" && path !== "";
  return { ...event, eventKey, ...(isCommand ? { exitCodeIn: { path, id } } : {}) };
}

// The last line with the id: written before the hook starts (24 of 24 calls), and one event a line.
function exitCode(text: string, id: string): number | null {
  const at = text.lastIndexOf(`"id":${JSON.stringify(id)}`);
  if (at < 0) return null;
  const end = text.indexOf("\n", at);
  const line = text.slice(text.lastIndexOf("\n", at) + 1, end < 0 ? undefined : end);
  const { item } = objectField(parseObject(line) ?? {}, "payload");
  return isJsonObject(item) && item.id === id ? numberField(item, "exit_code") : null;
}

// Above 10,000 bytes the model gets head and tail of a text, unless the hook is registered with a higher limit.
const maxContextChars = 9_800;

// Fields that an event does not have make the hook fail, and Stop would make the turn go on.
const contextEvents: ReadonlyMap<HostEvent["kind"], string> = new Map([
  ["session_start", "SessionStart"],
  ["prompt", "UserPromptSubmit"],
  ["before_file", "PreToolUse"],
  ["before_command", "PreToolUse"],
]);

function render(event: HostEvent, answer: HostAnswer): string {
  return nestedOutput(event, answer, { names: contextEvents, maxChars: maxContextChars });
}
