// The session that an event belongs to: found, made, and marked as active by what was really stored.

import { newId } from "../core/ids.ts";
import { cleanText } from "../privacy/clean.ts";
import type { CaptureStore, IntakeSession } from "./capture-store.ts";
import type { IntakeDeps, PromptInput } from "./intake.ts";
import { type SessionEvent, type SessionStep, sessionStep } from "./session-states.ts";

type SessionInput = Omit<PromptInput, "prompt">;

/** What `event` at `at` does to the session, given the privacy of the prompt it belongs to. */
export function stepOf(
  session: IntakeSession | undefined,
  event: SessionEvent,
  { isPrivate, at }: { isPrivate: boolean; at: number },
): SessionStep {
  const state = session?.status ?? "none";
  return sessionStep(state, event, { isPrivate, isLate: isLate(session, event, at) });
}

/** Makes the session of `input`, in the project of its first event. */
export function createSession(
  deps: Pick<IntakeDeps, "projectOf" | "projectNamed"> & { store: CaptureStore },
  input: SessionInput,
  now: number,
): IntakeSession {
  const created = {
    claude_session_id: input.claudeSessionId,
    sdk_session_id: newId(),
    project: projectOf(deps, input),
    host: input.host ?? "api",
    cwd: input.cwd ?? null,
    now,
  };
  const id = deps.store.sessions.insert(created);
  const { claude_session_id, sdk_session_id, project } = created;
  return {
    id,
    claude_session_id,
    sdk_session_id,
    project,
    status: "active",
    prompt_count: 0,
    prompt_number: 0,
    prompt_private: 0,
    newest_prompt_at_epoch: 0,
    last_active_at_epoch: now,
    completed_at_epoch: null,
  };
}

/** Marks activity after something was stored; a repeated delivery stores nothing and so moves nothing. */
export function markActive(
  store: CaptureStore,
  session: IntakeSession,
  { step, now }: { step: SessionStep; now: number },
): void {
  const isDue = session.status === "active" && now - session.last_active_at_epoch >= activityGrainMs;
  if (step === "reopen" || isDue) store.sessions.touch(session.id, now);
}

// Activity is kept to the second: idle time is counted in minutes, and a write saved on every tool use is worth more.
const activityGrainMs = 1_000;

function isLate(session: IntakeSession | undefined, event: SessionEvent, at: number): boolean {
  if (session === undefined) return false;
  if (event === "complete") return session.last_active_at_epoch > at;
  return session.completed_at_epoch !== null && session.completed_at_epoch > at;
}

function projectOf(
  deps: Pick<IntakeDeps, "projectOf" | "projectNamed">,
  { project, cwd }: SessionInput,
): string {
  if (project === undefined && cwd !== undefined) return deps.projectOf(cwd);
  return deps.projectNamed(cleanText(project ?? "unknown"));
}
