// The port of a model: one text in, one text out, and what it cost. Every vendor's wire format fits this one shape.
import type { ModelFailure } from "./model-failure.ts";

/** One call. `system` is the same from call to call, so that a vendor can cache it; `prompt` is not. */
export interface ModelRequest {
  system: string;
  prompt: string;
  /** Tokens of the answer at most. */
  maxOutputTokens: number;
  /** JSON Schema of the answer, for vendors that can be held to one; the others are told in `system`. */
  schema: object;
  /** What it is for: the ledger's columns. Never sent. */
  about: { sessionId: number; project: string; messages: number };
}

/** Tokens of one call as the vendor counted them; estimated at four characters a token where it does not. */
export interface TokenUsage {
  /** All that was read, the cached part included. */
  inputTokens: number;
  outputTokens: number;
  /** The part of `inputTokens` that came from the vendor's cache and is cheaper. */
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
  /** `length` when it was cut at `maxOutputTokens`, `refused` when the model would not answer. */
  stopped: "end" | "length" | "refused";
  /** Full id of the model that answered. */
  model: string;
  usage: TokenUsage;
}

/** Asks the model once; no retries. Throws `ModelFailure`. `signal` aborts the call and everything it started. */
export interface ModelClient {
  /** `primary`, `secondary` or `compat`, as in the settings. */
  readonly name: string;
  /** Full id of the model that will be asked. */
  readonly model: string;
  complete(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer>;
  /** It runs on this machine: where no price is known it costs nothing. */
  readonly isOwn?: boolean;
  /** Why no call can succeed, where that can be seen without making one. */
  fault?(): ModelFailure | null;
  /** Ends what it holds open: connections, processes. */
  close(): Promise<void>;
}
