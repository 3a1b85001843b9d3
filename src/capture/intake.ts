// Intake: cleans and stores every event of hosts and clients before it is acknowledged.
import { cleanInput } from "./clean-input.ts";
import type { Intake, IntakeDeps } from "./inputs.ts";
import { createMessageIntake, endUnfinishedTurn } from "./message-intake.ts";
import { createPromptIntake } from "./prompt-intake.ts";
import { stepOf } from "./session-states.ts";

interface CompletedSession {
  id: number;
  project: string;
  /** The unfinished turn was queued. */
  isQueued: boolean;
}

/** Every method resolves after its rows are committed and synced; a rejected call stored nothing. */
export function createIntake(deps: IntakeDeps): Intake {
  const { store, clock, publish } = deps;
  const prompts = createPromptIntake(deps);
  const messages = createMessageIntake(deps);
  function publishCompleted({ id, project, isQueued }: CompletedSession): void {
    if (isQueued) {
      publish({ type: "summarize_queued" });
      deps.onQueued(id);
    }
    publish({ type: "session_completed", sessionDbId: id, project });
  }
  return {
    initSession: (input, cleaned) => prompts.initSession(cleanInput(input), cleaned),
    observe: (input) => messages.observe(cleanInput(input)),
    summarize: (input, cleaned) => messages.summarize(cleanInput(input), cleaned),
    keep: (input, cleaned) => messages.keep(cleanInput(input), cleaned),
    async complete(input) {
      const { claudeSessionId } = cleanInput(input);
      const at = input.at ?? clock.now();
      const done = await store.commit(() => {
        const session = store.sessions.forIntake(claudeSessionId);
        const step = stepOf(session, "complete", { isPrivate: false, at });
        if (session === undefined || step !== "complete") return undefined;
        const isQueued = endUnfinishedTurn(store, session, at);
        store.sessions.complete(session.id, at);
        return { ...session, isQueued };
      });
      if (done === undefined) return { success: true, message: "No active session found" };
      publishCompleted(done);
      return { success: true };
    },
    async completeIdle(idleMs) {
      const now = clock.now();
      const completed = await store.commit(() =>
        store.sessions
          .completeIdle(now - idleMs, now)
          .map((session) => ({ ...session, isQueued: endUnfinishedTurn(store, session, now) })),
      );
      for (const session of completed) publishCompleted(session);
    },
  };
}
