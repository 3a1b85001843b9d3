// What the user said of an observation, as short marks.
import type { ObservationStatus } from "../domain/records.ts";

interface Judged {
  status?: ObservationStatus | undefined;
  superseded_by?: number | null | undefined;
  pinned?: 0 | 1;
}

/** What the user said of an observation, as marks: nothing while it simply holds. */
export function statusMarks({ status = "active", superseded_by, pinned }: Judged): string[] {
  // A pin outlasts a rejection, in case that is taken back; until then it pins nothing.
  const pin = pinned === 1 && status !== "rejected" ? ["pinned"] : [];
  if (status === "active") return pin;
  return [...pin, status === "superseded" && superseded_by ? `superseded by ${superseded_by}` : status];
}
