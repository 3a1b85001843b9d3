// Gives every observation its vector, behind the work that somebody waits for: newest first, a batch at a time.
import type { Clock } from "../../core/clock.ts";
import type { Observation } from "../../core/records/records.ts";
import { embedItems } from "./embed-items.ts";
import type { Embedder } from "./embedder.ts";
import { observationText } from "./observation-text.ts";
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

/** What is read and written; every write resolves after it is committed. */
export interface VectorWork {
  sets(): VectorSet[];
  ensureSet(embedder: string, model: string, dimension: number): Promise<VectorSet>;
  put(setId: number, vectors: readonly { of: EmbeddedText; vector: Float32Array }[]): Promise<unknown>;
  complete(setId: number): Promise<unknown>;
  /** Removes some rows of a set; true when it is gone. */
  dropSome(setId: number): Promise<boolean>;
  /** Ids that lack a vector among the next observations below `before`, and where to go on. */
  lacking(setId: number, before: number): { ids: number[]; next: number | null };
  lackingOf(setId: number, id: number): EmbeddedText | undefined;
}

interface BackgroundDeps {
  work: VectorWork;
  embedder: Embedder;
  clock: Clock;
  /** Resolves when intake is quiet enough to work. */
  quiet(): Promise<void>;
  onFailure(sentence: string): void;
  /** First pause after a failure; it doubles. */
  retryMs?: number;
}

export interface Background {
  start(): void;
  /** These observations are new, or have another text. */
  notify(ids: readonly number[]): void;
  failure(): BackgroundFailure | null;
  /** The set that is worked on; undefined before the first vector. */
  current(): VectorSet | undefined;
  /** Resolves when nothing runs any more. */
  close(): Promise<void>;
}

// Whatever removed a vector without a word is found by then.
const lookAgainMs = 10 * 60_000;

export function createBackground(deps: BackgroundDeps): Background {
  const { work, embedder, clock, onFailure, retryMs } = deps;
  const { embedder: name, model } = embedder.identity;
  const ending = new AbortController();
  const fresh = new Set<number>();
  /** Texts that the embedder refuses, also cut short. */
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

  // One look takes half a millisecond, so the event loop gets its turn between two.
  async function nextBatch(): Promise<EmbeddedText[]> {
    const setId = current()?.id ?? 0;
    const batch: EmbeddedText[] = [];
    while (batch.length < embedder.batch && !ending.signal.aborted) {
      const id = takeFresh() ?? found.shift();
      if (id !== undefined) {
        const record = refused.has(id) ? undefined : work.lackingOf(setId, id);
        if (record !== undefined) batch.push(record);
      } else if (before !== null) {
        const looked = work.lacking(setId, before);
        found = looked.ids;
        before = looked.next;
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
    // The server has another model under the name, maybe an earlier one again: what the last one made cannot be compared
    // with this.
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

  // Every observation has its vector: from now on this set serves, and what served before can go.
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
      // As long as it worked: a model uses every core, and the user has other things for them to do.
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
      await sleep(rests ? lookAgainMs : pause, rests);
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
