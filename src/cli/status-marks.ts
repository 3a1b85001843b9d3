// What the user said of an observation, as short marks.
import type { Observation } from "../domain/records.ts";

/** What the user said of an observation, as marks: nothing while it simply holds. */
export function statusMarks(
  observation: Pick<Observation, "status" | "superseded_by"> & { pinned?: 0 | 1 },
): string[] {
  const { status, superseded_by, pinned } = observation;
  const pin = pinned === 1 ? ["pinned"] : [];
  if (status === "active") return pin;
  return [
    ...pin,
    status === "superseded" && superseded_by !== null ? `superseded by ${superseded_by}` : status,
  ];
}
