// Why a model gave no answer.

import { MemError } from "../core/errors.ts";
import type { PauseFix } from "../core/records/generation-pause.ts";
import type { TokenUsage } from "./token-usage.ts";

/**
 * - `rate_limited`, `quota`: the vendor asks for a pause; no attempt is spent.
 * - `auth`: the key, the address or the model is refused; paused until the user fixes it.
 * - `unavailable`, `timeout`: 5xx, a broken connection, no answer in time; the circuit breaker backs off.
 * - `overflow`: the request is too long for the model; the batch is split.
 * - `bad_request`: the vendor refuses this request for another reason.
 * - `bad_answer`: a useless answer (no JSON, wrong shape, cut off, too large); asked again twice, an HTML page later.
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
  /** From the vendor, where it says when to retry. */
  retryAfterMs?: number;
  /** Billed tokens of the failed call, where the vendor counts them. */
  usage?: TokenUsage;
  /** Of `auth`: what the user has to fix, where the message does not say how. */
  fix?: PauseFix;
  /** Of `bad_answer`: an HTML page, as of a network's sign-in. No model was reached. */
  isPage?: boolean;
  cause?: unknown;
}

/** A failed call. The message is stored and shown: no keys, and of the answer only a redacted excerpt. */
export class ModelFailure extends MemError {
  readonly kind: ModelFailureKind;
  readonly retryAfterMs: number | undefined;
  readonly usage: TokenUsage | undefined;
  readonly fix: PauseFix | undefined;
  readonly isPage: boolean;

  constructor(
    kind: ModelFailureKind,
    message: string,
    { retryAfterMs, usage, fix, isPage = false, cause }: ModelFailureOptions = {},
  ) {
    super("provider_failed", { message, cause });
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
    this.usage = usage;
    this.fix = fix;
    this.isPage = isPage;
  }
}
