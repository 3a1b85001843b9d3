// Gives every record of every team its vector, in the processes that generate: in small claims, so that several processes
// share the work and one that ends leaves nothing behind.
import type { Clock } from "../clock.ts";
import { embedItems } from "../embed/embed-items.ts";
import { type Embedder, EmbedFailure } from "../embed/embedder.ts";
import { observationText } from "../embed/observation-text.ts";
import { createPauses } from "../embed/pauses.ts";
import { failOpen } from "../errors.ts";
import { newId } from "../ids.ts";
import type { Log } from "../log.ts";
import type { Connections } from "../store/postgres/open.ts";
import { abandonedClaims, projectsWithNew, projectsWithRecords } from "../store/postgres/unembedded.ts";
import { tellEmbedder } from "../store/postgres/vector-counts.ts";
import {
  claimRecords,
  dropOtherVectors,
  putVectors,
  releaseClaim,
  type UnembeddedRecord,
} from "../store/postgres/vector-work.ts";
import { unitVector } from "../vectors/int8.ts";
import { createEmbedTurns, type EmbedTurn, newest } from "./embed-turns.ts";

interface EmbedDeps {
  system: Connections;
  embedder: Embedder;
  /** Where the extension is. */
  schema: string;
  clock: Clock;
  log: Log;
  /** How often new records are looked for. */
  lookEveryMs?: number;
  /** First pause after a failure; it doubles. */
  retryMs?: number;
}

export interface EmbeddedCounts {
  made: number;
  refused: number;
}

export interface RecordEmbedding {
  start(): void;
  /** Since the start of the process. */
  counts(): Readonly<EmbeddedCounts>;
  /** Why nothing is embedded at the moment; null when it is. */
  failure(): string | null;
  /** Breaks the call off, gives the claim back, resolves when nothing is left running. */
  stop(): Promise<void>;
}

// Everything is walked through now and then: texts that were refused, another dimension, what was committed late.
const wholeEveryMs = 60 * 60_000;
// The numbers of records are taken before they are committed: who looks for new ones looks again at so many.
const overlap = 2_000;
const lookedAtOnce = 2_000;
const newAtOnce = 10_000;
// Another process, or a purge, has the project.
const busyMs = 500;
const droppedAtOnce = 1_000;

