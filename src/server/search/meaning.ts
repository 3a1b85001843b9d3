// Vector search: embeds the question before the transaction, then finds near records of a project.

import type { Clock } from "../../core/clock.ts";
import { failOpen, toMemError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { ObservationFilter } from "../../core/records/hosted-record.ts";
import type { ProjectScope } from "../../core/records/tenancy.ts";
import { type Embedder, EmbedFailure } from "../../recall/embed/embedder.ts";
import { createQueryVectors } from "../../recall/embed/query-vector.ts";
import { askedTerms } from "../../recall/query.ts";
import { nearestCount } from "../../recall/rank-observations.ts";
import { unitVector } from "../../recall/vectors/int8.ts";
import { type NearestRecord, nearestRecords } from "../../store/postgres/nearest.ts";
import type { Queryable } from "../../store/postgres/open.ts";

/** Vector matches of one question in a project, inside the caller's transaction. */
export type Near = (
  connection: Queryable,
  scope: ProjectScope,
  filter: ObservationFilter,
) => Promise<NearestRecord[]>;

export interface Meaning {
  /** Runs a search with vector matches, or with null while vector search is unavailable. */
  within<T>(words: string, search: (near: Near | null) => Promise<T>): Promise<T>;
  /** Notes for the reader of an answer. */
  notes(): string[];
}

export const noMeaning: Meaning = { within: (_words, search) => search(null), notes: () => [] };

interface MeaningDeps {
  embedder: Embedder;
  /** Where the extension is. */
  schema: string;
  /** Notes that this process uses the embedder's vectors. */
  renewUse(): Promise<void>;
  clock: Clock;
  log: Log;
  /** Until a search goes on without. */
  deadlineMs?: number;
}

// After a failure, such as a removed extension, searches use words alone before the next attempt.
const brokenForMs = 60_000;

export function createMeaning({ embedder, schema, renewUse, clock, log, deadlineMs }: MeaningDeps): Meaning {
  const queries = createQueryVectors({ clock, ...(deadlineMs === undefined ? {} : { deadlineMs }) });
  let brokenUntil = 0;

  async function nearOf(words: string): Promise<Near | null> {
    if (clock.monotonicMs() < brokenUntil || askedTerms(words).length === 0) return null;
    let unit: Float32Array | undefined;
    try {
      unit = unitVector(await queries.of(embedder, words));
    } catch (cause) {
      if (cause instanceof EmbedFailure) return null;
      throw cause;
    }
    if (unit === undefined) return null;
    await failOpen("telling whose vectors are used", renewUse);
    const asked = { ...embedder.identity, schema, unit, limit: nearestCount };
    return async (connection, scope, filter) => {
      return nearestRecords(connection, scope, { ...asked, filter });
    };
  }

  return {
    async within(words, search) {
      const near = await nearOf(words);
      if (near === null) return search(null);
      try {
        return await search(near);
      } catch (cause) {
        const { code } = toMemError(cause);
        if (code !== "internal" && code !== "invalid_request") throw cause;
        brokenUntil = clock.monotonicMs() + brokenForMs;
        log.warn({ err: cause }, "the search by meaning failed; searches go on by words");
        return search(null);
      }
    },
    notes: () =>
      queries.failure(embedder) === null && clock.monotonicMs() >= brokenUntil
        ? []
        : ["Searched by words only: search by meaning is not available now."],
  };
}
