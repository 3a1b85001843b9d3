// Vectors of queries: cached, because typing and paging repeat them, and with a short deadline.
import type { Clock } from "../../core/clock.ts";
import { toMemError } from "../../core/errors.ts";
import { type Embedder, EmbedFailure } from "./embedder.ts";

interface QueryVectorOptions {
  clock: Clock;
  /** After this a search continues without a vector. */
  deadlineMs?: number;
  /** For so long after the first failure searches do not call the embedder; doubled for each one that follows. */
  pauseMs?: number;
}

interface Failed {
  failure: EmbedFailure;
  /** Failures in a row. */
  times: number;
  /** Zero while searches call the embedder. */
  until: number;
}

const kept = 128;
const longestText = 2_000;
const longestPauseMs = 10 * 60_000;
// A refused text does not predict the next one; this many in a row do.
const mostRefused = 3;

export function createQueryVectors({ clock, deadlineMs = 2_500, pauseMs = 10_000 }: QueryVectorOptions) {
  const known = new Map<string, Float32Array>();
  const failed = new Map<string, Failed>();

  function keep(key: string, vector: Float32Array): void {
    const oldest = known.keys().next();
    if (known.size >= kept && oldest.done !== true) known.delete(oldest.value);
    known.set(key, vector);
  }

  async function ask(embedder: Embedder, text: string): Promise<Float32Array> {
    const ending = new AbortController();
    const timer = setTimeout(() => ending.abort(), deadlineMs);
    try {
      const [vector] = await embedder.embed([text], "query", ending.signal);
      if (vector === undefined) throw new EmbedFailure("unavailable", "No vector came back.");
      return vector;
    } catch (cause) {
      if (ending.signal.aborted)
        throw new EmbedFailure("unavailable", `The embedder gave no answer within ${deadlineMs / 1_000} s.`);
      throw cause instanceof EmbedFailure
        ? cause
        : new EmbedFailure("unavailable", toMemError(cause).message, { cause });
    } finally {
      clearTimeout(timer);
    }
  }

  function after(failure: EmbedFailure, before: number): Failed {
    const isAlone = failure.kind === "refused" && before + 1 < mostRefused;
    const pause = Math.min(longestPauseMs, pauseMs * 2 ** before);
    return { failure, times: before + 1, until: isAlone ? 0 : clock.monotonicMs() + pause };
  }

  return {
    /** Throws `EmbedFailure`. */
    async of(embedder: Embedder, text: string): Promise<Float32Array> {
      const whose = nameOf(embedder);
      const asked = text.slice(0, longestText);
      const key = `${whose}\n${asked}`;
      const vector = known.get(key);
      if (vector !== undefined) return vector;
      const now = clock.monotonicMs();
      const before = failed.get(whose);
      if (before !== undefined && now < before.until) throw before.failure;
      // One search tries it again; others do not wait for that.
      if (before !== undefined && before.until > 0) before.until = now + deadlineMs;
      try {
        const vector = await ask(embedder, asked);
        failed.delete(whose);
        keep(key, vector);
        return vector;
      } catch (cause) {
        // Searches that ran beside each other fail once.
        if (cause instanceof EmbedFailure && failed.get(whose) === before)
          failed.set(whose, after(cause, before?.times ?? 0));
        throw cause;
      }
    },
    /** Why the last query got no vector; null if it got one or the embedder has answered since. */
    failure(embedder: Embedder): EmbedFailure | null {
      const last = failed.get(nameOf(embedder));
      return last === undefined || last.until === 0 ? null : last.failure;
    },
    /** The embedder has answered another caller. */
    answered: (embedder: Embedder) => void failed.delete(nameOf(embedder)),
  };
}

function nameOf({ identity }: Embedder): string {
  return `${identity.embedder} ${identity.model}`;
}
