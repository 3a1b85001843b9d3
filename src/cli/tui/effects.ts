// Runs the effects of the reducer: requests to the worker, each replaced by the next one of its kind.
import type { WorkerClient } from "../../client/worker-client.ts";
import type { Clock } from "../../core/clock.ts";
import { failOpen, toMemError } from "../../core/errors.ts";
import { terminalLine } from "../../text/terminal-text.ts";
import { readFigures } from "./figures.ts";
import { readPage } from "./read-page.ts";
import { readPreview } from "./read-preview.ts";
import { perform } from "./record-actions.ts";
import type { Fault } from "./row-window.ts";
import type { Row } from "./rows.ts";
import type { Effect, ProgramEvent } from "./state.ts";

type Routes = ReturnType<WorkerClient["under"]>;
type Send = (event: ProgramEvent) => void;
type WorkerEffect = Extract<Effect, { do: "read" | "preview" | "choices" | "act" }>;

export interface EffectsOptions {
  worker: WorkerClient;
  clock: Clock;
  /** Types of observations in the active mode. */
  types(): Promise<readonly string[]>;
  dispatch(event: ProgramEvent): void;
}

// Held-down keys pass many rows: only one that stays selected is read.
const previewPauseMs = 40;

/** Runs effects until it is closed. */
export function createEffects({ worker, clock, types, dispatch }: EffectsOptions) {
  const running = new Map<string, AbortController>();
  let isClosed = false;

  /** Runs `work` after a pause; a later one of the same name aborts it, and it sends nothing more. */
  function latest(name: string, afterMs: number, work: (routes: Routes, send: Send) => Promise<void>): void {
    running.get(name)?.abort();
    const stop = new AbortController();
    running.set(name, stop);
    const sendFresh: Send = (event) => {
      if (!stop.signal.aborted) send(event);
    };
    const start = () => {
      void work(worker.under(stop.signal), sendFresh).finally(() => {
        if (running.get(name) === stop) running.delete(name);
      });
    };
    if (afterMs === 0) start();
    const timer = afterMs === 0 ? undefined : setTimeout(start, afterMs);
    stop.signal.addEventListener("abort", () => clearTimeout(timer));
  }

  function send(event: ProgramEvent): void {
    if (!isClosed) dispatch(event);
  }

  function read(effect: Extract<Effect, { do: "read" }>): void {
    const { view, ticket, source, index, place, afterMs } = effect;
    latest(`view ${view}`, afterMs, async (routes, send) => {
      try {
        const page = await readPage(routes, source, place, clock.now());
        send({ is: "page", view, ticket, index, place, page });
        if (source.is === "queue" && index === 0)
          send({ is: "figures", figures: await readFigures(routes, clock.now()) });
      } catch (error) {
        send({ is: "page failed", view, ticket, fault: faultOf(error) });
      }
    });
  }

  function preview(row: Row): void {
    latest("preview", previewPauseMs, async (routes, send) => {
      const read = await readPreview(routes, row).catch(faultOf);
      send({ is: "preview", key: row.key, preview: read });
    });
  }

  return {
    run(effect: WorkerEffect): void {
      switch (effect.do) {
        case "read":
          read(effect);
          return;
        case "preview":
          preview(effect.row);
          return;
        case "choices":
          latest("choices", 0, async (routes, send) => {
            const projects = (await failOpen("list projects", routes.projects)) ?? [];
            const known = (await failOpen("list types", types)) ?? [];
            send({ is: "choices", projects: projects.map(terminalLine), types: known.map(terminalLine) });
          });
          return;
        case "act":
          void perform(worker, effect.action)
            .then((said) => send({ is: "done", said }))
            .catch((error: unknown) => send({ is: "refused", fault: faultOf(error) }));
          return;
        default:
          effect satisfies never;
      }
    },
    /** Aborts what runs. */
    close(): void {
      isClosed = true;
      for (const stop of running.values()) stop.abort();
    },
  };
}

/** An error as a sentence and the next step. */
export function faultOf(error: unknown): Fault {
  const { message, hint = "" } = toMemError(error);
  return { message: terminalLine(message), hint: terminalLine(hint) };
}
