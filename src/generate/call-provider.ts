// One provider call under a deadline, and the text of its failure.
import type { MemError } from "../core/errors.ts";
import { shorten } from "../core/shorten.ts";
import { redactSecrets } from "../privacy/secrets.ts";
import { ModelFailure } from "./model-failure.ts";
import type { GenerationBatch, GenerationReply, Provider } from "./provider.ts";

/**
 * Resolves with the reply. Rejects with `signal`'s reason, or with a `timeout` failure after `timeoutMs`, even when the
 * provider ignores the abort.
 */
export function callProvider(
  provider: Provider,
  batch: GenerationBatch,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<GenerationReply> {
  if (signal.aborted) return Promise.reject(signal.reason);
  const call = new AbortController();
  return new Promise((resolve, reject) => {
    const late = new ModelFailure("timeout", `no answer within ${timeoutMs / 1000} s`);
    const deadline = setTimeout(() => abort(late), timeoutMs);
    const cancel = (): void => abort(signal.reason);
    const settled = (): void => {
      clearTimeout(deadline);
      signal.removeEventListener("abort", cancel);
    };
    function abort(reason: unknown): void {
      settled();
      call.abort(reason);
      reject(reason);
    }
    signal.addEventListener("abort", cancel, { once: true });
    provider.generate(batch, call.signal).then(resolve, reject).finally(settled);
  });
}

const maxMessageChars = 500;

/** The failure's message without secrets. */
export function redactedMessage({ message }: MemError): string {
  return shorten(redactSecrets(message), maxMessageChars);
}

/** The failure as the queue stores it: its kind and its redacted message. */
export function storedError(failure: MemError): string {
  const message = redactedMessage(failure);
  return failure instanceof ModelFailure ? `${failure.kind}: ${message}` : message;
}
