// One call of a model as the ledger keeps it: what it was for, what it cost.

export interface ModelCall {
  at_epoch: number;
  /** `primary`, `secondary` or `compat`. */
  provider: string;
  /** Full id of the model that answered, or of the one that was asked. */
  model: string;
  session_id: number | null;
  project: string;
  messages: number;
  /** All that was read, the cached part included. */
  input_tokens: number;
  output_tokens: number;
  cached_tokens: number;
  /** Millionths of a US dollar; null where the price of the model is not known. */
  cost_micro_usd: number | null;
  /** `ok`, or why there was no answer. */
  outcome: string;
}

/** What calls are summed by. */
export type CostGrouping = "day" | "project" | "model" | "session";

/** Sums over some calls. */
export interface CallSums {
  calls: number;
  /** Calls that gave no answer. */
  failed: number;
  input_tokens: number;
  output_tokens: number;
  cached_tokens: number;
  /** Of the calls whose price is known. */
  cost_micro_usd: number;
  /** Calls whose price is not known. */
  unpriced: number;
}
