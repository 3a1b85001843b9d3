// The search by meaning of the hosted server, put together: the embedder that is set, the place in the database, the
// background work, what is said of them. Without either there is nothing of it.
import type { Clock } from "../core/clock.ts";
import { failOpen } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { VectorStatus } from "../core/records/vector-status.ts";
import {
  buildEmbedder,
  chosenEmbedder,
  type EmbedderSettings,
  whyNoVectors,
} from "../generate/model/embedders.ts";
import type { EmbedderIdentity } from "../recall/embed/embedder.ts";
import type { Database } from "../store/postgres/open.ts";
import { countVectors } from "../store/postgres/vector-counts.ts";
import { lookForVectors, prepareVectors, type VectorPlace } from "../store/postgres/vectors.ts";
import { createRecordEmbedding, type RecordEmbedding } from "./embed-records.ts";
import { keptFor } from "./kept-for.ts";
import { createMeaning, type Meaning, noMeaning } from "./meaning.ts";
import type { ServerMetrics } from "./metrics.ts";
import { createVectorUse } from "./vector-use.ts";

export interface HostedVectors {
  meaning: Meaning;
  /** `on`, or `off` and why. */
  inWords: string;
  /** Null where there is nothing to do. */
  embedding: RecordEmbedding | null;
  close(): Promise<void>;
}

interface VectorDeps {
  database: Pick<Database, "owner" | "system">;
  settings: EmbedderSettings;
  dataDir: string;
  clock: Clock;
  log: Log;
  /** Left out where nobody measures. */
  metrics?: Pick<ServerMetrics, "watchVectors"> | null;
}

const countTimeoutMs = 5_000;
// Somebody waits for it who asked for nothing else.
const statusTimeoutMs = 30_000;
// To count a million takes half a second, and five where many have changed since the last vacuum.
const countsKeptMs = 5 * 60_000;

/** Makes what is lacking in the database, and never fails for what it does not have. */
export async function openHostedVectors(deps: VectorDeps): Promise<HostedVectors> {
  const { database, settings, clock, log } = deps;
  const { identity, place } = await wanted(settings, () => prepareVectors(database.owner));
  if (identity === null || place.state === "off") {
    const inWords = place.state === "off" ? `off: ${place.reason}` : "off";
    log.info(`vectors: ${inWords}`);
    return { meaning: noMeaning, inWords, embedding: null, close: async () => undefined };
  }
  log.info({ ...identity }, "vectors: on");
  const embedder = buildEmbedder(identity, deps);
  const { schema } = place;
  const { system } = database;
  const use = createVectorUse(system, { identity, clock });
  const meaning = createMeaning({ embedder, schema, use, clock, log });
  const embedding = createRecordEmbedding({ system, embedder, schema, use, clock, log });
  deps.metrics?.watchVectors({
    counts: keptFor(clock, countsKeptMs, () =>
      failOpen("counting vectors for /metrics", () => countVectors(system, identity, countTimeoutMs)),
    ),
    embedded: embedding.counts,
    isFailing: () => embedding.failure() !== null,
    isUnavailable: () => meaning.notes().length > 0,
  });
  return { meaning, inWords: "on", embedding, close: embedder.close };
}

/** What `mem server migrate` says of it; it makes what is lacking, as a start does. */
export async function prepareHostedVectors(
  owner: Database["owner"],
  settings: EmbedderSettings,
): Promise<string> {
  const { place } = await wanted(settings, () => prepareVectors(owner));
  return place.state === "off" ? `off: ${place.reason}` : "on";
}

/** How the vectors are; makes nothing. */
export async function hostedVectorStatus(
  { owner, system }: Pick<Database, "owner" | "system">,
  settings: EmbedderSettings,
): Promise<VectorStatus> {
  const { identity, place } = await wanted(settings, () => lookForVectors(owner));
  const common = { dimension: null, next: null };
  if (identity === null || place.state === "off") {
    const reason = place.state === "off" ? place.reason : null;
    const who = identity ?? { embedder: "off", model: "" };
    return { ...common, ...who, state: "off", done: 0, total: 0, reason };
  }
  const { done, total, failure } = await countVectors(system, identity, statusTimeoutMs);
  const state = failure !== null ? "failing" : done >= total ? "ready" : "embedding";
  return { ...common, ...identity, state, done, total, reason: failure };
}

// Who sets no embedder gets nothing new in the database.
async function wanted(
  settings: EmbedderSettings,
  placeOf: () => Promise<VectorPlace>,
): Promise<{ identity: EmbedderIdentity | null; place: VectorPlace }> {
  const identity = chosenEmbedder(settings);
  const reason = whyNoVectors(settings);
  return { identity, place: reason === null ? await placeOf() : { state: "off", reason } };
}
