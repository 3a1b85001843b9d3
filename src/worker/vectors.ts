// Search by meaning: the configured embedder, the background embedding, the index thread and the status.
import type { Clock } from "../core/clock.ts";
import { packageFile } from "../core/paths.ts";
import { embedderInWords, type VectorSet, type VectorStatus } from "../core/records/vector-status.ts";
import {
  buildEmbedder,
  chosenEmbedder,
  embedderSettings,
  whyNoVectors,
} from "../generate/model/embedders.ts";
import { type Background, createBackground, type VectorWork } from "../recall/embed/background.ts";
import { type Embedder, type EmbedderIdentity, EmbedFailure } from "../recall/embed/embedder.ts";
import { createQueryVectors } from "../recall/embed/query-vector.ts";
import type { VectorAnswer, VectorLeg } from "../recall/search-port.ts";
import { createIndexThread, type IndexThread, IndexUnavailable } from "../recall/vectors/index-thread.ts";
import { toInt8, unitVector } from "../recall/vectors/int8.ts";
import type { LoadedSettings } from "../settings/load.ts";
import type { Sqlite } from "../store/sqlite/open.ts";
import type { Store } from "../store/sqlite/store.ts";
import { createVectors, type Vectors } from "../store/sqlite/vectors.ts";
import { createVectorStatus } from "./vector-status.ts";

interface VectorDeps {
  db: Sqlite;
  store: Pick<Store, "commit">;
  settings: LoadedSettings;
  clock: Clock;
  quiet(): Promise<void>;
  warn(sentence: string): void;
}

export interface VectorSearch extends VectorLeg {
  /** These observations are new or have a new text. */
  notify(ids: readonly number[]): void;
  status(): VectorStatus;
  start(): void;
  /** Ends the thread, the model's process and the background embedding. */
  close(): Promise<void>;
}

export function createVectorSearch(deps: VectorDeps): VectorSearch {
  const asked = embedderSettings(deps.settings);
  const chosen = chosenEmbedder(asked);
  const why = whyNoVectors(asked);
  return chosen === null || why !== null
    ? offSearch(chosen, why ?? "MEM_EMBEDDER is off")
    : createRunning(chosen, deps);
}

function offSearch(chosen: EmbedderIdentity | null, reason: string): VectorSearch {
  return {
    nearest: async () => ({ state: "off" }),
    notify: () => undefined,
    status: () => ({
      state: "off",
      embedder: chosen?.embedder ?? "off",
      model: chosen?.model ?? "",
      dimension: null,
      done: 0,
      total: 0,
      reason,
      next: null,
      earlier: null,
    }),
    start: () => undefined,
    close: async () => undefined,
  };
}

function createRunning(chosen: EmbedderIdentity, deps: VectorDeps): VectorSearch {
  const { db, settings, clock, quiet, warn } = deps;
  const vectors = createVectors(db);
  const embedders = createEmbedders(deps);
  const queries = createQueryVectors({ clock });
  const thread = createIndexThread({
    script: packageFile("dist", "vector-thread.cjs"),
    databasePath: settings.paths.database,
    clock,
  });
  const background = createBackground({
    work: workOn(vectors, deps.store, () => queries.answered(embedders.of(chosen))),
    embedder: embedders.of(chosen),
    clock,
    quiet,
    onFailure: warn,
  });
  const parts: Parts = { chosen, vectors, embedders, queries, thread, background };
  return {
    nearest: (question) => nearest(parts, question),
    notify: background.notify,
    status: createVectorStatus({
      chosen,
      background,
      serving: () => serving(parts),
      mayAsk: (set) => mayAsk(chosen, set),
      unasked: () => unasked(parts),
      progress: vectors.progress,
      clock,
    }),
    start: background.start,
    async close() {
      await Promise.all([thread.close(), embedders.close(), background.close()]);
    },
  };
}

interface Parts {
  chosen: EmbedderIdentity;
  vectors: Vectors;
  embedders: ReturnType<typeof createEmbedders>;
  queries: ReturnType<typeof createQueryVectors>;
  thread: IndexThread;
  background: Background;
}

