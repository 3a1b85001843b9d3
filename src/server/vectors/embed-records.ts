// Gives every record of every team its vector: claims some records, embeds them, stores the vectors. Processes share the
// work through claims; a claim that is not finished expires.
import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../../core/clock.ts";
import { failOpen } from "../../core/errors.ts";
import { newId } from "../../core/ids.ts";
import type { Log } from "../../core/log.ts";
import { embedItems, observationText } from "../../recall/embed/embed-items.ts";
import { type Embedder, EmbedFailure } from "../../recall/embed/embedder.ts";
import { createPauses } from "../../recall/embed/pauses.ts";
import { unitVector } from "../../recall/vectors/int8.ts";
import type { Connections } from "../../store/postgres/open.ts";
import { abandonedClaims, projectsWithNew, projectsWithRecords } from "../../store/postgres/unembedded.ts";
import { saveEmbedderState } from "../../store/postgres/vector-counts.ts";
import {
  type Claimed,
  claimRecords,
  dropUnusedVectors,
  type EmbeddedRecord,
  putVectors,
  releaseClaim,
  type UnembeddedRecord,
} from "../../store/postgres/vector-work.ts";
import { createEmbedQueue, type EmbedQueue, newest, type Walk } from "./embed-queue.ts";

interface EmbedDeps {
  system: Connections;
  embedder: Embedder;
  /** The schema of the pgvector extension. */
  schema: string;
  /** Notes that this process uses the embedder's vectors. */
  renewUse(): Promise<void>;
  clock: Clock;
  log: Log;
  /** How often it looks for new records. */
  scanEveryMs?: number;
}

/** Records embedded by this process. */
export interface EmbeddedCounts {
  made: number;
  refused: number;
}

export type RecordEmbedding = ReturnType<typeof createRecordEmbedding>;

// Another process, or a purge, holds the project.
const busyMs = 500;
const droppedPerStatement = 1_000;

