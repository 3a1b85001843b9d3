// The words that recall and the store share about a timeline: its kinds, its rows, and the window that is read of it.
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
  /** The record that stands at that moment and is in neither half; null for a bare moment. */
  anchor: { kind: TimelineKind; id: number } | null;
  limit: number;
  project: string | null;
}
