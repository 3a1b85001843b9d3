// The context settings of the contract, as the context builder takes them.

export interface ContextSettings {
  /** Observations injected, 1 to 200. */
  observations: number;
  /** Newest sessions they are drawn from, 1 to 50. */
  sessions: number;
  /** Ids of the mode. Empty, or every standard one, means all: records without a concept count then too. */
  types: readonly string[];
  concepts: readonly string[];
  /** Newest observations shown expanded, 0 to 20, and by which field. */
  fullCount: number;
  fullField: "narrative" | "facts";
  /** Tokens that one text may cost. */
  tokenBudget: number;
  readTokens: boolean;
  workTokens: boolean;
  savings: boolean;
  lastSummary: boolean;
  lastMessage: boolean;
}
