// The port of intake to a store. Adapters: the SQLite store of the worker, and the server's draft of one step.
import type { NewRawEvent } from "../core/records/messages.ts";
import type {
  GitPlace,
  IntakeSession,
  NamedPrompt,
  NewPrompt,
  NewSession,
  Session,
  UserPrompt,
} from "../core/records/records.ts";

export interface CaptureStore {
  commit<T>(write: () => T): Promise<T>;
  sessions: {
    forIntake(claudeSessionId: string, named?: NamedPrompt): IntakeSession | undefined;
    /** True when the session was deleted at this time or later. */
    isDeletedSince(claudeSessionId: string, at: number): boolean;
    /** True when the session was deleted during a private prompt: what follows until the next prompt is private too. */
    isDeletedPrivate(claudeSessionId: string): boolean;
    insert(session: NewSession): number;
    touch(id: number, now: number): void;
    complete(id: number, now: number): void;
    completeIdle(before: number, now: number): Session[];
    setUserPrompt(id: number, prompt: string): void;
    countPrompt(id: number, promptNumber: number): void;
    /** The client's numbers do not match ours: they are ignored from now on. */
    distrustNumbers(id: number): void;
    setNewestPrompt(
      id: number,
      prompt: { prompt_number: number; event_key: string; private: 0 | 1; now: number },
    ): void;
  };
  /** Keeps where the session's work is done from now on. Absent on a server. */
  seePlace?(session: { id: number; project: string }, place: GitPlace, now: number): void;
  prompts: {
    insert(prompt: NewPrompt): UserPrompt;
    byEventKey(sessionId: number, eventKey: string): StoredPrompt | undefined;
    byNumber(sessionId: number, promptNumber: number): StoredPrompt | undefined;
    /** The deleted prompt with this key, see `deletedPromptKey`. */
    deletedByKey(key: string): DeletedPrompt | undefined;
    /** The newest public prompt whose turn has no end, for clients that report ends of turns. */
    unfinished(sessionId: number): Pick<UserPrompt, "prompt_number" | "prompt_text"> | undefined;
  };
  rawEvents: {
    insert(event: NewRawEvent): number | null;
    /** Events with this key, or with the key and a suffix behind a colon. */
    ofKey(sessionId: number, key: string): { event_key: string; created_at_epoch: number }[];
  };
  pending: {
    enqueue(rawEventId: number, sessionId: number, now: number): void;
    count(name: "accepted" | "done" | "skipped", by: number): void;
  };
  withdrawals: {
    /** Deletes messages with this `prompt_key` and their records. */
    ofPrompt(sessionId: number, promptKey: string): Withdrawn;
    /** The same in sessions that the user deleted. */
    inTrash(claudeSessionId: string, promptKey: string): void;
  };
}

/** What a late private prompt deleted. */
export interface Withdrawn {
  /** A running model call was sent some of the messages. */
  isShown: boolean;
  /** Ids of records. */
  observations: readonly number[];
  summaries: readonly number[];
  /** Ids of observations that are active again: a deleted one had replaced them. */
  changed: readonly number[];
}

export interface DeletedPrompt {
  session_id: number;
  prompt_number: number;
}

export type StoredPrompt = Pick<NewPrompt, "event_key" | "private"> &
  Pick<UserPrompt, "prompt_number" | "prompt_text" | "created_at_epoch"> &
  Partial<Pick<UserPrompt, "project">>;
