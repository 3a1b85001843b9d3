// A worker that did not answer in time probably will not for a while: the first hook that waited in vain leaves a mark.
// The next ones spool without asking, a session start asks only briefly, and a worker that stays so is replaced.
// The mark names its worker, so that it says nothing about the next one. hooks/mem-hook.sh reads it the same way.
import { closeSync, constants, openSync, readFileSync, rmSync, statSync, writeSync } from "node:fs";
import { systemClock } from "../../core/clock.ts";
import { failOpenSync } from "../../core/errors.ts";

/** What the mark says of the worker that is there now. */
export interface HungMark {
  /** How long ago a hook first waited in vain, without an answer to another one since. */
  sinceMs: number;
  /** How long ago the last one did. */
  lastMs: number;
}

/** The mark of the worker in `place`; null when there is none, or it is another worker's. */
export function readHungMark(place: string): HungMark | null {
  const path = markIn(place);
  const modified = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  if (modified === undefined) return null;
  const [worker, since] = (failOpenSync("read a mark", () => readFileSync(path, "utf8")) ?? "").split(" ");
  if (worker !== workerIn(place)) return null;
  const now = systemClock.now();
  const [sinceMs, lastMs] = [now - Number(since), now - modified];
  return sinceMs >= 0 && lastMs >= 0 ? { sinceMs, lastMs } : null;
}

/** Notes that a hook waited in vain. */
export function markHung(place: string): HungMark {
  const sinceMs = readHungMark(place)?.sinceMs ?? 0;
  failOpenSync("mark the worker as hung", () => {
    const { O_CREAT, O_NOFOLLOW = 0, O_TRUNC, O_WRONLY } = constants;
    const descriptor = openSync(markIn(place), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600);
    try {
      writeSync(descriptor, `${workerIn(place)} ${systemClock.now() - sinceMs}\n`);
    } finally {
      closeSync(descriptor);
    }
  });
  return { sinceMs, lastMs: 0 };
}

/** Removes the mark: a worker answered, or has ended. */
export function clearHungMark(place: string): void {
  failOpenSync("remove a mark", () => rmSync(markIn(place), { force: true }));
}

function markIn(place: string): string {
  return `${place}/worker-hung`;
}

// Names the worker in `place` by the socket that it made, or by its worker.json: number of the file and second.
function workerIn(place: string): string {
  for (const name of ["worker.sock", "worker.json"]) {
    const made = statSync(`${place}/${name}`, { throwIfNoEntry: false });
    if (made !== undefined) return `${made.ino}:${Math.floor(made.mtimeMs / 1_000)}`;
  }
  return "none";
}
