// Messages of the generation queue.
import type { Json } from "../../text/json.ts";

/** As intake accepts it: private parts stripped, secrets redacted, size bounded. */
export interface PendingMessage {
  type: "observation" | "summarize";
  tool_name?: string;
  tool_input?: Json;
  tool_response?: Json;
  /** True when the host said the tool failed. */
  tool_failed?: boolean;
  /** Set for a skipped tool: only the statements of its turn read it, and it gets no observation. */
  turn_only?: boolean;
  prompt_number?: number;
  /** Git branch and commit of the work tree. */
  branch?: string;
  commit?: string;
  cwd?: string;
  /** Label of its project, where that is another one than the session's. */
  project?: string;
  /** Set for a summary that is wanted before a compaction: the turn goes on. */
  goes_on?: boolean;
  last_user_message?: string;
  last_assistant_message?: string;
  /** Set when a sub-agent did it. */
  agent_id?: string;
  agent_type?: string;
}

/** Whether the message ends its turn. */
export function endsTurn(message: PendingMessage | undefined): boolean {
  return message?.type === "summarize" && message.goes_on !== true;
}

/** An accepted message to store. */
export interface NewRawEvent {
  session_id: number;
  kind: "observation" | "summarize" | "other";
  /** Identity of the event within its session; the same key twice is stored once. */
  event_key: string;
  /** JSON of the message. */
  payload: string;
  now: number;
  /** Epoch of its import, for an imported event. */
  imported_at?: number | undefined;
}

/** A message under a lease. */
export interface ClaimedMessage {
  /** Id of its raw event. */
  id: number;
  session_id: number;
  message: PendingMessage;
  created_at_epoch: number;
  /** Earlier claims, including claims by workers that died. */
  attempts: number;
  /** Failed calls. */
  failures: number;
}

/** `accepted = done + skipped + pending + processing + dead` at any moment. */
export interface MessageCounts {
  accepted: number;
  done: number;
  skipped: number;
  pending: number;
  processing: number;
  dead: number;
}

/** Why an accepted message stores nothing. */
export type SkipReason = "private" | "tool_excluded" | "subagent_context" | "no_content" | "deleted";
