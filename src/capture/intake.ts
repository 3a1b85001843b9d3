// Intake: cleans and stores every event of hosts and clients before it is acknowledged.
import { cleanInput } from "./clean-input.ts";
import { noExclusions } from "./exclusions.ts";
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
  const { store, clock, publish, exclusions = noExclusions } = deps;
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
    async initSession(input, cleaned) {
      if (exclusions.hasPlace(input))
        return { sessionDbId: 0, promptNumber: 0, skipped: true, reason: "private" };
      return prompts.initSession(cleanInput(input), cleaned);
    },
    async observe(input) {
      const { tool_input, tool_response, cwd } = input;
      if (exclusions.hasPlace(input) || exclusions.isNamedIn([tool_input, tool_response], cwd))
        return { status: "skipped", reason: "tool_excluded" };
      return messages.observe(cleanInput(input));
    },
    async summarize(input, cleaned) {
      if (exclusions.hasPlace(input)) return { status: "skipped", reason: "private" };
      // A message about an excluded file is left out; the turn still ends.
      const { last_assistant_message: message, ...others } = input;
      const isLeftOut = exclusions.isNamedIn([message], input.cwd);
      return isLeftOut
        ? messages.summarize(cleanInput(others))
        : messages.summarize(cleanInput(input), cleaned);
    },
    async keep(input, cleaned) {
      if (exclusions.hasPlace(input) || exclusions.isNamedIn([input.payload], input.cwd)) return;
      await messages.keep(cleanInput(input), cleaned);
    },
    async complete(input) {
      const { claudeSessionId } = cleanInput(input);
      const at = input.at ?? clock.now();
      const done = await store.commit(() => {
        const session = store.sessions.forIntake(claudeSessionId);
        const step = stepOf(session, "complete", { isPrivate: false, at });
        if (session === undefined || step !== "complete") return undefined;
        const isQueued = endUnfinishedTurn(store, session, { now: at, importedAt: input.importedAt });
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
          .map((session) => ({ ...session, isQueued: endUnfinishedTurn(store, session, { now }) })),
      );
      for (const session of completed) publishCompleted(session);
    },
  };
}
