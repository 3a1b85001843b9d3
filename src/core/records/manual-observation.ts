// Observations that a user, a client or the host's agent writes itself, and the stream events of a new observation.
import type { DraftObservation } from "./drafts.ts";
import type { StreamEvent } from "./events.ts";
import type { GitPlace, Observation } from "./records.ts";

interface Written extends GitPlace {
  draft: Omit<DraftObservation, "sources">;
  /** Null outside of sessions. */
  session_id: number | null;
  sdk_session_id: string;
  project: string;
  prompt_number: number | null;
  created_at_epoch: number;
  /** Default: `manual`, for the user or a client. */
  generator?: string;
}

interface ManualObservation extends Written {
  sources: readonly number[];
  generator: string;
  agent_id: null;
  agent_type: null;
  discovery_tokens: 0;
  generation_key: null;
}

/** The insert of a store; undefined only for a repeated generation key, which manual observations do not have. */
export type InsertManual = (observation: ManualObservation) => Observation | undefined;

export function insertManual(insert: InsertManual, written: Written): Observation {
  const stored = insert({
    generator: "manual",
    ...written,
    sources: [],
    agent_id: null,
    agent_type: null,
    discovery_tokens: 0,
    generation_key: null,
  });
  if (stored === undefined) throw new TypeError("an insert without a key was ignored");
  return stored;
}

/** The whole record, and the short form for feed clients. */
export function createdEvents(observation: Observation): StreamEvent[] {
  const { id, title, subtitle, obs_type, project, created_at_epoch } = observation;
  return [
    { type: "observation_created", observation },
    { type: "new_observation", id, title, subtitle, obs_type, project, created_at_epoch },
  ];
}
