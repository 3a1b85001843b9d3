// How long nothing is embedded after a failure, and why: longer each time, and for what somebody has to mend.
import { toMemError } from "../../core/errors.ts";
import { EmbedFailure } from "./embedder.ts";

/** Why nothing is embedded at the moment. */
export interface BackgroundFailure {
  kind: EmbedFailure["kind"];
  message: string;
  next: string | undefined;
}

export interface Pauses {
  /** Says so, once for the same reason; for how long to leave the embedder alone. */
  failed(cause: unknown): number;
  /** It works again: the next pause is a short one. */
  worked(): void;
  /** There is nothing to say any more. */
  forget(): void;
  failure(): BackgroundFailure | null;
}

const longestRetryMs = 10 * 60_000;
// What the user has to mend is asked about less often.
const setupFactor = 30;

/** `retryMs` is the first pause; it doubles. */
export function createPauses({
  retryMs = 2_000,
  onFailure,
}: {
  retryMs?: number | undefined;
  onFailure(sentence: string): void;
}): Pauses {
  let failures = 0;
  let failure: BackgroundFailure | null = null;
  return {
    failed(cause) {
      const error = toMemError(cause);
      const kind = error instanceof EmbedFailure ? error.kind : "unavailable";
      if (failure?.message !== error.message) onFailure(`nothing is embedded: ${error.message}`);
      failure = {
        kind,
        message: error.message,
        next: error instanceof EmbedFailure ? error.hint : undefined,
      };
      const pause = retryMs * 2 ** Math.min(20, failures) * (kind === "setup" ? setupFactor : 1);
      failures += 1;
      const wanted = error instanceof EmbedFailure ? (error.retryAfterMs ?? 0) : 0;
      return Math.max(wanted, Math.min(longestRetryMs, pause));
    },
    worked() {
      failures = 0;
      failure = null;
    },
    forget() {
      failure = null;
    },
    failure: () => failure,
  };
}
