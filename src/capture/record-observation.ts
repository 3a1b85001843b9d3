// Stores an observation that a client wrote itself, cleaned, without the generator.
import { MemError } from "../core/errors.ts";
import type { DraftObservation } from "../core/records/drafts.ts";
import { createdEvents, type InsertManual, insertManual } from "../core/records/manual-observation.ts";
import type { IntakeSession, Observation } from "../core/records/records.ts";
import { cleanText } from "../privacy/clean.ts";
import type { CaptureStore } from "./capture-store.ts";
import { cleanInput } from "./clean-input.ts";
import { noExclusions, refuseExcluded } from "./exclusions.ts";
import type { IntakeDeps } from "./inputs.ts";
import { createSession, isPrivateNow, markActive, placeOf, stepOf } from "./session-states.ts";

export interface RecordedObservation {
  claudeSessionId: string;
  project?: string | undefined;
  cwd?: string | undefined;
  platformSource?: string | undefined;
  title: string;
  obs_type: string;
  subtitle?: string | undefined;
  summary?: string | undefined;
  narrative?: string | undefined;
  facts: readonly string[];
  concepts: readonly string[];
  files_read: readonly string[];
  files_modified: readonly string[];
  prompt_number?: number | undefined;
}

/** The prompt of the observation is private: nothing is stored. */
export interface NotRecorded {
  status: "skipped";
  reason: "private";
}

interface RecordDeps
  extends Pick<IntakeDeps, "clock" | "projectOf" | "projectNamed" | "publish" | "exclusions" | "gitPlaceOf"> {
  store: CaptureStore & { observations: { insert: InsertManual } };
}

/**
 * Resolves after the commit. Throws `conflict` when the input names another project than its session's, and `excluded` for
 * an excluded project or path.
 */
export function createObservationRecorder(
  deps: RecordDeps,
): (input: RecordedObservation) => Promise<Observation | NotRecorded> {
  const { exclusions = noExclusions } = deps;
  return async (input) => {
    const { claudeSessionId, cwd, project, prompt_number: _number, ...texts } = input;
    refuseExcluded(exclusions, { claudeSessionId, cwd, project }, Object.values(texts).flat());
    const draft = draftOf(input);
    const cleaned = cleanInput({ ...input, host: input.platformSource });
    const stored = await deps.store.commit(() => store(deps, cleaned, draft));
    if (stored === undefined) return { status: "skipped", reason: "private" };
    for (const event of createdEvents(stored)) deps.publish(event);
    return stored;
  };
}

function store(
  deps: RecordDeps,
  input: RecordedObservation & { host: string | undefined },
  draft: Omit<DraftObservation, "sources">,
): Observation | undefined {
  const now = deps.clock.now();
  const existing = deps.store.sessions.forIntake(input.claudeSessionId, input);
  const isPrivate = isPrivateNow(deps.store, existing, input.claudeSessionId);
  const step = stepOf(existing, "message", { isPrivate, at: now });
  if (step === "skip_private") return undefined;
  if (existing !== undefined) demandProject(deps, existing, input.project);
  const session = existing ?? createSession(deps, input, now);
  const { branch = null, commit = null } = placeOf(deps, input) ?? session;
  const stored = insertManual(deps.store.observations.insert, {
    draft,
    session_id: session.id,
    sdk_session_id: session.sdk_session_id,
    project: session.project,
    prompt_number: session.prompt_number || (input.prompt_number ?? null),
    created_at_epoch: now,
    ...{ branch, commit },
  });
  markActive(deps.store, session, { step, now });
  return stored;
}

// A session belongs to one project. Stored there, the observation would be missing in the project that the client named.
function demandProject(
  { projectNamed }: RecordDeps,
  { project, claude_session_id }: IntakeSession,
  named: string | undefined,
): void {
  if (named === undefined || projectNamed(cleanText(named)) === projectNamed(project)) return;
  throw new MemError("conflict", {
    message: `Session ${claude_session_id} belongs to project \`${project}\`, not to \`${named}\`. Nothing was stored.`,
    hint: "Leave `project` out, or record the observation in a session of that project.",
  });
}

function draftOf(input: RecordedObservation): Omit<DraftObservation, "sources"> {
  const cleaned = (text: string | undefined): string | null => (text === undefined ? null : cleanText(text));
  const cleanedAll = (texts: readonly string[]): string[] => texts.map((text) => cleanText(text));
  return {
    obs_type: input.obs_type,
    title: cleanText(input.title),
    subtitle: cleaned(input.subtitle),
    summary: cleanText(input.summary ?? input.title),
    narrative: cleaned(input.narrative),
    facts: cleanedAll(input.facts),
    concepts: [...input.concepts],
    files_read: cleanedAll(input.files_read),
    files_modified: cleanedAll(input.files_modified),
    provenance: "user",
  };
}
