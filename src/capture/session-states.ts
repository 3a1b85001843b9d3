// The session of an event: its states as a table, its creation, and its activity.
//
// | state     | event    | prompt  | next      | step                                      |
// |-----------|----------|---------|-----------|-------------------------------------------|
// | none      | prompt   | any     | active    | create: create the session, store         |
// | none      | message  | public  | active    | create                                    |
// | active    | prompt   | any     | active    | record: store                             |
// | active    | message  | public  | active    | record                                    |
// | completed | prompt   | any     | active    | reopen: activate the session, store       |
// | completed | message  | public  | active    | reopen                                    |
// | any       | message  | private | unchanged | skip_private                              |
// | active    | complete | -       | completed | complete                                  |
// | other     | complete | -       | unchanged | ignore: answer "No active session found"  |
//
// A message is a tool use or a summarize request. A late event (from the spool) happened before the session completed, or
// reports its end before its last activity: it is stored, but changes no state.

import { existsSync } from "node:fs";
import { dirname, isAbsolute, relative } from "node:path";
import { newId } from "../core/ids.ts";
import { activityGrainMs, type GitPlace, type IntakeSession } from "../core/records/records.ts";
import { cleanText } from "../privacy/clean.ts";
import type { CaptureStore } from "./capture-store.ts";
import type { EventInput, IntakeDeps } from "./inputs.ts";

export type SessionState = "none" | "active" | "completed";
export type SessionEvent = "prompt" | "message" | "complete";
export type SessionStep = "create" | "record" | "reopen" | "skip_private" | "complete" | "ignore";

interface Circumstances {
  /** Whether the prompt of a message is private. */
  isPrivate: boolean;
  isLate: boolean;
}

export function sessionStep(
  state: SessionState,
  event: SessionEvent,
  { isPrivate, isLate }: Circumstances,
): SessionStep {
  if (isPrivate && event === "message") return "skip_private";
  return isLate ? lateSteps[event] : steps[state][event];
}

const lateSteps: Record<SessionEvent, SessionStep> = {
  prompt: "record",
  message: "record",
  complete: "ignore",
};

const steps: Record<SessionState, Record<SessionEvent, SessionStep>> = {
  none: { prompt: "create", message: "create", complete: "ignore" },
  active: { prompt: "record", message: "record", complete: "complete" },
  completed: { prompt: "reopen", message: "reopen", complete: "ignore" },
};

/** The step for an event at `at`. */
export function stepOf(
  session: IntakeSession | undefined,
  event: SessionEvent,
  { isPrivate, at }: { isPrivate: boolean; at: number },
): SessionStep {
  return sessionStep(session?.status ?? "none", event, { isPrivate, isLate: isLate(session, event, at) });
}

function isLate(session: IntakeSession | undefined, event: SessionEvent, at: number): boolean {
  if (session === undefined) return false;
  if (event === "complete") return session.last_active_at_epoch > at;
  return session.completed_at_epoch !== null && session.completed_at_epoch > at;
}

/** Whether a message of the session belongs to a private prompt. */
export function isPrivateNow(
  { sessions }: Pick<CaptureStore, "sessions">,
  session: IntakeSession | undefined,
  claudeSessionId: string,
): boolean {
  return session === undefined ? sessions.isDeletedPrivate(claudeSessionId) : session.prompt_private === 1;
}

/** Whether a spooled or imported event is from before the user deleted its session. */
export function isOfDeleted(
  { sessions }: Pick<CaptureStore, "sessions">,
  { claudeSessionId, at }: Pick<EventInput, "claudeSessionId" | "at">,
): boolean {
  return at !== undefined && sessions.isDeletedSince(claudeSessionId, at);
}

/** Where an event happened; null without a repository, and for an earlier event whose work tree may have moved on. */
export function placeOf(
  { gitPlaceOf }: Pick<IntakeDeps, "gitPlaceOf">,
  { cwd, at, place, importedAt }: Pick<EventInput, "cwd" | "at" | "place" | "importedAt">,
): GitPlace | null {
  if (place !== undefined) return place;
  return importedAt !== undefined || cwd === undefined ? null : (gitPlaceOf?.(cwd, at) ?? null);
}

/** Label of the project of a file, or of the event's directory, in another repository. Call it in the transaction. */
export function elsewhere(
  deps: Pick<IntakeDeps, "elsewhere">,
  session: Pick<IntakeSession, "project" | "cwd">,
  { cwd, project: named, file = "" }: Pick<EventInput, "cwd" | "project"> & { file?: string },
): string | undefined {
  if (cwd === undefined || named !== undefined || deps.elsewhere === undefined) return undefined;
  const isOutside = isAbsolute(file) && relative(cwd, file).startsWith("..") && existsSync(dirname(file));
  return deps.elsewhere(isOutside ? dirname(file) : cwd, session);
}

/** The work of the session goes on at `place`. What a transcript told may be from before, or known. */
export function keepPlace(
  store: CaptureStore,
  session: IntakeSession,
  place: GitPlace,
  { told, now }: { told: GitPlace | undefined; now: number },
): void {
  const isKnown = place.branch === session.branch && place.commit === session.commit;
  if (told !== undefined && (isKnown || now < session.last_active_at_epoch)) return;
  store.seePlace?.(session, place, now);
}

/** Creates the session in the project of its first event. */
export function createSession(
  deps: Pick<IntakeDeps, "projectOf" | "projectNamed"> & { store: CaptureStore },
  { claudeSessionId, project, host = "api", cwd }: EventInput,
  now: number,
): IntakeSession {
  const named = {
    claude_session_id: claudeSessionId,
    sdk_session_id: newId(),
    project:
      project === undefined && cwd !== undefined
        ? deps.projectOf(cwd)
        : deps.projectNamed(cleanText(project ?? "unknown")),
  };
  return {
    ...named,
    id: deps.store.sessions.insert({ ...named, host, cwd: cwd ?? null, now }),
    cwd: cwd ?? null,
    status: "active",
    prompt_count: 0,
    prompt_number: 0,
    prompt_private: 0,
    newest_prompt_at_epoch: 0,
    last_active_at_epoch: now,
    completed_at_epoch: null,
  };
}

/** Call it only after something was stored: a repeated delivery is no activity. */
export function markActive(
  store: CaptureStore,
  session: IntakeSession,
  { step, now }: { step: SessionStep; now: number },
): void {
  const isDue = session.status === "active" && now - session.last_active_at_epoch >= activityGrainMs;
  if (step === "reopen" || isDue) store.sessions.touch(session.id, now);
}
