// The port of a model: text in, text out, and the tokens it took. Each vendor's wire format has an adapter.
import type { ModelFailure } from "./model-failure.ts";

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

/** As the vendor counts them, else estimated at four characters a token. */
export interface TokenUsage {
  /** Includes the cached part. */
  inputTokens: number;
  outputTokens: number;
  /** The part of `inputTokens` from the vendor's cache, which is cheaper. */
  cachedTokens: number;
}

export const noUsage: Readonly<TokenUsage> = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };

export function addUsage(one: TokenUsage, other: TokenUsage): TokenUsage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cachedTokens: one.cachedTokens + other.cachedTokens,
  };
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
