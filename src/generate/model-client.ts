// The port of a model: text in, text out, and the tokens it took. Each vendor's wire format has an adapter.
import type { ModelFailure } from "./model-failure.ts";
import type { TokenUsage } from "./token-usage.ts";

/** `system` is the same from call to call, so that a vendor can cache it. */
export interface ModelRequest {
  system: string;
  prompt: string;
  maxOutputTokens: number;
  /** JSON Schema of the answer, for vendors that support one; `system` describes it too. */
  schema: object;
  /** For the ledger; never sent. */
  about: { sessionId: number; project: string; messages: number };
}

export interface ModelAnswer {
  /** As the model wrote it: untrusted. */
  text: string;
  /** `length`: cut at `maxOutputTokens`. */
  stopped: "end" | "length" | "refused";
  /** Full id of the model that answered. */
  model: string;
  usage: TokenUsage;
}

/** One call without retries. Throws `ModelFailure`. `signal` aborts the call and everything it started. */
export interface ModelClient {
  /** `primary`, `secondary` or `compat`, as in the settings. */
  readonly name: string;
  /** Full id of the configured model. */
  readonly model: string;
  complete(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer>;
  /** Runs on this machine: free where no price is known. */
  readonly isOwn?: boolean;
  /** Why no call can succeed, where that is visible without one. */
  fault?(): ModelFailure | null;
  /** Closes connections and processes. */
  close(): Promise<void>;
}
