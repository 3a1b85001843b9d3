// One turn of a session as the statements are read from it.
import type { PendingMessage } from "./messages.ts";

/** What the user asked, what the agent did for it, and its last message. All texts are cleaned. */
export interface Turn {
  prompt: string;
  /** The prompts that `prompt` joins; absent where it is one. */
  prompts?: readonly string[];
  /** The agent's last message; empty when the turn was broken off. */
  closing: string;
  /** The turn before it in the session; null for the first one. */
  previous: { prompt: string; closing: string } | null;
  /** Tool uses of the session up to here, oldest first, the newest ones where they are many. */
  uses: readonly ToolUseOfTurn[];
  /** Commands that failed in earlier sessions of the project and were not fixed, oldest first; absent where not known. */
  failures?: readonly ToolUseOfTurn[];
}

export interface ToolUseOfTurn {
  /** Id of the raw event. */
  id: number;
  /** True for a tool use of this turn, false for one of an earlier turn of the session. */
  isOfTurn: boolean;
  message: PendingMessage;
}