async function nearest(
  parts: Parts,
  { text, project, limit }: Parameters<VectorLeg["nearest"]>[0],
): Promise<VectorAnswer> {
  const { chosen, background, embedders, queries, thread } = parts;
  const set = serving(parts);
  if (set === undefined) return nothingYet(background);
  if (!mayAsk(chosen, set)) return notAsked(parts, set);
  const embedder = embedders.ofSet(set);
  try {
    const unit = unitVector(await queries.of(embedder, text));
    if (unit === undefined) return { state: "ok", hits: [] };
    if (unit.length !== set.dimension) {
      const lengths = `${unit.length} numbers instead of ${set.dimension}`;
      return { state: "unavailable", reason: `the embedder gives vectors of ${lengths} now` };
    }
    const hits = await thread.nearest({ setId: set.id, unit, project, limit });
    return { state: "ok", hits };
  } catch (cause) {
    if (cause instanceof EmbedFailure || cause instanceof IndexUnavailable)
      return { state: "unavailable", reason: cause.message };
    throw cause;
  }
}

/**
 * The searched set: that of the configured embedder once it is complete, until then the earlier complete one; else the
 * set with the most records.
 */
function serving({ chosen, background, vectors }: Parts): VectorSet | undefined {
  const current = background.current();
  if (current?.complete === 1) return current;
  const sets = vectors.sets().filter(({ embedder }) => embedder === "onnx" || embedder === "http");
  const whole = sets.findLast(({ complete }) => complete === 1);
  if (whole !== undefined || sets.length === 0) return whole ?? current;
  const held = (set: VectorSet) => vectors.progress(set.id).done;
  const asked = sets.filter((set) => mayAsk(chosen, set));
  return (asked.length > 0 ? asked : sets).reduce((most, set) => (held(set) >= held(most) ? set : most));
}

// Texts go only to the configured server: the address of an earlier one may have a new owner. Local embedders can always
// be called.
function mayAsk(chosen: EmbedderIdentity, { embedder }: VectorSet): boolean {
  return embedder !== "http" || chosen.embedder === "http";
}

function notAsked({ chosen, background, vectors }: Parts, set: VectorSet): VectorAnswer {
  const { done, total } = vectors.progress(background.current()?.id ?? 0);
  const progress = `${done} of ${total} re-embedded with ${embedderInWords(chosen)}`;
  const reason = `the vectors are from ${embedderInWords(set)}, which is no longer configured; ${progress}`;
  return { state: "unavailable", reason };
}

// Once everything is embedded, only queries notice that a server is gone.
function unasked(parts: Parts): EmbedFailure | null {
  const set = serving(parts);
  return set === undefined || !mayAsk(parts.chosen, set)
    ? null
    : parts.queries.failure(parts.embedders.ofSet(set));
}

function nothingYet(background: Background): VectorAnswer {
  const failure = background.failure();
  if (failure !== null) return { state: "unavailable", reason: failure.message };
  return { state: "unavailable", reason: "no observation has a vector yet" };
}

/** Creates each embedder once, on demand. */
function createEmbedders({ settings: { dataDir, get }, clock }: VectorDeps) {
  const settings = embedderSettings({ get });
  const made = new Map<string, Embedder>();
  function of(identity: EmbedderIdentity): Embedder {
    const key = `${identity.embedder} ${identity.model}`;
    const embedder = made.get(key) ?? buildEmbedder(identity, { settings, dataDir, clock });
    made.set(key, embedder);
    return embedder;
  }
  return {
    of,
    ofSet: ({ embedder, model }: VectorSet) => of({ embedder: embedder === "http" ? "http" : "onnx", model }),
    close: async () => void (await Promise.all([...made.values()].map((embedder) => embedder.close()))),
  };
}

const readAtOnce = 500;
const droppedAtOnce = 200;

export function workOn(
  vectors: Vectors,
  { commit }: Pick<Store, "commit">,
  onAnswer: () => void,
): VectorWork {
  return {
    sets: vectors.sets,
    lackingOf: vectors.lackingOf,
    lacking: (setId, before) => vectors.lacking(setId, before, readAtOnce),
    ensureSet: (...set) => commit(() => vectors.ensureSet(...set)),
    complete: (setId) => commit(() => vectors.complete(setId)),
    dropSome: (setId) => commit(() => vectors.dropSome(setId, droppedAtOnce)),
    put(setId, made) {
      onAnswer();
      const rows = made.flatMap(({ of, vector }) => {
        const unit = unitVector(vector);
        return unit === undefined ? [] : [{ of, ...toInt8(unit) }];
      });
      return commit(() => vectors.put(setId, rows));
    },
  };
}
