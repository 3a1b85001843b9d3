// Codex CLI: decodes its hook payloads and renders replies in its envelope.

import { resolve } from "node:path";
import { shorten } from "../core/shorten.ts";
import { patchedPaths } from "../core/tools/apply-patch.ts";
import { filesShown } from "../core/tools/command-files.ts";
import { parseCommandLine } from "../core/tools/command-line.ts";
import type { JsonObject } from "../text/json.ts";
import { objectField, textField } from "../text/json-fields.ts";
import { kebabCase } from "../text/kebab-case.ts";
import type { Host, HostAnswer, HostEvent } from "./host-event.ts";

/** Payloads recorded from 0.169.0. */
export const codex: Host = { name: "codex", decode, render };

type EventBase = Pick<HostEvent, "sessionId" | "cwd" | "agentId" | "agentType" | "eventKey" | "promptKey">;

function decode(event: string, payload: JsonObject): HostEvent {
  const name = textField(payload, "hook_event_name") || event;
  const agentId = textField(payload, "agent_id") || null;
  const base: EventBase = {
    // Of a sub-agent: its parent's.
    sessionId: textField(payload, "session_id"),
    // Of a command: where it runs.
    cwd: textField(payload, "cwd") || null,
    agentId,
    agentType: textField(payload, "agent_type") || null,
    eventKey: null,
    // A sub-agent has its own turns, which no prompt of the user started.
    promptKey: agentId === null ? textField(payload, "turn_id") || null : null,
  };
  const known = base.sessionId === "" ? null : knownEvent(kebabCase(name), base, payload);
  return known ?? { ...base, kind: "other", name, payload };
}

function knownEvent(name: string, base: EventBase, payload: JsonObject): HostEvent | null {
  switch (name) {
    case "session-start":
      return { ...base, kind: "session_start", source: textField(payload, "source") || "startup" };
    case "user-prompt-submit":
      return prompt(base, payload);
    case "pre-tool-use":
      return beforeTool(base, payload);
    case "post-tool-use":
      return toolUse(base, payload);
    case "pre-compact":
      return { ...base, kind: "before_compact" };
    case "stop":
      return turnEnd(base, payload);
    case "session-end":
      return { ...base, kind: "session_end", reason: textField(payload, "reason") || "other" };
    // PostCompact too: SessionStart comes right after it.
    default:
      return null;
  }
}

// The prompt of a sub-agent was written by the agent that started it.
function prompt(base: EventBase, payload: JsonObject): HostEvent | null {
  if (typeof payload.prompt !== "string" || base.agentId !== null) return null;
  return { ...base, eventKey: base.promptKey, kind: "prompt", text: payload.prompt };
}

function beforeTool(base: EventBase, payload: JsonObject): HostEvent | null {
  const toolName = textField(payload, "tool_name");
  const command = textField(objectField(payload, "tool_input"), "command");
  if (toolName === patchTool) {
    const paths = inDirectory(base.cwd, patchedPaths(command));
    return paths.length === 0 ? null : { ...base, kind: "before_file", toolName, paths };
  }
  if (toolName !== "Bash" || command === "") return null;
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

// A response never says that a command failed: it is the output without the exit code, and readers of tool results judge by
// that. A patch that cannot be applied sends no event.
function toolUse(base: EventBase, payload: JsonObject): HostEvent | null {
  const toolName = textField(payload, "tool_name");
  if (toolName === "") return null;
  const command = textField(objectField(payload, "tool_input"), "command");
  const wrote = toolName === patchTool ? inDirectory(base.cwd, patchedPaths(command)) : [];
  return {
    ...base,
    eventKey: toolUseKey(payload),
    kind: "tool_use",
    toolName,
    toolInput: payload.tool_input ?? null,
    toolResponse: payload.tool_response ?? null,
    failed: false,
    ...(wrote.length === 0 ? {} : { wrote }),
  };
}

// The model's server makes the id; small ones count from 1 in each turn.
function toolUseKey(payload: JsonObject): string | null {
  const id = textField(payload, "tool_use_id");
  return id === "" ? null : `${textField(payload, "turn_id")}:${id}`;
}

// One turn can have several stops: another hook can make it go on.
function turnEnd(base: EventBase, payload: JsonObject): HostEvent {
  const eventKey = base.promptKey === null ? null : `stop:${base.promptKey}`;
  return {
    ...base,
    eventKey,
    kind: "turn_end",
    lastAssistantMessage: textField(payload, "last_assistant_message"),
  };
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

function render({ kind }: HostEvent, { context, notice }: HostAnswer): string {
  const hookEventName = contextEvents.get(kind);
  if (hookEventName === undefined) return "";
  const output = {
    ...(notice === null || notice === "" ? {} : { systemMessage: notice }),
    ...(context === null || context === ""
      ? {}
      : { hookSpecificOutput: { hookEventName, additionalContext: shorten(context, maxContextChars) } }),
  };
  return Object.keys(output).length === 0 ? "" : JSON.stringify(output);
}
