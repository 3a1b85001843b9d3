// Events of host agents in one form: every host file decodes its payloads into it.
import type { Json, JsonObject } from "../text/json.ts";

/** Fields of every event. */
export interface HostEventBase {
  /** The host's session identifier. */
  sessionId: string;
  cwd: string | null;
  /** Set for a sub-agent, which works in its parent's session. */
  agentId: string | null;
  agentType: string | null;
  /** The host's id of this event (tool use, prompt), if any: a repeated delivery is stored once. */
  eventKey: string | null;
  /** The host's id of the prompt behind the event, which can arrive after the next prompt. */
  promptKey: string | null;
  /** Label of the project, where the host's own configuration names one; default: the project of `cwd`. */
  project?: string;
}

export type HostEvent = HostEventBase &
  (
    | { kind: "setup" }
    | { kind: "session_start"; source: string }
    | { kind: "prompt"; text: string }
    | { kind: "before_file"; toolName: string; paths: readonly string[] }
    | {
        kind: "before_command";
        toolName: string;
        command: string;
        /** The files that it shows or patches, for a host whose agents read files by commands only. */
        files?: readonly string[];
      }
    | {
        kind: "tool_use";
        toolName: string;
        toolInput: Json;
        toolResponse: Json;
        failed: boolean;
        /** The files that the tool wrote, if it wrote any. */
        wrote?: readonly string[];
        /** Where the host writes the exit code of the command, and its id there; the response does not have it. */
        exitCodeIn?: { path: string; id: string };
        /** What the tool worked on, on a host that takes context after a tool instead of before it. */
        about?: { command: string | null; paths: readonly string[] };
      }
    /** The host is about to replace the agent's context by a summary. */
    | { kind: "before_compact" }
    /** The host asks for the context of its project, and repeats it to its agent in every turn. */
    | { kind: "context" }
    /** The agent's message, on a host whose turn end does not repeat it. */
    | { kind: "agent_message"; text: string }
    /** One prompt can have several, each with its own last message: its key needs the hash of the message. */
    | {
        kind: "turn_end";
        lastAssistantMessage: string;
        /** The file that has the last message, on a host that names only this file. */
        transcript?: TranscriptPlace;
      }
    | { kind: "session_end"; reason: string }
    /** Irrelevant or unknown: kept, never an error. */
    | { kind: "other"; name: string; payload: JsonObject; misread?: "unknown_event" | "missing_field" }
  );

export interface TranscriptPlace {
  path: string;
  /** Messages after this time belong to a later turn; null for no limit. */
  untilEpochMs: number | null;
}

/** The worker's reply to an event, before the host's envelope. */
export interface HostAnswer {
  /** Text for the agent's context, or null. */
  context: string | null;
  /** A line or a few for the user (a repair hint, a damaged database), or null. */
  notice: string | null;
}

/** One host agent. Both functions are pure. */
export interface Host {
  readonly name: string;
  /** True if a prompt takes no context: the host asks for it with a `context` event. */
  readonly asksForContext?: boolean;
  /** True if a saved session keeps only the context that came with a prompt: its first prompt then brings the start's. */
  readonly keepsPromptsOnly?: boolean;
  /** True for a payload that only this host sends, even if another host's hook brings it. */
  isSender?(payload: JsonObject): boolean;
  /** For a host whose payloads name a transcript instead of repeating what it says. */
  readonly transcripts?: Transcripts;
  /** Decodes the payload of `event` (the host's name for it); unknown events become `other`. Never throws. */
  decode(event: string, payload: JsonObject): HostEvent;
  /** The exact output of the hook: the host's envelope, plain text for Setup, or nothing. */
  render(event: HostEvent, answer: HostAnswer): string;
}

/** The transcripts of a host. */
export interface Transcripts {
  /** Transcripts elsewhere are not read: the folder that the variable names, else this folder of the home. */
  folderVariable: string;
  folder: string;
  /**
   * The agent's last message until that time, empty without one; null if the host has not written up to there yet. `text`
   * may begin in the middle of a line.
   */
  lastMessage?(text: string, untilEpochMs: number | null): string | null;
  /** The exit code of the command with this id; null if the text has none. */
  exitCode?(text: string, id: string): number | null;
}

/** True if the session starts from an earlier transcript, which already contains its injected context. */
export function replaysTranscript(source: string): boolean {
  return source === "resume" || source === "fork";
}
