// What a host agent tells us, in our words: every host file decodes its own payload into this.
import type { Json, JsonObject } from "../text/json.ts";

interface HostEventBase {
  /** The host's session identifier. */
  sessionId: string;
  cwd: string | null;
  /** Set when a sub-agent did it; it works in its parent's session. */
  agentId: string | null;
  agentType: string | null;
  /** The host's own id of this event where it has one (tool use, prompt), so that a repeated delivery is stored once. */
  eventKey: string | null;
  /** The host's own id of the prompt that the event belongs to: it can come after the next prompt. */
  promptKey: string | null;
}

export type HostEvent = HostEventBase &
  (
    | { kind: "setup" }
    | { kind: "session_start"; source: string }
    | { kind: "prompt"; text: string }
    | { kind: "before_file"; toolName: string; path: string }
    | { kind: "before_command"; toolName: string; command: string }
    | {
        kind: "tool_use";
        toolName: string;
        toolInput: Json;
        toolResponse: Json;
        failed: boolean;
        /** The one file that the tool wrote, when it wrote one. */
        wrote?: string;
      }
    /** The host is about to replace what the agent has before its eyes by a summary. */
    | { kind: "before_compact" }
    /** One prompt can have several, each with its own last message: the key of this one needs the message's hash. */
    | { kind: "turn_end"; lastAssistantMessage: string }
    | { kind: "session_end"; reason: string }
    /** Known to carry nothing for us, or not known at all: kept, never an error. */
    | { kind: "other"; name: string; payload: JsonObject }
  );

/** What the worker answers to an event, before a host's envelope is put around it. */
export interface HostAnswer {
  /** Text for the agent's context, or null for silence. */
  context: string | null;
  /** One line for the user (a repair hint, a damaged database), or null. */
  notice: string | null;
}

/** One host agent: decode its payload, put our answer into its envelope. Both pure. */
export interface Host {
  readonly name: string;
  /** The payload of `event` (as the host names it) as our event; unknown ones come back as `other`. Never throws. */
  decode(event: string, payload: JsonObject): HostEvent;
  /** What the hook prints: exactly the host's envelope, for Setup plain text for standard error, or nothing. */
  render(event: HostEvent, answer: HostAnswer): string;
}

/** True when the session starts from an earlier transcript, which carries the context of its own start already. */
export function replaysTranscript(source: string): boolean {
  return source === "resume" || source === "fork";
}
