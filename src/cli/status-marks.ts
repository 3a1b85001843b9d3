// What the user said, and said of an observation, as short marks.
import type { ObservationStatus } from "../core/records/records.ts";
import type { Speaker } from "../core/records/statement.ts";

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

interface Said {
  standing?: 0 | 1 | undefined;
  said_by?: Speaker | null | undefined;
}

/** A rule that stands, or the user's own words; nothing for what an agent or a tool said. */
export function speakerMarks({ standing, said_by }: Said): string[] {
  if (standing === 1) return ["rule"];
  return said_by === "user" ? ["said by the user"] : [];
}
