// OpenClaw: decodes what our gateway plugin sends, and renders replies to it. The plugin has read the gateway's own events.
import type { JsonObject } from "../text/json.ts";
import { textField } from "../text/json-fields.ts";
import { kebabCase } from "../text/kebab-case.ts";
import type { Host, HostAnswer, HostEvent } from "./host-event.ts";

/** Events of `openclaw-plugin/`, with the field names of the session routes. */
export const openclaw: Host = { name: "openclaw", asksForContext: true, decode, render };

function decode(event: string, payload: JsonObject): HostEvent {
  const runId = textField(payload, "runId");
  const project = textField(payload, "project");
  const base: EventBase = {
    sessionId: textField(payload, "claudeSessionId"),
    cwd: textField(payload, "cwd") || null,
    agentId: textField(payload, "subagentId") || null,
    agentType: null,
    eventKey: null,
    promptKey: runId || null,
    ...(project === "" ? {} : { project }),
  };
  const name = kebabCase(event);
  // The gateway has started: no session yet.
  if (name === "session-start") return { ...base, kind: "setup" };
  return (base.sessionId !== "" && known(name, base, payload)) || { ...base, kind: "other", name, payload };
}

type EventBase = Omit<Extract<HostEvent, { kind: "setup" }>, "kind">;

function known(name: string, base: EventBase, payload: JsonObject): HostEvent | null {
  switch (name) {
    case "init":
      return typeof payload.prompt === "string"
        ? { ...base, eventKey: base.promptKey, kind: "prompt", text: payload.prompt }
        : null;
    case "context":
      return { ...base, kind: "context" };
    case "observations":
      return toolUse(base, payload);
    case "summarize":
      return {
        ...base,
        eventKey: base.promptKey === null ? null : `stop:${base.promptKey}`,
        kind: "turn_end",
        lastAssistantMessage: textField(payload, "last_assistant_message"),
      };
    case "complete":
      return { ...base, kind: "session_end", reason: textField(payload, "reason") || "other" };
    default:
      return null;
  }
}

function toolUse(base: EventBase, payload: JsonObject): HostEvent | null {
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
