// What the user said of an observation, as short marks.
import type { ObservationStatus } from "../domain/records.ts";

interface Judged {
  status?: ObservationStatus | undefined;
  superseded_by?: number | null | undefined;
  pinned?: 0 | 1;
}

/** What the user said of an observation, as marks: nothing while it simply holds. */
export function statusMarks({ status = "active", superseded_by, pinned }: Judged): string[] {
  const pin = pinned === 1 ? ["pinned"] : [];
  if (status === "active") return pin;
  return [...pin, status === "superseded" && superseded_by ? `superseded by ${superseded_by}` : status];
}
