// Records that say the same over and over stand once: the tenth reading of a file must not push out what was decided.
import type { Observation } from "../domain/records.ts";

/** A record, and how many of those looked at it stands for, itself included. */
export interface Repeated<R> {
  observation: R;
  times: number;
}

/**
 * The first `limit` records that differ in title or type, each the first of its kind: the newest stands for the others.
 * Those of another project, or from outside while this one is our own, are another kind.
 */
export function withoutRepeats<R extends Observation>(
  observations: readonly R[],
  limit: number,
): Repeated<R>[] {
  const kinds = new Map<string, Repeated<R>>();
  for (const observation of observations) {
    const { project, title, obs_type, provenance } = observation;
    const outside = provenance === "web" || provenance === "mcp" ? provenance : "";
    const kind = JSON.stringify([project, obs_type, title, outside]);
    const known = kinds.get(kind);
    if (known !== undefined) known.times += 1;
    else if (kinds.size < limit) kinds.set(kind, { observation, times: 1 });
  }
  return [...kinds.values()];
}

/** What is put behind the title of a record that stands for several. */
export function repeatMark(times: number): string {
  return times === 1 ? "" : ` (x${times})`;
}
