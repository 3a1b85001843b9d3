// Sessions with a running call, and those whose last call ended recently, in memory.
import type { Clock } from "../core/clock.ts";
import { MemError } from "../core/errors.ts";
import { RecentMap } from "../core/recent-map.ts";
import type { PendingMessage } from "../core/records/messages.ts";

/** The active session of the contract. */
export interface ActiveSession {
  readonly sessionDbId: number;
  readonly claudeSessionId: string;
  readonly sdkSessionId: string | null;
  readonly project: string;
  readonly userPrompt: string;
  /** Messages of the running call; those that wait are in the store. */
  pendingMessages: readonly PendingMessage[];
  /** Cancels the running call; a new one for each call. */
  abortController: AbortController;
  generatorPromise: Promise<unknown> | null;
  lastPromptNumber: number;
  /** Epoch of its first call since the worker started, or since it was released. */
  readonly startTime: number;
  /** Tokens since `startTime`. */
  cumulativeInputTokens: number;
  cumulativeOutputTokens: number;
}

/** The session's stored record. */
export interface SessionInWork {
  id: number;
  claude_session_id: string;
  sdk_session_id: string;
  project: string;
  user_prompt: string;
}

export type ActiveSessions = ReturnType<typeof createActiveSessions>;

interface Call {
  abortController: AbortController;
  active: ActiveSession | null;
  ended: Promise<void>;
}

// Sessions without a call that are kept; the longest idle are released first.
const idleAtMost = 100;
// A prompt can be as long as a file, and idle sessions keep theirs.
const maxPromptChars = 2_000;

export function createActiveSessions({ clock }: { clock: Pick<Clock, "now"> }) {
  const calls = new Map<number, Call>();
  const idle = new RecentMap<number, ActiveSession>(idleAtMost);
  let isClosed = false;

  return {
    /** Begins a call before its messages are claimed: it can be cancelled until `end`. */
    begin(id: number) {
      let end: () => void = () => undefined;
      const ended = new Promise<void>((resolve) => (end = resolve));
      const call: Call = { abortController: new AbortController(), active: null, ended };
      if (isClosed) call.abortController.abort(new MemError("cancelled"));
      calls.set(id, call);
      return {
        /** The session with its claimed messages. */
        start(session: SessionInWork, messages: readonly PendingMessage[]): ActiveSession {
          const active = idle.get(session.id) ?? createActive(session, clock.now());
          const numbers = messages.map(({ prompt_number }) => prompt_number ?? 0);
          call.active = Object.assign(active, {
            pendingMessages: messages,
            abortController: call.abortController,
            generatorPromise: ended,
            lastPromptNumber: Math.max(active.lastPromptNumber, ...numbers),
          });
          return active;
        },
        /** `isOver`: nothing more comes, so the session is forgotten. */
        end({ isOver } = { isOver: false }): void {
          calls.delete(id);
          const { active } = call;
          if (isOver) idle.delete(id);
          else if (active !== null)
            idle.set(id, Object.assign(active, { pendingMessages: [], generatorPromise: null }));
          end();
        },
      };
    },
    get: (id: number) => calls.get(id)?.active ?? idle.get(id),
    /** Cancels the session's call, if any, and waits for its end. */
    async cancel(id: number) {
      const call = calls.get(id);
      call?.abortController.abort(new MemError("cancelled"));
      await call?.ended;
    },
    /** Cancels all calls, and those that begin later. */
    cancelAll() {
      isClosed = true;
      for (const { abortController } of calls.values()) abortController.abort(new MemError("cancelled"));
    },
  };
}

function createActive(session: SessionInWork, now: number): ActiveSession {
  return {
    sessionDbId: session.id,
    claudeSessionId: session.claude_session_id,
    sdkSessionId: session.sdk_session_id,
    project: session.project,
    userPrompt: session.user_prompt.slice(0, maxPromptChars),
    pendingMessages: [],
    abortController: new AbortController(),
    generatorPromise: null,
    lastPromptNumber: 0,
    startTime: now,
    cumulativeInputTokens: 0,
    cumulativeOutputTokens: 0,
  };
}
