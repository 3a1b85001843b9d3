// Vectors of queries: cached, because typing and paging repeat them, and with a short deadline.
import type { Clock } from "../../core/clock.ts";
import { toMemError } from "../../core/errors.ts";
import { type Embedder, EmbedFailure } from "./embedder.ts";

interface QueryVectorOptions {
  clock: Clock;
  /** After this a search continues without a vector. */
  deadlineMs?: number;
  /** For so long after a failure searches do not call the embedder. */
  pauseMs?: number;
}

const kept = 128;
const longestText = 2_000;

export function createQueryVectors({ clock, deadlineMs = 2_500, pauseMs = 10_000 }: QueryVectorOptions) {
  const known = new Map<string, Float32Array>();
  const failed = new Map<string, { failure: EmbedFailure; until: number }>();

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

  return {
    /** Throws `EmbedFailure`. */
    async of(embedder: Embedder, text: string): Promise<Float32Array> {
      const whose = nameOf(embedder);
      const asked = text.slice(0, longestText);
      const key = `${whose}\n${asked}`;
      const before = known.get(key);
      if (before !== undefined) return before;
      const pause = failed.get(whose);
      if (pause !== undefined && clock.monotonicMs() < pause.until) throw pause.failure;
      try {
        const vector = await ask(embedder, asked);
        failed.delete(whose);
        keep(key, vector);
        return vector;
      } catch (cause) {
        // A refused text does not predict the next one.
        if (cause instanceof EmbedFailure && cause.kind !== "refused")
          failed.set(whose, { failure: cause, until: clock.monotonicMs() + pauseMs });
        throw cause;
      }
    },
    /** Why the last query got no vector; null if it got one or the embedder has answered since. */
    failure: (embedder: Embedder) => failed.get(nameOf(embedder))?.failure ?? null,
    /** The embedder has answered another caller. */
    answered: (embedder: Embedder) => void failed.delete(nameOf(embedder)),
  };
}

function nameOf({ identity }: Embedder): string {
  return `${identity.embedder} ${identity.model}`;
}
