// The sessions that are being worked on, in memory: what runs for them, what it has cost so far, and how to end it.
import type { Clock } from "../core/clock.ts";
import { MemError } from "../core/errors.ts";
import type { PendingMessage } from "../core/records/messages.ts";

/** The active session of the contract. */
export interface ActiveSession {
  readonly sessionDbId: number;
  readonly claudeSessionId: string;
  readonly sdkSessionId: string | null;
  readonly project: string;
  readonly userPrompt: string;
  /** What the running call is made for; what waits behind it is in the store. */
  pendingMessages: readonly PendingMessage[];
  /** Ends the running call; a new one for each call. */
  abortController: AbortController;
  generatorPromise: Promise<unknown> | null;
  lastPromptNumber: number;
  /** Epoch of its first work since the worker started, or since it was released. */
  readonly startTime: number;
  /** Epoch at which its last call ended; null before the end of the first. */
  lastCallAt: number | null;
  /** Tokens since `startTime`; the ledger has those of all time. */
  cumulativeInputTokens: number;
  cumulativeOutputTokens: number;
}

/** The session as the store's record has it. */
export interface SessionInWork {
  id: number;
  claude_session_id: string;
  sdk_session_id: string;
  project: string;
  user_prompt: string;
}

export interface ActiveSessions {
  /** The session's messages are being claimed: from now until `end` it can be cancelled. */
  setOut(sessionDbId: number): { end(): void };
  /** Runs a call for the session's messages; the promise is the one that `run` gives. */
  work<T>(
    session: SessionInWork,
    messages: readonly PendingMessage[],
    run: (active: ActiveSession) => Promise<T>,
  ): Promise<T>;
  get(sessionDbId: number): ActiveSession | undefined;
  count(): number;
  /** Ends the call of the session that runs or has set out, if there is one, and waits for its end. */
  cancel(sessionDbId: number): Promise<void>;
  /** Ends all running calls, and every one that sets out after it. */
  cancelAll(): void;
  /** Forgets the session, unless a call runs for it. */
  release(sessionDbId: number): void;
  /** Forgets the sessions without work for `idleMs`. */
  releaseIdle(): void;
  /** Forgets all for which no call runs. */
  releaseAll(): void;
}

const tenMinutesMs = 10 * 60_000;

// A prompt can be as long as a file; an abandoned session must not keep more of it than a reader could use.
const maxPromptChars = 2_000;

export function createActiveSessions({
  clock,
  idleMs = tenMinutesMs,
  idleAtMost = 100,
}: {
  clock: Clock;
  idleMs?: number;
  /** Idle sessions that are kept at most; the longest idle are released first. */
  idleAtMost?: number;
}): ActiveSessions {
  const working = new Map<number, ActiveSession>();
  const settingOut = new Map<number, { abortController: AbortController; over: Promise<void> }>();
  // In the order of their last work.
  const idle = new Map<number, { active: ActiveSession; since: number }>();
  let closed = false;

  function take(session: SessionInWork, messages: readonly PendingMessage[]): ActiveSession {
    const active = idle.get(session.id)?.active ?? createActive(session, clock.now());
    idle.delete(session.id);
    active.pendingMessages = messages;
    active.abortController = settingOut.get(session.id)?.abortController ?? new AbortController();
    // Its messages were being claimed when all was ended.
    if (closed) active.abortController.abort(new MemError("cancelled"));
    for (const { prompt_number } of messages)
      active.lastPromptNumber = Math.max(active.lastPromptNumber, prompt_number ?? 0);
    working.set(session.id, active);
    return active;
  }

  function rest(active: ActiveSession): void {
    active.pendingMessages = [];
    active.generatorPromise = null;
    active.lastCallAt = clock.now();
    working.delete(active.sessionDbId);
    idle.set(active.sessionDbId, { active, since: clock.monotonicMs() });
    for (const id of idle.keys()) {
      if (idle.size <= idleAtMost) break;
      idle.delete(id);
    }
  }

  return {
    setOut(id) {
      let ended: () => void = () => undefined;
      const over = new Promise<void>((resolve) => (ended = resolve));
      settingOut.set(id, { abortController: new AbortController(), over });
      return {
        end() {
          settingOut.delete(id);
          ended();
        },
      };
    },
    async work(session, messages, run) {
      const active = take(session, messages);
      try {
        const running = run(active);
        active.generatorPromise = running;
        return await running;
      } finally {
        rest(active);
      }
    },
    get: (id) => working.get(id) ?? idle.get(id)?.active,
    count: () => working.size + idle.size,
    async cancel(id) {
      const active = working.get(id);
      const out = settingOut.get(id);
      for (const call of [active, out]) call?.abortController.abort(new MemError("cancelled"));
      await active?.generatorPromise;
      await out?.over;
    },
    cancelAll() {
      closed = true;
      for (const { abortController } of working.values()) abortController.abort(new MemError("cancelled"));
    },
    release: (id) => void idle.delete(id),
    releaseIdle() {
      const before = clock.monotonicMs() - idleMs;
      for (const [id, { since }] of idle) {
        if (since > before) break;
        idle.delete(id);
      }
    },
    releaseAll: () => idle.clear(),
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
    lastCallAt: null,
    cumulativeInputTokens: 0,
    cumulativeOutputTokens: 0,
  };
}
