// Frees memory when the worker is idle. V8 collects only when it allocates, so an idle worker would keep the memory of its
// last burst (up to 48 MB for young objects alone).
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Clock } from "../core/clock.ts";
import { failOpenSync } from "../core/errors.ts";

export type IdleMemory = ReturnType<typeof createIdleMemory>;

interface IdleMemoryDeps {
  clock: Clock;
  /** Milliseconds of processor time that the process has used so far. */
  cpuMs?: () => number;
  /** Collects the whole heap, which blocks for 20 to 40 ms. */
  collect?: () => void;
}

const lookEveryMs = 5_000;
/** Idle: a lower CPU share than this for `restMs`. */
const restingShare = 0.02;
const restMs = 10_000;
/** CPU time below which a collection is not worthwhile. */
const worthMs = 500;
/**
 * V8 frees pages of young objects only if little was allocated since the last collection: the first one leaves 35 MB of
 * heap with 4 MB in use, the second 4 MB.
 */
const collections = 2;

export function createIdleMemory({ clock, cpuMs = processorMs, collect = collectAll }: IdleMemoryDeps) {
  let timer: NodeJS.Timeout | undefined;
  let last = { at: clock.monotonicMs(), cpu: cpuMs() };
  let worked = 0;
  let rested = 0;
  let toCollect = 0;

  function look(): void {
    const now = { at: clock.monotonicMs(), cpu: cpuMs() };
    const used = now.cpu - last.cpu;
    const passed = now.at - last.at;
    last = now;
    const rests = used < passed * restingShare;
    rested = rests ? rested + passed : 0;
    if (!rests) worked += used;
    if (rested < restMs) return;
    if (worked >= worthMs) toCollect = collections;
    if (toCollect === 0) return;
    failOpenSync("giving memory back", collect);
    toCollect -= 1;
    worked = 0;
    last = { at: clock.monotonicMs(), cpu: cpuMs() };
  }

  return {
    start() {
      timer = setInterval(look, lookEveryMs);
      timer.unref();
    },
    stop: () => clearInterval(timer),
  };
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

// Node has no API for this; the flag only adds the function to the new context.
function collectAll(): void {
  setFlagsFromString("--expose-gc");
  const collector: unknown = runInNewContext("gc");
  if (typeof collector === "function") collector();
}
