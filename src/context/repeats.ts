// Records that say the same over and over stand once: the tenth reading of a file must not push out what was decided.
import type { Observation } from "../core/records/records.ts";

/** A record, and which of those looked at it stands for, itself included. */
export interface Repeated<R> {
  observation: R;
  ids: number[];
}

/**
 * The first `limit` records that differ in title or type, each the first of its kind: the newest stands for the others.
 * Those of another project, from outside while this one is our own, or of another status, are another kind.
 */
export function withoutRepeats<R extends Observation>(
  observations: readonly R[],
  limit: number,
): Repeated<R>[] {
  const kinds = new Map<string, Repeated<R>>();
  for (const observation of observations) {
    const { project, title, obs_type, provenance, status, pinned } = observation;
    const outside = provenance === "web" || provenance === "mcp" ? provenance : "";
    const kind = [project, obs_type, title, outside, status, pinned].join("\0");
    const known = kinds.get(kind);
    if (known !== undefined) known.ids.push(observation.id);
    else if (kinds.size < limit) kinds.set(kind, { observation, ids: [observation.id] });
  }
  return [...kinds.values()];
}
