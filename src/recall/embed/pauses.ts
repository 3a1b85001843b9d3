// Pauses after failures of the embedder: doubled each time, longer when the user has to fix the setup.
import { toMemError } from "../../core/errors.ts";
import { EmbedFailure } from "./embedder.ts";

/** Why the embedder is paused. */
export interface BackgroundFailure {
  kind: EmbedFailure["kind"];
  message: string;
  next: string | undefined;
}

export type Pauses = ReturnType<typeof createPauses>;

const longestRetryMs = 10 * 60_000;
// A setup that the user has to fix is retried less often.
const setupFactor = 30;

/** `retryMs` is the first pause; it doubles. */
export function createPauses({
  retryMs = 2_000,
  onFailure,
}: {
  retryMs?: number | undefined;
  onFailure(sentence: string): void;
}) {
  let failures = 0;
  let failure: BackgroundFailure | null = null;
  return {
    /** Reports the failure, once for the same reason; returns the pause. */
    failed(cause: unknown): number {
      const error = toMemError(cause);
      const kind = error instanceof EmbedFailure ? error.kind : "unavailable";
      if (failure?.message !== error.message) onFailure(`embedding is paused: ${error.message}`);
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
    /** The embedder works again: the next pause is short. */
    worked() {
      failures = 0;
      failure = null;
    },
    failure: () => failure,
  };
}
