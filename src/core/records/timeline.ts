// Types of a timeline that recall and the store share.
import type { Observation, SessionSummary, UserPrompt } from "./records.ts";

/** A `session` is a session summary, as in search. */
export type TimelineKind = "prompt" | "observation" | "session";

export type TimelineRow =
  | { kind: "prompt"; record: UserPrompt }
  | { kind: "observation"; record: Observation }
  | { kind: "session"; record: SessionSummary };

export interface TimelineWindow {
  /** Epoch milliseconds. */
  at: number;
  /** The record at that moment, which is in neither half; null for a moment without one. */
  anchor: { kind: TimelineKind; id: number } | null;
  limit: number;
  project: string | null;
  /** Made on this git branch. */
  branch?: string | undefined;
}
