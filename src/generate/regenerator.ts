// Makes again, by a model, what was written without one: works the durable list off, a batch at a time, behind live work.
//
// | state   | event                                        | next                                              |
// | ------- | -------------------------------------------- | ------------------------------------------------- |
// | stopped | start                                        | running                                           |
// | running | a batch is answered                          | running: old records replaced, next batch         |
// | running | what a batch was made of is taken back       | running: nothing stored, the rest of it again     |
// | running | a batch cannot be answered                   | running: old records stay, tried again twice      |
// | running | the gate is closed (rate, quota, outage)     | running, waiting until it opens                   |
// | running | a budget is spent, the key is refused,       | stopped, with the reason; the rest stays listed   |
// |         | stop, five failures in a row                 |                                                   |
// | running | the list is empty                            | stopped, without a reason                         |
//
// It never starts by itself: it costs money, so after a restart the rest waits until somebody asks for it.
import { MemError, toMemError } from "../core/errors.ts";
import type { GenerationBatch, Provider } from "./provider.ts";
import { createRegenerationRun, type RunDeps, type RunList } from "./regeneration-run.ts";

/** Which records are to be made again. */
export interface RegenerationRequest {
  since?: number | undefined;
  project?: string | undefined;
  generator: string;
}

/** The port of the durable list; the SQLite store's regenerations fit it. */
export interface RegenerationList<B extends GenerationBatch = GenerationBatch> extends RunList<B> {
  select(request: RegenerationRequest): Promise<number>;
  drop(): Promise<number>;
  counts(): { left: number; failed: number };
}

export interface RegenerationState {
  running: boolean;
  /** Raw events of this run: done, left and given up. */
  total: number;
  done: number;
  left: number;
  /** Given up after three failures: their records stay as they were. */
  failed: number;
  /** Why nothing moves at the moment though it runs, or null. */
  waitingFor: string | null;
  /** Why it stopped before the end, or null. */
  stoppedBecause: string | null;
}

export interface RegeneratorDeps<B extends GenerationBatch> extends RunDeps<B> {
  list: RegenerationList<B>;
  /** The model itself, not what stands in for it when a budget is spent; null where only `local` is set up. */
  model: Provider | null;
}

export interface Regenerator {
  /** Adds what fits to the list and starts. Throws `no_model`. */
  start(request: RegenerationRequest): Promise<RegenerationState>;
  /** Goes on with what is listed. Throws `no_model`. */
  resume(): RegenerationState;
  /** Stops; the rest stays listed, or with `drop` is forgotten. */
  stop(options?: { drop?: boolean | undefined }): Promise<RegenerationState>;
  state(): RegenerationState;
  /** Ends with the worker; resolves when nothing runs any more. */
  close(): Promise<void>;
}

interface Run {
  stopping: AbortController;
  ended: Promise<void>;
}

export function createRegenerator<B extends GenerationBatch>(deps: RegeneratorDeps<B>): Regenerator {
  const { list } = deps;
  let run: Run | null = null;
  let closed = false;
  let done = 0;
  let waitingFor: string | null = null;
  let stoppedBecause: string | null = list.counts().left > 0 ? "the worker was restarted" : null;

  function state(): RegenerationState {
    const { left, failed } = list.counts();
    const running = run !== null;
    return { running, total: done + left + failed, done, left, failed, waitingFor, stoppedBecause };
  }

  function begin(model: Provider): void {
    if (run !== null || closed) return;
    done = 0;
    stoppedBecause = null;
    goOn(model);
  }

  function goOn(model: Provider): void {
    const stopping = new AbortController();
    const work = createRegenerationRun(deps, model, {
      done: (messages) => {
        done += messages;
      },
      waitingFor: (reason) => {
        waitingFor = reason;
      },
    });
    const ended = work(stopping.signal)
      .catch((cause: unknown) => toMemError(cause).message)
      .then((reason) => {
        stoppedBecause = reason;
        waitingFor = null;
        run = null;
        // What was listed in the very moment in which the list was found empty.
        if (reason === null && !closed && list.counts().left > 0) goOn(model);
      });
    run = { stopping, ended };
  }

  async function halt(): Promise<void> {
    const ending = run;
    if (ending === null) return;
    ending.stopping.abort();
    await ending.ended;
  }

  return {
    async start(request) {
      const model = demandModel(deps.model);
      await list.select(request);
      begin(model);
      return state();
    },
    resume() {
      begin(demandModel(deps.model));
      return state();
    },
    async stop({ drop = false } = {}) {
      await halt();
      if (drop) {
        await list.drop();
        stoppedBecause = null;
      }
      return state();
    },
    state,
    async close() {
      closed = true;
      await halt();
    },
  };
}

function demandModel(model: Provider | null): Provider {
  if (model === null) throw new MemError("no_model");
  return model;
}
