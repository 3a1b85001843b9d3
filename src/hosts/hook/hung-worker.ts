// A worker that did not answer: whether its process still runs, and for how long it has answered nobody.
import { processStart } from "../../core/clock.ts";
import { announcedProcess } from "./announced-worker.ts";
import { replaceAfterMs } from "./deadlines.ts";
import { markHung } from "./hung-mark.ts";

/** `ended`: its process is gone, and somebody else was asked. `long`: it is time to replace it. */
export type Silence = { is: "ended" } | { is: "short" } | { is: "long"; sinceMs: number };

/** Notes a hook that waited in vain. */
export function lookAtSilence(place: string): Silence {
  const { sinceMs } = markHung(place);
  const worker = announcedProcess(place);
  if (worker !== null && !runs(worker)) return { is: "ended" };
  return sinceMs >= replaceAfterMs ? { is: "long", sinceMs } : { is: "short" };
}

/** False while the process that wrote worker.json may run: then somebody else answers beside it. */
export function workerEnded(place: string): boolean {
  const worker = announcedProcess(place);
  return worker === null || !runs(worker);
}

function runs({ pid, start }: { pid: number; start: string | null }): boolean {
  if (start !== null) return processStart(pid) === start;
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return !(cause instanceof Error && "code" in cause && cause.code === "ESRCH");
  }
}
