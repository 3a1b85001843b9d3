// Embeds all observations in the background, newest first, a batch at a time.
import type { Clock } from "../../core/clock.ts";
import type { Observation } from "../../core/records/records.ts";
import { embedItems, observationText } from "./embed-items.ts";
import type { Embedder } from "./embedder.ts";
import { type BackgroundFailure, createPauses } from "./pauses.ts";

/** Vectors of one embedder, model and dimension. */
export interface VectorSet {
  id: number;
  embedder: string;
  model: string;
  dimension: number;
  complete: 0 | 1;
}

type EmbeddedText = Pick<Observation, "id" | "title" | "subtitle" | "summary" | "narrative" | "facts">;

/** Reads and writes of vectors; a write resolves after its commit. */
export interface VectorWork {
  sets(): VectorSet[];
  ensureSet(embedder: string, model: string, dimension: number): Promise<VectorSet>;
  put(setId: number, vectors: readonly { of: EmbeddedText; vector: Float32Array }[]): Promise<unknown>;
  complete(setId: number): Promise<unknown>;
  /** Deletes some rows of a set; true when it is gone. */
  dropSome(setId: number): Promise<boolean>;
  /** Ids without a vector among the next observations below `before`, and where to continue. */
  lacking(setId: number, before: number): { ids: number[]; next: number | null };
  lackingOf(setId: number, id: number): EmbeddedText | undefined;
}

interface BackgroundDeps {
  work: VectorWork;
  embedder: Embedder;
  clock: Clock;
  /** Resolves when intake is idle. */
  quiet(): Promise<void>;
  onFailure(sentence: string): void;
  /** The first pause after a failure; it doubles. */
  retryMs?: number;
}

export interface Background {
  start(): void;
  /** These observations are new or have a new text. */
  notify(ids: readonly number[]): void;
  failure(): BackgroundFailure | null;
  /** The set that is being filled; undefined before the first vector. */
  current(): VectorSet | undefined;
  /** Resolves when the work has ended. */
  close(): Promise<void>;
}

// Finds vectors that were deleted without a notification.
const rescanMs = 10 * 60_000;

export function createBackground(deps: BackgroundDeps): Background {
  const { work, embedder, clock, onFailure, retryMs } = deps;
  const { embedder: name, model } = embedder.identity;
  const ending = new AbortController();
  const fresh = new Set<number>();
  /** Observations whose text the embedder refuses, also in its short form. */
  const refused = new Set<number>();
  let found: number[] = [];
  let before: number | null = Number.MAX_SAFE_INTEGER;
  const pauses = createPauses({ retryMs, onFailure });
  let workedOn: number | undefined;
  let wake: () => void = () => undefined;
  let running: Promise<void> = Promise.resolve();

  function current(): VectorSet | undefined {
    const own = work.sets().filter((set) => set.embedder === name && set.model === model);
    return own.find(({ id }) => id === workedOn) ?? own.at(-1);
  }

  // A read takes half a millisecond; other work runs in between.
  async function nextBatch(): Promise<EmbeddedText[]> {
    const setId = current()?.id ?? 0;
    const batch: EmbeddedText[] = [];
    while (batch.length < embedder.batch && !ending.signal.aborted) {
      const id = takeFresh() ?? found.shift();
      if (id !== undefined) {
        const record = refused.has(id) ? undefined : work.lackingOf(setId, id);
        if (record !== undefined) batch.push(record);
      } else if (before !== null) {
        const next = work.lacking(setId, before);
        found = next.ids;
        before = next.next;
        await new Promise(setImmediate);
      } else break;
    }
    return batch;
  }

  function takeFresh(): number | undefined {
    const [id] = fresh;
    if (id !== undefined) fresh.delete(id);
    return id;
  }

  async function put(batch: readonly EmbeddedText[], vectors: readonly Float32Array[]): Promise<void> {
    const known = current();
    const set = await work.ensureSet(name, model, vectors[0]?.length ?? 0);
    workedOn = set.id;
    // The server now has another model under this name, so the vectors of the set cannot be compared with this one.
    if (known !== undefined && known.id !== set.id) before = Number.MAX_SAFE_INTEGER;
    await work.put(
      set.id,
      batch.flatMap((of, at) => {
        const vector = vectors[at];
        return vector === undefined ? [] : [{ of, vector }];
      }),
    );
  }

  function embedAll(batch: readonly EmbeddedText[]): Promise<void> {
    return embedItems<EmbeddedText>(embedder, batch, {
      textOf: observationText,
      signal: ending.signal,
      put,
      onRefused({ id }, { message }) {
        onFailure(`observation ${id} has no vector: ${message}`);
        refused.add(id);
      },
    });
  }

  // Every observation has a vector: this set is searched from now on, and the other sets are deleted.
  async function finish(): Promise<void> {
    const set = current();
    if (set === undefined) return;
    if (set.complete === 0) await work.complete(set.id);
    for (const other of work.sets()) {
      if (other.id === set.id) continue;
      while (!ending.signal.aborted && !(await work.dropSome(other.id))) await deps.quiet();
    }
  }

  async function round(): Promise<number> {
    await deps.quiet();
    const batch = await nextBatch();
    if (ending.signal.aborted) return 0;
    try {
      if (batch.length === 0) {
        await finish();
        pauses.forget();
        return Number.POSITIVE_INFINITY;
      }
      const began = clock.monotonicMs();
      await embedAll(batch);
      pauses.worked();
      // Pauses for as long as it worked: a model uses every core.
      return Math.min(1_000, clock.monotonicMs() - began);
    } catch (cause) {
      found = [...batch.map(({ id }) => id), ...found];
      return ending.signal.aborted ? 0 : pauses.failed(cause);
    }
  }

  async function run(): Promise<void> {
    while (!ending.signal.aborted) {
      const pause = await round();
      const rests = pause === Number.POSITIVE_INFINITY;
      await sleep(rests ? rescanMs : pause, rests);
      if (rests && fresh.size === 0) before = Number.MAX_SAFE_INTEGER;
    }
  }

  function sleep(ms: number, untilNotified: boolean): Promise<void> {
    if (ending.signal.aborted || (untilNotified && fresh.size > 0)) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        wake = () => undefined;
        resolve();
      };
      const timer = setTimeout(done, ms);
      timer.unref();
      wake = () => void ((untilNotified || ending.signal.aborted) && done());
    });
  }

  return {
    start() {
      running = run();
    },
    notify(ids) {
      for (const id of ids) {
        refused.delete(id);
        fresh.add(id);
      }
      wake();
    },
    failure: pauses.failure,
    current,
    async close() {
      ending.abort();
      wake();
      await running;
    },
  };
}
