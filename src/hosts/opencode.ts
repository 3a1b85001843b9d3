// OpenCode: decodes what our plugin sends, and renders replies to it. The plugin has read OpenCode's own events.
import type { Json, JsonObject } from "../text/json.ts";
import { objectField, textField } from "../text/json-fields.ts";
import {
  decodeEvent,
  type EventReader,
  type EventTable,
  injectedText,
  promptEvent,
  sessionEndEvent,
  toolUseEvent,
} from "./decode-event.ts";
import type { Host, HostAnswer, HostEvent, HostEventBase } from "./host-event.ts";

/** Events of `opencode-plugin/`; its payloads recorded from 1.18.33. */
export const opencode: Host = { name: "opencode", decode, render };

function decode(event: string, payload: JsonObject): HostEvent {
  const promptKey = textField(payload, "prompt_id") || null;
  const base: HostEventBase = {
    sessionId: textField(payload, "session_id"),
    cwd: textField(payload, "cwd") || null,
    agentId: textField(payload, "agent_id") || null,
    agentType: null,
    eventKey: textField(payload, "tool_use_id") || promptKey,
    promptKey,
  };
  // OpenCode has started: no session yet.
  if (event === "session-start") return { ...base, kind: "setup" };
  return decodeEvent(events, { name: event, base, payload });
}

const events: EventTable = {
  read: new Map<string, EventReader>([
    ["user-prompt-submit", promptEvent],
    ["post-tool-use", toolUse],
    ["pre-compact", (base) => ({ ...base, kind: "before_compact" })],
    [
      "stop",
      (base, payload) => ({
        ...base,
        eventKey: base.promptKey === null ? null : `stop:${base.promptKey}`,
        kind: "turn_end",
        lastAssistantMessage: textField(payload, "last_assistant_message"),
      }),
    ],
    ["session-end", sessionEndEvent],
  ]),
  unused: new Set(),
};

function toolUse(base: HostEventBase, payload: JsonObject): HostEvent | null {
  const response = objectField(payload, "tool_response");
  const { exit } = objectField(response, "metadata");
  return toolUseEvent(base, {
    name: textField(payload, "tool_name"),
    input: payload.tool_input ?? null,
    response: responseOf(response, exit),
    failed: typeof exit === "number" && exit !== 0,
  });
}

// The metadata repeats the output, for the screen.
function responseOf({ title, output }: JsonObject, exit: Json | undefined): JsonObject {
  return {
    ...(typeof title === "string" ? { title } : {}),
    output: output ?? null,
    ...(typeof exit === "number" ? { exit } : {}),
  };
}

const maxContextChars = 30_000;

// The plugin takes plain text: context for a prompt or a tool's output, or a notice for OpenCode's log.
function render(event: HostEvent, answer: HostAnswer): string {
  if (event.kind === "setup") return answer.notice ?? "";
  const takes = event.kind === "prompt" || event.kind === "tool_use";
  return takes ? injectedText(event, answer, maxContextChars) : "";
}
