// States of a session and what an event does in each: the table of the contract, as data.
//
// | state     | event    | prompt  | next      | step                                      |
// |-----------|----------|---------|-----------|-------------------------------------------|
// | none      | prompt   | any     | active    | create: make the session, store           |
// | none      | message  | public  | active    | create                                    |
// | active    | prompt   | any     | active    | record: store                             |
// | active    | message  | public  | active    | record                                    |
// | completed | prompt   | any     | active    | reopen: activate the session, store       |
// | completed | message  | public  | active    | reopen                                    |
// | any       | message  | private | unchanged | skip_private                              |
// | active    | complete | -       | completed | complete                                  |
// | other     | complete | -       | unchanged | ignore: answer "No active session found"  |
//
// A message is a tool use or a summarize request. What happened before the session was completed, or what says that a
// session ended before it was last active, comes late (from the spool): it is stored, but moves no state.

export type SessionState = "none" | "active" | "completed";
export type SessionEvent = "prompt" | "message" | "complete";
export type SessionStep = "create" | "record" | "reopen" | "skip_private" | "complete" | "ignore";

interface Circumstances {
  /** Whether the prompt that a message belongs to is private. */
  isPrivate: boolean;
  isLate: boolean;
}

/** What `event` does to a session in `state`. */
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
