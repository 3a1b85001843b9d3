// OpenClaw: decodes what our gateway plugin sends, and renders replies to it. The plugin has read the gateway's own events.
import type { JsonObject } from "../text/json.ts";
import { textField } from "../text/json-fields.ts";
import { decodeEvent, type EventTable, promptEvent, sessionEndEvent } from "./decode-event.ts";
import type { Host, HostAnswer, HostEvent, HostEventBase } from "./host-event.ts";

/** Events of `openclaw-plugin/`, with the field names of the session routes. */
export const openclaw: Host = { name: "openclaw", asksForContext: true, decode, render };

function decode(name: string, payload: JsonObject): HostEvent {
  const runId = textField(payload, "runId");
  const project = textField(payload, "project");
  const base: HostEventBase = {
    sessionId: textField(payload, "claudeSessionId"),
    cwd: textField(payload, "cwd") || null,
    agentId: textField(payload, "subagentId") || null,
    agentType: null,
    eventKey: null,
    promptKey: runId || null,
    ...(project === "" ? {} : { project }),
  };
  // The gateway has started: no session yet.
  if (name === "session-start") return { ...base, kind: "setup" };
  return decodeEvent(events, { name, base, payload });
}

const events: EventTable = {
  read: new Map([
    ["init", (base, payload) => promptEvent({ ...base, eventKey: base.promptKey }, payload)],
    ["context", (base) => ({ ...base, kind: "context" })],
    ["observations", toolUse],
    ["summarize", turnEnd],
    ["complete", sessionEndEvent],
  ]),
  unused: new Set(),
};

function turnEnd(base: HostEventBase, payload: JsonObject): HostEvent {
  const eventKey = base.promptKey === null ? null : `stop:${base.promptKey}`;
  const lastAssistantMessage = textField(payload, "last_assistant_message");
  return { ...base, eventKey, kind: "turn_end", lastAssistantMessage };
}

// Not with what it is about, as other hosts: the gateway takes no context after a tool.
function toolUse(base: HostEventBase, payload: JsonObject): HostEvent | null {
  const toolName = textField(payload, "tool_name");
  if (toolName === "") return null;
  return {
    ...base,
    eventKey: textField(payload, "tool_use_id") || null,
    kind: "tool_use",
    toolName,
    toolInput: payload.tool_input ?? null,
    toolResponse: payload.tool_response ?? null,
    failed: payload.tool_failed === true,
  };
}

// The plugin takes plain text: context for the system prompt, or a notice for the gateway's log.
function render({ kind }: HostEvent, { context, notice }: HostAnswer): string {
  if (kind === "setup") return notice ?? "";
  return kind === "context" ? (context ?? "") : "";
}
