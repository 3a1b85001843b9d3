// Gives every record of every team its vector, in the processes that generate: in small claims, so that several processes
// share the work and one that ends leaves nothing behind.
import type { Clock } from "../core/clock.ts";
import { failOpen } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { type Embedder, EmbedFailure } from "../recall/embed/embedder.ts";
import { createPauses, type Pauses } from "../recall/embed/pauses.ts";
import type { Connections } from "../store/postgres/open.ts";
import { tellEmbedder } from "../store/postgres/vector-counts.ts";
import { dropUnusedVectors } from "../store/postgres/vector-work.ts";
import { createEmbedLooks } from "./embed-looks.ts";
import { createEmbedSteps, type EmbeddedCounts } from "./embed-steps.ts";
import { createEmbedTurns, type EmbedTurn } from "./embed-turns.ts";
import type { VectorUse } from "./vector-use.ts";

interface EmbedDeps {
  system: Connections;
  embedder: Embedder;
  /** Where the extension is. */
  schema: string;
  use: VectorUse;
  clock: Clock;
  log: Log;
  /** How often new records are looked for. */
  lookEveryMs?: number;
  /** First pause after a failure; it doubles. */
  retryMs?: number;
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

export function createRecordEmbedding(deps: EmbedDeps): RecordEmbedding {
  const { embedder, log, retryMs } = deps;
  const { identity } = embedder;
  const ending = new AbortController();
  const { signal } = ending;
  const pauses = createPauses({ retryMs, onFailure: (sentence) => log.warn({ ...identity }, sentence) });
  const { round, counts } = createRounds({ ...deps, pauses, signal });
  const tell = createTelling({ ...deps, pauses });
  let running: Promise<void> = Promise.resolve();

  async function run(): Promise<void> {
    while (!signal.aborted) {
      let pause: number;
      try {
        pause = await round();
      } catch (cause) {
        if (signal.aborted) return;
        pause = pauses.failed(inOurWords(cause));
      }
      await tell();
      await sleep(pause, signal);
    }
  }

  return {
    start() {
      running = run();
    },
    counts,
    failure: () => pauses.failure()?.message ?? null,
    async stop() {
      ending.abort();
      await running;
    },
  };
}

interface Rounds {
  /** Does what comes next; how long to wait after it. */
  round(): Promise<number>;
  counts: RecordEmbedding["counts"];
}

// Another process, or a purge, has the project.
const busyMs = 500;
const droppedAtOnce = 1_000;

function createRounds({
  pauses,
  signal,
  ...deps
}: EmbedDeps & { pauses: Pauses; signal: AbortSignal }): Rounds {
  const { system, embedder, schema, use, clock, lookEveryMs } = deps;
  const { identity } = embedder;
  const turns = createEmbedTurns();
  const looks = createEmbedLooks({ system, identity, turns, clock, lookEveryMs });
  const steps = createEmbedSteps({ system, embedder, schema, signal, onOtherDimension: looks.wholeNext });

  async function round(): Promise<number> {
    await use.renew();
    await looks.whenDue();
    const turn = turns.take();
    if (turn === undefined) {
      pauses.worked();
      return looks.restMs();
    }
    const taken = await steps.take(turn).catch((cause: unknown) => {
      turns.put(turn);
      throw cause;
    });
    if (taken === null) {
      turns.put(turn);
      return busyMs;
    }
    if (taken.records.length > 0) pauses.worked();
    if (taken.next !== null) turns.put({ ...turn, before: taken.next });
    else if (turn.isWhole) await dropUnused(turn);
    return 0;
  }

  // The project has all of this embedder's: those of an earlier one serve nobody, unless somebody still uses them.
  async function dropUnused(turn: EmbedTurn): Promise<void> {
    const asked = { ...identity, limit: droppedAtOnce };
    while (!signal.aborted && (await dropUnusedVectors(system, turn, asked)) === droppedAtOnce);
  }

  return { round, counts: steps.counts };
}

/** Writes down how the embedder is, when that is another than it was. */
function createTelling({ system, embedder, log, pauses }: EmbedDeps & { pauses: Pauses }) {
  const { identity } = embedder;
  let told: string | null | undefined;
  return async () => {
    const failure = pauses.failure()?.message ?? null;
    if (failure === told) return;
    if (failure === null && told !== undefined) log.info({ ...identity }, "records are embedded again");
    await failOpen("telling how the embedder is", () => tellEmbedder(system, identity, failure));
    told = failure;
  };
}

// A server of embeddings may quote what it was sent, and that is a tenant's: its status is told, not its words.
function inOurWords(cause: unknown): unknown {
  if (!(cause instanceof EmbedFailure)) return cause;
  const [said] = /^.*? answered (?:\d{3}\b|what is no JSON)/s.exec(cause.message) ?? [cause.message];
  const { kind, retryAfterMs } = cause;
  return new EmbedFailure(kind, said, retryAfterMs === undefined ? {} : { retryAfterMs });
}

/** Resolves at once when it ends. */
function sleep(ms: number, ending: AbortSignal): Promise<void> {
  if (ending.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      ending.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    ending.addEventListener("abort", done);
  });
}
