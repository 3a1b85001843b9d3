// One POST to a model server; its failures as `ModelFailure`.
import type { Clock } from "../../core/clock.ts";
import {
  createPoster,
  type OutsideRequest,
  type PosterOptions,
  PostFailure,
} from "../../core/outbound/post.ts";
import { ModelFailure } from "../model-failure.ts";
import { refusalFailure } from "./refusal.ts";

interface OutsideCallOptions extends PosterOptions {
  clock: Clock;
}

interface OutsideAnswer {
  contentType: string;
  text: string;
}

export type OutsideCall = ReturnType<typeof createOutsideCall>;

/** Connections are kept for the next call. */
export function createOutsideCall({ clock, ...options }: OutsideCallOptions) {
  const who = new URL(options.origin).host;
  const { post, close } = createPoster(options);
  return {
    /** Cancels running calls and closes the connections. */
    close,
    /**
     * The answer of a 2xx. Throws `ModelFailure` for every other one, and `cancelled` when `signal` aborts; then the
     * connection is closed.
     */
    async post(request: OutsideRequest, signal: AbortSignal): Promise<OutsideAnswer> {
      const { status, headers, text } = await post(request, signal).catch((error: unknown) => {
        throw error instanceof PostFailure ? modelFailure(error) : error;
      });
      if (status >= 400) {
        throw refusalFailure({
          who,
          status,
          headers,
          body: text,
          secrets: request.secrets,
          now: clock.now(),
        });
      }
      return { contentType: String(headers["content-type"] ?? ""), text };
    },
  };
}

function modelFailure({ kind, message, cause }: PostFailure): ModelFailure {
  switch (kind) {
    case "late":
      return new ModelFailure("timeout", message);
    case "unreachable":
      return new ModelFailure("unavailable", message, { cause });
    case "address":
      return new ModelFailure("auth", message, { fix: "address" });
    case "unsendable":
      return new ModelFailure("auth", message, { fix: "key" });
    case "unreadable":
      return new ModelFailure("bad_answer", message);
    default:
      return kind satisfies never;
  }
}