export function createRecordEmbedding(deps: EmbedDeps): RecordEmbedding {
  const { system, embedder, schema, clock, log, lookEveryMs = 2_000, retryMs } = deps;
  const { identity } = embedder;
  const ending = new AbortController();
  const turns = createEmbedTurns();
  const counts: EmbeddedCounts = { made: 0, refused: 0 };
  const pauses = createPauses({ retryMs, onFailure: (sentence) => log.warn({ ...identity }, sentence) });
  let told: string | null | undefined;
  let dimension: number | null = null;
  let seen = 0;
  let looksAt = 0;
  let wholeAt = 0;
  let wake: () => void = () => undefined;
  let running: Promise<void> = Promise.resolve();

  async function look(): Promise<void> {
    const now = clock.monotonicMs();
    looksAt = now + lookEveryMs;
    if (now >= wholeAt) {
      const { projects, last } = await projectsWithRecords(system);
      turns.clear();
      for (const project of projects) turns.put({ ...project, before: newest, after: 0 });
      seen = last;
      wholeAt = now + wholeEveryMs;
      return;
    }
    const after = Math.max(0, seen - overlap);
    const found = await projectsWithNew(system, { ...identity, after, window: newAtOnce });
    turns.addNew(found.projects, after);
    for (const abandoned of await abandonedClaims(system, identity)) turns.putOnce(abandoned);
    seen = Math.max(seen, found.last);
  }

  // How long to wait before the next one.
  async function round(): Promise<number> {
    if (clock.monotonicMs() >= looksAt) await look();
    const turn = turns.take();
    if (turn === undefined) {
      pauses.worked();
      return Math.max(0, looksAt - clock.monotonicMs());
    }
    const claim = newId();
    const claimed = await claimRecords(system, turn, {
      ...identity,
      ...{ claim, dimension, before: turn.before, after: turn.after },
      ...{ window: lookedAtOnce, limit: embedder.batch },
    }).catch((cause: unknown) => {
      turns.put(turn);
      throw cause;
    });
    if (claimed === null) {
      turns.put(turn);
      return busyMs;
    }
    const { records, next } = claimed;
    if (records.length > 0) {
      await embedClaim(turn, claim, records);
      pauses.worked();
    }
    if (next !== null) turns.put({ ...turn, before: next });
    else if (turn.after === 0) await dropOthers(turn);
    return 0;
  }

  async function embedClaim(
    turn: EmbedTurn,
    claim: string,
    records: readonly UnembeddedRecord[],
  ): Promise<void> {
    const refused: UnembeddedRecord[] = [];
    try {
      await embedItems<UnembeddedRecord>(embedder, records, {
        textOf: observationText,
        signal: ending.signal,
        onRefused: (record) => void refused.push(record),
        put: (some, vectors) => put(turn, claim, some, vectors),
      });
      // Some servers answer so for a model that they do not have: no text of theirs is at fault.
      if (refused.length > 1 && refused.length === records.length)
        throw new EmbedFailure("setup", "The embedder refuses every text.");
      const made = refused.map(({ seq }) => ({ seq, vector: null }));
      if (made.length > 0) counts.refused += await putVectors(system, turn, { claim, schema, made });
    } catch (cause) {
      turns.put(turn);
      const after = Math.min(...records.map(({ seq }) => seq));
      await failOpen("giving back what was to be embedded", () =>
        releaseClaim(system, turn, { claim, after }),
      );
      throw cause;
    }
  }

  async function put(
    turn: EmbedTurn,
    claim: string,
    some: readonly UnembeddedRecord[],
    vectors: readonly Float32Array[],
  ): Promise<void> {
    const length = vectors[0]?.length ?? 0;
    // The server has another model under the name: what the last one made cannot be compared with this.
    if (dimension !== null && dimension !== length) wholeAt = 0;
    dimension = length;
    const made = some.map(({ seq }, at) => ({
      seq,
      vector: unitVector(vectors[at] ?? new Float32Array()) ?? null,
    }));
    counts.made += await putVectors(system, turn, { claim, schema, made });
  }

  // The project has all of this embedder's: those of an earlier one serve nobody any more.
  async function dropOthers(turn: EmbedTurn): Promise<void> {
    const asked = { ...identity, limit: droppedAtOnce };
    while (!ending.signal.aborted && (await dropOtherVectors(system, turn, asked)) === droppedAtOnce);
  }

  async function tell(): Promise<void> {
    const failure = pauses.failure()?.message ?? null;
    if (failure === told) return;
    if (failure === null && told !== undefined) log.info({ ...identity }, "records are embedded again");
    await failOpen("telling how the embedder is", () => tellEmbedder(system, identity, failure));
    told = failure;
  }

  async function run(): Promise<void> {
    while (!ending.signal.aborted) {
      let pause: number;
      try {
        pause = await round();
      } catch (cause) {
        if (ending.signal.aborted) return;
        pause = pauses.failed(inOurWords(cause));
      }
      await tell();
      await sleep(pause);
    }
  }

  function sleep(ms: number): Promise<void> {
    if (ending.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(done, ms);
      wake = done;
    });
  }

  return {
    start() {
      running = run();
    },
    counts: () => counts,
    failure: () => pauses.failure()?.message ?? null,
    async stop() {
      ending.abort();
      wake();
      await running;
    },
  };
}

// A server of embeddings may quote what it was sent, and that is a tenant's: its status is told, not its words.
function inOurWords(cause: unknown): unknown {
  if (!(cause instanceof EmbedFailure)) return cause;
  const [said] = /^.*? answered (?:\d{3}\b|what is no JSON)/s.exec(cause.message) ?? [cause.message];
  const { kind, retryAfterMs } = cause;
  return new EmbedFailure(kind, said, retryAfterMs === undefined ? {} : { retryAfterMs });
}