export function createRecordEmbedding(deps: EmbedDeps) {
  const { system, embedder, log, renewUse } = deps;
  const { identity } = embedder;
  const ending = new AbortController();
  const { signal } = ending;
  const pauses = createPauses({ onFailure: (sentence) => log.warn({ ...identity }, sentence) });
  const queue = createEmbedQueue();
  const scan = createScan(deps, queue);
  const counts: EmbeddedCounts = { made: 0, refused: 0 };
  const step = createStep(deps, { signal, counts, onOtherDimension: scan.allNext });
  let savedFailure: string | null | undefined;
  let running: Promise<void> = Promise.resolve();

  async function run(): Promise<void> {
    while (!signal.aborted) {
      let pauseMs: number;
      try {
        pauseMs = await round();
      } catch (cause) {
        if (signal.aborted) return;
        pauseMs = pauses.failed(withoutQuote(cause));
      }
      await saveFailure();
      await delay(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** One step of the next walk; returns how long to wait after it. */
  async function round(): Promise<number> {
    await renewUse();
    await scan.whenDue();
    const walk = queue.take();
    if (walk === undefined) {
      pauses.worked();
      return scan.restMs();
    }
    const claimed = await step(walk).catch((cause: unknown) => {
      queue.put(walk);
      throw cause;
    });
    if (claimed === null) {
      queue.put(walk);
      return busyMs;
    }
    if (claimed.records.length > 0) pauses.worked();
    if (claimed.next !== null) queue.put({ ...walk, before: claimed.next });
    else if (walk.isWhole) await dropUnused(walk);
    return 0;
  }

  // The project now has all vectors of this embedder: vectors of an unused one are no longer needed.
  async function dropUnused(walk: Walk): Promise<void> {
    const unused = { ...identity, limit: droppedPerStatement };
    while (!signal.aborted && (await dropUnusedVectors(system, walk, unused)) === droppedPerStatement);
  }

  async function saveFailure(): Promise<void> {
    const failure = pauses.failure()?.message ?? null;
    if (failure === savedFailure) return;
    if (failure === null && savedFailure !== undefined)
      log.info({ ...identity }, "records are embedded again");
    await failOpen("saving the embedder's state", () => saveEmbedderState(system, identity, failure));
    savedFailure = failure;
  }

  return {
    start() {
      running = run();
    },
    counts: () => counts,
    /** Why nothing is embedded at the moment; null when records are. */
    failure: () => pauses.failure()?.message ?? null,
    /** Aborts the call, releases the claim, and resolves when nothing runs. */
    async stop() {
      ending.abort();
      await running;
    },
  };
}

// An embedding server may quote a tenant's text in its error: the log gets the status only.
function withoutQuote(cause: unknown): unknown {
  if (!(cause instanceof EmbedFailure)) return cause;
  const [ours] = /^.*? answered (?:\d{3}\b|what is no JSON)/s.exec(cause.message) ?? [cause.message];
  const { kind, retryAfterMs } = cause;
  return new EmbedFailure(kind, ours, retryAfterMs === undefined ? {} : { retryAfterMs });
}

// An hourly scan of everything finds refused texts, vectors of another dimension, and records committed late.
const scanAllEveryMs = 60 * 60_000;
// A record gets its number before it is committed: a scan for new ones starts this much earlier.
const overlap = 2_000;
const newPerScan = 10_000;

function createScan(
  { system, embedder: { identity }, clock, scanEveryMs = 2_000 }: EmbedDeps,
  queue: EmbedQueue,
) {
  let seen = 0;
  let scanAt = 0;
  let scanAllAt = 0;

  async function scanAll(): Promise<void> {
    const { projects, last } = await projectsWithRecords(system);
    queue.clear();
    for (const project of projects) queue.put({ ...project, before: newest, after: 0, isWhole: true });
    seen = last;
  }

  async function scanNew(): Promise<void> {
    const after = Math.max(0, seen - overlap);
    const { projects, last } = await projectsWithNew(system, { ...identity, after, window: newPerScan });
    queue.addNew(projects, after);
    for (const abandoned of await abandonedClaims(system, identity)) queue.putOnce(abandoned);
    seen = Math.max(seen, last);
  }

  return {
    /** Queues the projects that have records without a vector, when it is time to. */
    async whenDue() {
      const now = clock.monotonicMs();
      if (now < scanAt) return;
      scanAt = now + scanEveryMs;
      if (now < scanAllAt) return scanNew();
      await scanAll();
      scanAllAt = now + scanAllEveryMs;
    },
    restMs: () => Math.max(0, scanAt - clock.monotonicMs()),
    /** The next scan covers all records. */
    allNext() {
      scanAllAt = 0;
    },
  };
}

interface StepOptions {
  signal: AbortSignal;
  counts: EmbeddedCounts;
  /** The embedder's vectors have another length now: its earlier ones cannot be compared with them. */
  onOtherDimension(): void;
}

const recordsPerClaim = 2_000;

/** Claims, embeds and stores some records of a walk; null when another process, or a purge, holds the project. */
function createStep(
  { system, embedder, schema }: EmbedDeps,
  { signal, counts, onOtherDimension }: StepOptions,
): (walk: Walk) => Promise<Claimed | null> {
  let dimension: number | null = null;

  async function embed(walk: Walk, claim: string, records: readonly UnembeddedRecord[]): Promise<void> {
    const store = (made: readonly EmbeddedRecord[]) => putVectors(system, walk, { claim, schema, made });
    const refused: UnembeddedRecord[] = [];
    await embedItems<UnembeddedRecord>(embedder, records, {
      textOf: observationText,
      signal,
      onRefused: (record) => void refused.push(record),
      async put(some, vectors) {
        noteDimension(vectors[0]?.length ?? 0);
        counts.made += await store(some.map(({ seq }, at) => ({ seq, vector: unitOf(vectors[at]) })));
      },
    });
    if (refused.length > 0) counts.refused += await store(refused.map(({ seq }) => ({ seq, vector: null })));
  }

  // The server may have changed the model behind the name.
  function noteDimension(length: number): void {
    if (dimension !== null && dimension !== length) onOtherDimension();
    dimension = length;
  }

  return async (walk) => {
    const claim = newId();
    const { before, after } = walk;
    const claimed = await claimRecords(system, walk, {
      ...{ ...embedder.identity, claim, dimension, before, after },
      ...{ window: recordsPerClaim, limit: embedder.batch },
    });
    const records = claimed?.records ?? [];
    if (records.length === 0) return claimed;
    try {
      await embed(walk, claim, records);
    } catch (cause) {
      const lowest = Math.min(...records.map(({ seq }) => seq));
      await failOpen("releasing a claim of records", () =>
        releaseClaim(system, walk, { claim, after: lowest }),
      );
      throw cause;
    }
    return claimed;
  };
}

function unitOf(vector: Float32Array | undefined): Float32Array | null {
  return unitVector(vector ?? new Float32Array()) ?? null;
}
