// Why a model gave no answer, and what that means for the messages that wait for it.

import { MemError } from "../core/errors.ts";
import type { Mends } from "../core/records/generation-pause.ts";
import type { TokenUsage } from "./model-client.ts";

/**
 * - `rate_limited`, `quota`: the vendor wants a pause; no attempt is spent.
 * - `auth`: the key, the address or the model is refused; paused until the user mends it.
 * - `unavailable`, `timeout`: 5xx, a broken connection, no answer in time; backed off behind the circuit breaker.
 * - `overflow`: the request is too long for the model; the batch is split.
 * - `bad_request`: the vendor refuses this request for another reason.
 * - `bad_answer`: an answer that cannot be used (no JSON, wrong shape, cut off, too large); asked afresh twice at most,
 *   an HTML page not at once.
 */
export type ModelFailureKind =
  | "rate_limited"
  | "quota"
  | "auth"
  | "unavailable"
  | "timeout"
  | "overflow"
  | "bad_request"
  | "bad_answer";

interface ModelFailureOptions {
  /** Milliseconds after which the vendor wants to be asked again, where it says so. */
  retryAfterMs?: number;
  /** What the vendor says the failed call used, where it says so: it was billed. */
  usage?: TokenUsage;
  /** Of `auth`: what the user has to mend, where the message does not say how. */
  mends?: Mends;
  /** Of `bad_answer`: an HTML page came, as from a network's sign-in. No model was reached. */
  isPage?: boolean;
  cause?: unknown;
}

/** A failed call. The message is for people and is stored: no keys, no more of the answer than a redacted excerpt. */
export class ModelFailure extends MemError {
  readonly kind: ModelFailureKind;
  readonly retryAfterMs: number | undefined;
  readonly usage: TokenUsage | undefined;
  readonly mends: Mends | undefined;
  readonly isPage: boolean;

  constructor(
    kind: ModelFailureKind,
    message: string,
    { retryAfterMs, usage, mends, isPage = false, cause }: ModelFailureOptions = {},
  ) {
    super("provider_failed", { message, cause });
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
    this.usage = usage;
    this.mends = mends;
    this.isPage = isPage;
  }
}
