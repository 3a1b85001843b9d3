// Gives memory back once the worker has come to rest. V8 collects when it allocates: what a burst of work made it take
// (up to 48 MB for young objects alone) stays taken while nothing happens, and a worker rests most of the day.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Clock } from "../core/clock.ts";
import { failOpenSync } from "../core/errors.ts";

export interface IdleMemory {
  start(): void;
  stop(): void;
}

interface IdleMemoryDeps {
  clock: Clock;
  /** Milliseconds of processor time that the process has used so far. */
  cpuMs?: () => number;
  /** Collects the whole heap: 20 to 40 ms during which nothing is answered. */
  collect?: () => void;
}

const lookEveryMs = 5_000;
/** At rest: less of a processor than this, for that long. */
const restingShare = 0.02;
const restMs = 10_000;
/** Less work than this leaves nothing worth collecting. */
const worthMs = 500;
/**
 * V8 gives the pages of young objects back only when hardly anything was allocated since the collection before: the
 * first leaves 35 MB of heap where 4 are in use, the second, a look later, 4.
 */
const collections = 2;

export function createIdleMemory({
  clock,
  cpuMs = processorMs,
  collect = collectAll,
}: IdleMemoryDeps): IdleMemory {
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

// Node has no call of its own for it; the flag only adds the function, to a context of its own.
function collectAll(): void {
  setFlagsFromString("--expose-gc");
  const collector: unknown = runInNewContext("gc");
  if (typeof collector === "function") collector();
}
