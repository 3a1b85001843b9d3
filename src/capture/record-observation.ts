// Records a finished observation that a client wrote itself: cleaned like every other, stored without the generator.

import { MemError } from "../core/errors.ts";
import type { DraftObservation } from "../core/records/drafts.ts";
import type { StreamEvent } from "../core/records/events.ts";
import type { Observation } from "../core/records/records.ts";
import { cleanText } from "../privacy/clean.ts";
import type { CaptureStore, IntakeSession } from "./capture-store.ts";
import { cleanInput } from "./clean-input.ts";
import type { IntakeDeps } from "./intake.ts";
import { createSession, markActive, stepOf } from "./open-session.ts";

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

/** What is answered when the prompt that the observation belongs to is private: nothing of it is stored. */
export interface NotRecorded {
  status: "skipped";
  reason: "private";
}

interface RecordDeps extends Pick<IntakeDeps, "clock" | "projectOf" | "projectNamed" | "publish"> {
  store: CaptureStore & {
    observations: {
      insert(observation: {
        draft: Omit<DraftObservation, "sources">;
        sources: readonly number[];
        session_id: number;
        sdk_session_id: string;
        project: string;
        prompt_number: number | null;
        generator: string;
        agent_id: null;
        agent_type: null;
        discovery_tokens: number;
        generation_key: null;
        created_at_epoch: number;
      }): Observation | undefined;
    };
  };
}

/**
 * Resolves to the stored observation after it is committed; its generator is `manual`. Throws `conflict` when the input
 * names another project than its session's.
 */
export function createObservationRecorder(
  deps: RecordDeps,
): (input: RecordedObservation) => Promise<Observation | NotRecorded> {
  return async (input) => {
    const draft = draftOf(input);
    const cleaned = cleanInput({ ...input, host: input.platformSource });
    const stored = await deps.store.commit(() => store(deps, cleaned, draft));
    if (stored === undefined) return { status: "skipped", reason: "private" };
    for (const event of eventsOf(stored)) deps.publish(event);
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
  const step = stepOf(existing, "message", { isPrivate: existing?.prompt_private === 1, at: now });
  if (step === "skip_private") return undefined;
  if (existing !== undefined) demandProject(deps, existing, input.project);
  const session = existing ?? createSession(deps, input, now);
  const stored = deps.store.observations.insert({
    draft,
    sources: [],
    session_id: session.id,
    sdk_session_id: session.sdk_session_id,
    project: session.project,
    prompt_number: session.prompt_number || (input.prompt_number ?? null),
    generator: "manual",
    agent_id: null,
    agent_type: null,
    discovery_tokens: 0,
    generation_key: null,
    created_at_epoch: now,
  });
  if (stored === undefined) throw new TypeError("an insert without a key was ignored");
  markActive(deps.store, session, { step, now });
  return stored;
}

// A session belongs to one project. Stored there, the observation would be missed in the project that the client named.
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
  return {
    obs_type: input.obs_type,
    title: cleanText(input.title),
    subtitle: cleaned(input.subtitle),
    summary: cleanText(input.summary ?? input.title),
    narrative: cleaned(input.narrative),
    facts: input.facts.map((fact) => cleanText(fact)),
    concepts: [...input.concepts],
    files_read: input.files_read.map((path) => cleanText(path)),
    files_modified: input.files_modified.map((path) => cleanText(path)),
    provenance: "user",
  };
}

/** What the stream says of a new observation: the record, and the short form for feed clients. */
export function eventsOf(observation: Observation): StreamEvent[] {
  const { id, title, subtitle, obs_type, project, created_at_epoch } = observation;
  return [
    { type: "observation_created", observation },
    { type: "new_observation", id, title, subtitle, obs_type, project, created_at_epoch },
  ];
}
