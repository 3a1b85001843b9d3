// Claude Code: its hook payloads as our events, our answers in its envelope.

import { shorten } from "../core/shorten.ts";
import { isJsonObject, type Json, type JsonObject } from "../text/json.ts";
import { kebabCase } from "../text/kebab-case.ts";
import { type Host, type HostAnswer, type HostEvent, replaysTranscript } from "./host-event.ts";

/** Payloads recorded from 2.1.197 and 2.1.329. */
export const claudeCode: Host = { name: "claude-code", decode, render };

function decode(event: string, payload: JsonObject): HostEvent {
  // The launcher's word is what was registered, the payload's is what happened.
  const name = text(payload.hook_event_name) || event;
  const base: EventBase = {
    sessionId: text(payload.session_id),
    cwd: text(payload.cwd) || null,
    agentId: text(payload.agent_id) || null,
    agentType: text(payload.agent_type) || null,
    eventKey: null,
    promptKey: text(payload.prompt_id) || null,
  };
  return (base.sessionId !== "" && known(kebabCase(name), base, payload)) || other(base, name, payload);
}

type EventBase = Pick<HostEvent, "sessionId" | "cwd" | "agentId" | "agentType" | "eventKey" | "promptKey">;

function known(name: string, base: EventBase, payload: JsonObject): HostEvent | null {
  switch (name) {
    case "setup":
      return { ...base, kind: "setup" };
    case "session-start":
      return { ...base, kind: "session_start", source: text(payload.source) || "startup" };
    case "user-prompt-submit":
      return prompt(base, payload);
    case "pre-tool-use":
      return beforeCommand(base, payload) ?? beforeFile(base, payload);
    case "post-tool-use":
      return toolUse(base, payload, { response: payload.tool_response ?? null, failed: false });
    case "post-tool-use-failure":
      return toolUse(base, payload, { response: failure(payload), failed: true });
    case "stop":
      return turnEnd(base, payload);
    case "pre-compact":
      return { ...base, kind: "before_compact" };
    case "session-end":
      return { ...base, kind: "session_end", reason: text(payload.reason) || "other" };
    // SubagentStop too: it also comes at a compaction, and the turn is not over.
    default:
      return null;
  }
}

function other(base: EventBase, name: string, payload: JsonObject): HostEvent {
  return { ...base, kind: "other", name, payload };
}

// When a background sub-agent ends, its report comes as a prompt; no user wrote it.
const machinePrompt = /^\s*<task-notification>/;

function prompt(base: EventBase, payload: JsonObject): HostEvent | null {
  if (typeof payload.prompt !== "string" || machinePrompt.test(payload.prompt)) return null;
  return { ...base, eventKey: base.promptKey, kind: "prompt", text: payload.prompt };
}

// Tools that are about to work on the one file that their input names.
const fileTools: ReadonlyMap<string, string> = new Map([
  ["Read", "file_path"],
  ["Edit", "file_path"],
  ["MultiEdit", "file_path"],
  ["Write", "file_path"],
  ["NotebookEdit", "notebook_path"],
]);

function beforeFile(base: EventBase, payload: JsonObject): HostEvent | null {
  const path = fileOf(payload);
  return path === "" ? null : { ...base, kind: "before_file", toolName: text(payload.tool_name), path };
}

function beforeCommand(base: EventBase, { tool_name, tool_input }: JsonObject): HostEvent | null {
  if (tool_name !== "Bash" || !isJsonObject(tool_input)) return null;
  const command = text(tool_input.command);
  return command === "" ? null : { ...base, kind: "before_command", toolName: "Bash", command };
}

function fileOf({ tool_name, tool_input }: JsonObject): string {
  return isJsonObject(tool_input) ? text(tool_input[fileTools.get(text(tool_name)) ?? ""]) : "";
}

function toolUse(
  base: EventBase,
  payload: JsonObject,
  { response, failed }: { response: Json; failed: boolean },
): HostEvent | null {
  const toolName = text(payload.tool_name);
  if (toolName === "") return null;
  const wrote = failed || toolName === "Read" ? "" : fileOf(payload);
  return {
    ...base,
    eventKey: text(payload.tool_use_id) || null,
    kind: "tool_use",
    toolName,
    toolInput: payload.tool_input ?? null,
    toolResponse: response,
    failed,
    ...(wrote === "" ? {} : { wrote }),
  };
}

// A failed tool has no response, but the text of its error.
function failure(payload: JsonObject): Json {
  return {
    error: payload.error ?? null,
    ...(payload.is_interrupt === true ? { interrupted: true } : {}),
  };
}

// One prompt can have several stops, when another hook makes the turn go on.
function turnEnd(base: EventBase, payload: JsonObject): HostEvent {
  const eventKey = base.promptKey === null ? null : `stop:${base.promptKey}`;
  return { ...base, eventKey, kind: "turn_end", lastAssistantMessage: text(payload.last_assistant_message) };
}

// Up to 9,900 characters reach the model whole; above 10,000 it gets a file name and the first 2 KB.
const maxContextChars = 9_800;

// Stop with context would make the turn go on, SessionEnd with any is an error: only these have some.
const contextEvents: ReadonlyMap<HostEvent["kind"], string> = new Map([
  ["session_start", "SessionStart"],
  ["before_file", "PreToolUse"],
  ["before_command", "PreToolUse"],
  ["prompt", "UserPromptSubmit"],
]);

function render(event: HostEvent, { context, notice }: HostAnswer): string {
  // Plain text, which the hook prints to standard error.
  if (event.kind === "setup") return notice ? `${notice}\n` : "";
  const hookEventName = contextEvents.get(event.kind);
  // What was injected before is replayed with the transcript of a resumed session.
  const isReplayed = event.kind === "session_start" && replaysTranscript(event.source);
  const injects = hookEventName !== undefined && context !== null && context !== "" && !isReplayed;
  const output = {
    ...(hookEventName !== undefined && notice !== null && notice !== "" ? { systemMessage: notice } : {}),
    ...(injects
      ? { hookSpecificOutput: { hookEventName, additionalContext: shorten(context, maxContextChars) } }
      : {}),
  };
  return Object.keys(output).length === 0 ? "" : JSON.stringify(output);
}

function text(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
