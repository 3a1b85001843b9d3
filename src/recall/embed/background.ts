// Embeds all observations in the background, newest first, a batch at a time.

import type { Clock } from "../../core/clock.ts";
import type { Observation } from "../../core/records/records.ts";
import type { VectorSet } from "../../core/records/vector-status.ts";
import { embedItems, observationText } from "./embed-items.ts";
import type { Embedder } from "./embedder.ts";
import { createPauses, type Pauses } from "./pauses.ts";

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

export type Background = ReturnType<typeof createBackground>;

// Finds vectors that were deleted without a notification.
const rescanMs = 10 * 60_000;

export function createBackground({ retryMs, ...deps }: BackgroundDeps) {
  const state: State = {
    ...deps,
    pauses: createPauses({ retryMs, onFailure: deps.onFailure }),
    ending: new AbortController(),
    fresh: new Set(),
    refused: new Map(),
    found: [],
    before: Number.MAX_SAFE_INTEGER,
    wake: () => undefined,
  };
  let running: Promise<void> = Promise.resolve();
  return {
    start() {
      running = run(state);
    },
    /** These observations are new or have a new text. */
    notify(ids: readonly number[]) {
      for (const id of ids) {
        state.refused.delete(id);
        state.fresh.add(id);
      }
      state.wake();
    },
    failure: state.pauses.failure,
    refused: (): ReadonlyMap<number, string> => state.refused,
    /** The set that is being filled; undefined before the first vector. */
    current: () => currentSet(state),
    /** Resolves when the work has ended. */
    async close() {
      state.ending.abort();
      state.wake();
      await running;
    },
  };
}

interface State extends Omit<BackgroundDeps, "retryMs"> {
  pauses: Pauses;
  ending: AbortController;
  fresh: Set<number>;
  /** Observations whose text the embedder refuses, also in its short form, with its reason. */
  refused: Map<number, string>;
  /** Observations without a vector that the scan found. */
  found: number[];
  /** Where the scan continues; null at its end. */
  before: number | null;
  workedOn?: number;
  /** Ends the current pause. */
  wake(): void;
}

function currentSet({ work, embedder: { identity }, workedOn }: State): VectorSet | undefined {
  const own = work
    .sets()
    .filter(({ embedder, model }) => embedder === identity.embedder && model === identity.model);
  return own.find(({ id }) => id === workedOn) ?? own.at(-1);
}

async function run(state: State): Promise<void> {
  const { ending, fresh } = state;
  while (!ending.signal.aborted) {
    const pause = await round(state);
    const rests = pause === Number.POSITIVE_INFINITY;
    await sleep(state, rests ? rescanMs : pause, rests);
    if (rests && fresh.size === 0) state.before = Number.MAX_SAFE_INTEGER;
  }
}

/** Embeds one batch; returns the pause after it. */
async function round(state: State): Promise<number> {
  const { clock, ending, pauses } = state;
  await state.quiet();
  const batch = await nextBatch(state);
  if (ending.signal.aborted) return 0;
  try {
    if (batch.length === 0) {
      await finish(state);
      pauses.worked();
      return Number.POSITIVE_INFINITY;
    }
    const began = clock.monotonicMs();
    await embedAll(state, batch);
    pauses.worked();
    // Pauses for as long as it worked: a model uses every core.
    return Math.min(1_000, clock.monotonicMs() - began);
  } catch (cause) {
    state.found = [...batch.map(({ id }) => id), ...state.found];
    return ending.signal.aborted ? 0 : pauses.failed(cause);
  }
}

// A read takes half a millisecond; other work runs in between.
async function nextBatch(state: State): Promise<EmbeddedText[]> {
  const { work, embedder, ending, fresh, refused } = state;
  const setId = currentSet(state)?.id ?? 0;
  const batch: EmbeddedText[] = [];
  while (batch.length < embedder.batch && !ending.signal.aborted) {
    const id = takeFirst(fresh) ?? state.found.shift();
    if (id !== undefined) {
      const record = refused.has(id) ? undefined : work.lackingOf(setId, id);
      if (record !== undefined) batch.push(record);
    } else if (state.before !== null) {
      const { ids, next } = work.lacking(setId, state.before);
      state.found = ids;
      state.before = next;
      await new Promise(setImmediate);
    } else break;
  }
  return batch;
}

function takeFirst(ids: Set<number>): number | undefined {
  const [id] = ids;
  if (id !== undefined) ids.delete(id);
  return id;
}

function embedAll(state: State, batch: readonly EmbeddedText[]): Promise<void> {
  return embedItems<EmbeddedText>(state.embedder, batch, {
    textOf: observationText,
    signal: state.ending.signal,
    put: (...embedded) => put(state, ...embedded),
    onRefused({ id }, { message }) {
      state.onFailure(`observation ${id} has no vector: ${message}`);
      state.refused.set(id, message);
    },
  });
}

async function put(
  state: State,
  batch: readonly EmbeddedText[],
  vectors: readonly Float32Array[],
): Promise<void> {
  const { work, embedder } = state;
  const known = currentSet(state);
  const set = await work.ensureSet(
    embedder.identity.embedder,
    embedder.identity.model,
    vectors[0]?.length ?? 0,
  );
  state.workedOn = set.id;
  // The server now has another model under this name, so the vectors of the set cannot be compared with this one.
  if (known !== undefined && known.id !== set.id) state.before = Number.MAX_SAFE_INTEGER;
  await work.put(
    set.id,
    batch.flatMap((of, at) => {
      const vector = vectors[at];
      return vector === undefined ? [] : [{ of, vector }];
    }),
  );
}

// Every observation has a vector: this set is searched from now on, and the other sets are deleted.
async function finish(state: State): Promise<void> {
  const { work, ending, quiet } = state;
  const set = currentSet(state);
  if (set === undefined) return;
  if (set.complete === 0) await work.complete(set.id);
  for (const other of work.sets()) {
    if (other.id === set.id) continue;
    while (!ending.signal.aborted && !(await work.dropSome(other.id))) await quiet();
  }
}

function sleep(state: State, ms: number, untilNotified: boolean): Promise<void> {
  const { ending, fresh } = state;
  if (ending.signal.aborted || (untilNotified && fresh.size > 0)) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      state.wake = () => undefined;
      resolve();
    };
    const timer = setTimeout(done, ms);
    timer.unref();
    state.wake = () => void ((untilNotified || ending.signal.aborted) && done());
  });
}
