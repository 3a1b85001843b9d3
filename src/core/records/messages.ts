// What waits to be turned into memory: the pending message of the contract, with what we need to trace it.
import type { Json } from "../../text/json.ts";

/** A message as intake accepts it: private parts stripped, secrets redacted, size bounded. */
export interface PendingMessage {
  type: "observation" | "summarize";
  tool_name?: string;
  tool_input?: Json;
  tool_response?: Json;
  /** True when the host said the tool failed. */
  tool_failed?: boolean;
  /** Set for a skipped tool whose use the statements of its turn read; no observation is made of it. */
  turn_only?: boolean;
  prompt_number?: number;
  cwd?: string;
  last_user_message?: string;
  last_assistant_message?: string;
  /** Set when a sub-agent did it. */
  agent_id?: string;
  agent_type?: string;
}

/** A message that the generator holds a lease on. */
export interface ClaimedMessage {
  /** Id of the raw event behind it: its identity for ever. */
  id: number;
  session_id: number;
  message: PendingMessage;
  created_at_epoch: number;
  /** Claims before this one, those of workers that died included. */
  attempts: number;
  /** Tries that the provider failed. */
  failures: number;
}

/** The conservation law: `accepted = done + skipped + pending + processing + dead` at any moment. */
export interface MessageCounts {
  accepted: number;
  done: number;
  skipped: number;
  pending: number;
  processing: number;
  dead: number;
}

/** Why a message was accepted and stored nothing. */
export type SkipReason = "private" | "tool_excluded" | "subagent_context" | "no_content";
