// The context settings of the contract, as the context builder takes them.
import type { ObservationConcept, ObservationType } from "../domain/records.ts";

export interface ContextSettings {
  /** Observations injected, 1 to 200. */
  observations: number;
  /** Newest sessions they are drawn from, 1 to 50. */
  sessions: number;
  /** Empty, or every one of them, means all: records without a concept count then too. */
  types: readonly ObservationType[];
  concepts: readonly ObservationConcept[];
  /** Newest observations shown expanded, 0 to 20, and by which field. */
  fullCount: number;
  fullField: "narrative" | "facts";
  readTokens: boolean;
  workTokens: boolean;
  savings: boolean;
  lastSummary: boolean;
  lastMessage: boolean;
}
