// One model call in the ledger.

export interface ModelCall {
  at_epoch: number;
  /** `primary`, `secondary` or `compat`. */
  provider: string;
  /** Full id of the model that answered, else of the requested one. */
  model: string;
  session_id: number | null;
  project: string;
  messages: number;
  /** Includes the cached part. */
  input_tokens: number;
  output_tokens: number;
  cached_tokens: number;
  /** Millionths of a US dollar; null when the price is unknown. */
  cost_micro_usd: number | null;
  /** `ok`, or the kind of the failure. */
  outcome: string;
}

export type CostGrouping = "day" | "project" | "model" | "session";

export interface CallSums {
  calls: number;
  failed: number;
  input_tokens: number;
  output_tokens: number;
  cached_tokens: number;
  /** Of calls with a known price. */
  cost_micro_usd: number;
  /** Calls without a known price. */
  unpriced: number;
}
