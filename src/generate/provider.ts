// The provider port: turns a batch of messages of one session into drafts of memory.
import type { Reply } from "../core/records/drafts.ts";
import type { ClaimedMessage } from "../core/records/messages.ts";
import type { Turn } from "../core/records/turn.ts";
import type { TokenUsage } from "./token-usage.ts";
import type { Known } from "./writer/known-things.ts";

/** Messages of one turn of a session, oldest first, already cleaned. */
export interface GenerationBatch {
  session: { id: number; claude_session_id: string; project: string; user_prompt: string };
  /** A message that asks for a summary is the last one. */
  messages: readonly ClaimedMessage[];
  /** Titles of the session's newest observations, oldest first; for a summary, those that no summary covers yet. */
  recentTitles: readonly string[];
  /** The turn that the last message ends; absent where it goes on. */
  turn?: Turn | undefined;
  /** The prompt of a turn that has not ended. */
  request?: string | undefined;
  /** Reads what is known from before the end of the turn. */
  knownBefore?: () => Known;
  /** Useless answers are not asked again: recent ones were useless to every session, and each is paid for. */
  askOnce?: boolean;
}

export interface GenerationReply extends Reply {
  /** Of all its calls. */
  usage: TokenUsage;
}

/**
 * Turns messages into drafts. Throws `ModelFailure` when it could not; any other error counts as a failure of these
 * messages. `signal` aborts at shutdown, when the session is cancelled, and at the deadline of the call.
 */
export interface Provider {
  readonly name: string;
  generate(batch: GenerationBatch, signal: AbortSignal): Promise<GenerationReply>;
}
