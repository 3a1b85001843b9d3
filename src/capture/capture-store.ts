// The port of intake: what it needs of a store. The SQLite store fits it structurally.
import type { Session, UserPrompt } from "../core/records/records.ts";

export interface IntakeSession {
  id: number;
  claude_session_id: string;
  sdk_session_id: string;
  project: string;
  status: "active" | "completed";
  /** The highest number that a prompt has. */
  prompt_count: number;
  /** The prompt that the message belongs to: the newest when it names none, or one that is not known; 0 for none. */
  prompt_number: number;
  /** Whether that prompt is private; 0 when the session has no prompt yet. */
  prompt_private: 0 | 1;
  newest_prompt_at_epoch: number;
  last_active_at_epoch: number;
  completed_at_epoch: number | null;
  /** True when the message names its prompt by a key that no prompt has yet. */
  awaits_prompt?: boolean;
}

/** The prompt that a message says it belongs to: by the host's id of it, else by its number. */
export interface NamedPrompt {
  promptKey?: string | undefined;
  prompt_number?: number | undefined;
}

export interface CaptureStore {
  commit<T>(write: () => T): Promise<T>;
  sessions: {
    forIntake(claudeSessionId: string, named?: NamedPrompt): IntakeSession | undefined;
    insert(session: {
      claude_session_id: string;
      sdk_session_id: string;
      project: string;
      host: string;
      cwd: string | null;
      now: number;
    }): number;
    touch(id: number, now: number): void;
    complete(id: number, now: number): void;
    completeIdle(before: number, now: number): Session[];
    setUserPrompt(id: number, prompt: string): void;
    countPrompt(id: number, promptNumber: number): void;
    /** The client numbers its prompts otherwise: from now on its numbers name no prompt. */
    distrustNumbers(id: number): void;
    setNewestPrompt(
      id: number,
      prompt: { prompt_number: number; event_key: string; private: 0 | 1; now: number },
    ): void;
  };
  prompts: {
    insert(prompt: {
      session_id: number;
      claude_session_id: string;
      sdk_session_id: string;
      project: string;
      prompt_number: number;
      prompt_text: string;
      private: 0 | 1;
      event_key: string;
      now: number;
    }): UserPrompt;
    byEventKey(sessionId: number, eventKey: string): StoredPrompt | undefined;
    byNumber(sessionId: number, promptNumber: number): StoredPrompt | undefined;
    /** The newest public prompt whose turn has no end, where the client says when turns end. */
    unfinished(sessionId: number): Pick<UserPrompt, "prompt_number" | "prompt_text"> | undefined;
  };
  rawEvents: {
    insert(event: {
      session_id: number;
      kind: "observation" | "summarize" | "other";
      event_key: string;
      payload: string;
      now: number;
    }): number | null;
    /** Those of this key, and of the key with anything behind a colon. */
    ofKey(sessionId: number, key: string): { event_key: string; created_at_epoch: number }[];
  };
  pending: {
    enqueue(rawEventId: number, sessionId: number, now: number): void;
    count(name: "accepted" | "done" | "skipped", by: number): void;
  };
  withdrawals: {
    /**
     * Takes back what was stored with `prompt_key` in front of its payload, and all that was made of it. True when a
     * model is being shown some of it right now.
     */
    ofPrompt(sessionId: number, promptKey: string): boolean;
  };
}

export interface StoredPrompt {
  prompt_number: number;
  prompt_text: string;
  private: 0 | 1;
  created_at_epoch: number;
}
