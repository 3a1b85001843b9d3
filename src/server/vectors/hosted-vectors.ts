// Search by meaning on the hosted server: the configured embedder, the tables in the database, the background work.
import type { Clock } from "../../core/clock.ts";
import { failOpen } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { VectorStatus } from "../../core/records/vector-status.ts";
import {
  buildEmbedder,
  chosenEmbedder,
  type EmbedderSettings,
  whyNoVectors,
} from "../../generate/model/embedders.ts";
import type { EmbedderIdentity } from "../../recall/embed/embedder.ts";
import type { Database, Queryable } from "../../store/postgres/open.ts";
import { countVectors, markEmbedderUsed } from "../../store/postgres/vector-counts.ts";
import { findVectors, prepareVectors, type VectorPlace } from "../../store/postgres/vectors.ts";
import { keptFor } from "../kept-for.ts";
import type { ServerMetrics } from "../metrics.ts";
import { createMeaning, type Meaning, noMeaning } from "../search/meaning.ts";
import { createRecordEmbedding, type RecordEmbedding } from "./embed-records.ts";

export interface HostedVectors {
  meaning: Meaning;
  /** `on`, or `off` and why. */
  inWords: string;
  /** Null when vectors are off. */
  embedding: RecordEmbedding | null;
  close(): Promise<void>;
}

interface VectorDeps {
  database: Pick<Database, "owner" | "system">;
  settings: EmbedderSettings;
  dataDir: string;
  clock: Clock;
  log: Log;
  metrics?: Pick<ServerMetrics, "watchVectors"> | null;
}

const metricsTimeoutMs = 5_000;
const statusTimeoutMs = 30_000;
// Counting a million takes half a second, and five when many rows have changed since the last vacuum.
const countsKeptMs = 5 * 60_000;
// Vectors that no process has used for a day are dropped.
const renewEveryMs = 60 * 60_000;

/** Creates missing tables; a database or setting without vectors turns them off and is no error. */
export async function openHostedVectors(deps: VectorDeps): Promise<HostedVectors> {
  const { database, settings, clock, log } = deps;
  const { identity, place } = await configured(settings, () => prepareVectors(database.owner));
  if (identity === null || place.state === "off") {
    const inWords = place.state === "off" ? `off: ${place.reason}` : "off";
    log.info(`vectors: ${inWords}`);
    return { meaning: noMeaning, inWords, embedding: null, close: async () => undefined };
  }
  log.info({ ...identity }, "vectors: on");
  const embedder = buildEmbedder(identity, deps);
  const { schema } = place;
  const { system } = database;
  const renewUse = createUseRenewal(system, { identity, clock });
  const meaning = createMeaning({ embedder, schema, renewUse, clock, log });
  const embedding = createRecordEmbedding({ system, embedder, schema, renewUse, clock, log });
  deps.metrics?.watchVectors({
    counts: keptFor(clock, countsKeptMs, () =>
      failOpen("counting vectors for /metrics", () => countVectors(system, identity, metricsTimeoutMs)),
    ),
    embedded: embedding.counts,
    isFailing: () => embedding.failure() !== null,
    isUnavailable: () => meaning.notes().length > 0,
  });
  return { meaning, inWords: "on", embedding, close: embedder.close };
}

/** Notes in the database that this process uses the embedder's vectors; call it before each use. */
export function createUseRenewal(
  system: Queryable,
  { identity, clock }: { identity: EmbedderIdentity; clock: Clock },
): () => Promise<void> {
  return keptFor(clock, renewEveryMs, () => markEmbedderUsed(system, identity));
}

/** Creates missing tables for `mem server migrate`; returns `on`, or `off` and why. */
export async function prepareHostedVectors(
  owner: Database["owner"],
  settings: EmbedderSettings,
): Promise<string> {
  const { place } = await configured(settings, () => prepareVectors(owner));
  return place.state === "off" ? `off: ${place.reason}` : "on";
}

/** State of the vectors; creates nothing. */
export async function hostedVectorStatus(
  { owner, system }: Pick<Database, "owner" | "system">,
  settings: EmbedderSettings,
): Promise<VectorStatus> {
  const { identity, place } = await configured(settings, () => findVectors(owner));
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

// Without a configured embedder the database is not touched.
async function configured(
  settings: EmbedderSettings,
  placeOf: () => Promise<VectorPlace>,
): Promise<{ identity: EmbedderIdentity | null; place: VectorPlace }> {
  const identity = chosenEmbedder(settings);
  const reason = whyNoVectors(settings);
  return { identity, place: reason === null ? await placeOf() : { state: "off", reason } };
}
