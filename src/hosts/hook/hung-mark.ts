// The mark of a hung worker: the first hook that times out leaves it. The next hooks spool without asking, a session start
// asks only briefly, and a worker that stays hung is replaced. The mark names its worker, so it does not apply to the next
// one. hooks/mem-hook.sh reads the same format.
import {
  closeSync,
  constants,
  lutimesSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { systemClock } from "../../core/clock.ts";
import { unlessMissing } from "../../core/error-code.ts";
import { failOpenSync } from "../../core/errors.ts";

/** The mark of the present worker. */
export interface HungMark {
  /** Time since the first timeout without a reply after it. */
  sinceMs: number;
  /** Time since the last timeout. */
  lastMs: number;
}

/** The mark of the worker in `place`; null without one, or if it names another worker. */
export function readHungMark(place: string): HungMark | null {
  const path = markIn(place);
  const modified = unlessMissing(() => statSync(path))?.mtimeMs;
  if (modified === undefined) return null;
  const [worker, since] = (failOpenSync("read a mark", () => readFileSync(path, "utf8")) ?? "").split(" ");
  if (worker !== workerIn(place)) return null;
  const now = systemClock.now();
  const [sinceMs, lastMs] = [now - Number(since), now - modified];
  return sinceMs >= 0 && lastMs >= 0 ? { sinceMs, lastMs } : null;
}

/** Records a timeout. A mark that stands is not written again: a hook that reads half of one would start it again from now. */
export function markHung(place: string): HungMark {
  const before = readHungMark(place);
  failOpenSync("mark the worker as hung", () => {
    const now = systemClock.now();
    // Whole seconds: a fraction may be rounded into the future.
    const seconds = Math.floor(now / 1_000);
    if (before !== null) return lutimesSync(markIn(place), seconds, seconds);
    const { O_CREAT, O_NOFOLLOW = 0, O_TRUNC, O_WRONLY } = constants;
    const descriptor = openSync(markIn(place), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600);
    try {
      writeSync(descriptor, `${workerIn(place)} ${now}\n`);
    } finally {
      closeSync(descriptor);
    }
  });
  return { sinceMs: before?.sinceMs ?? 0, lastMs: 0 };
}

/** Removes the mark: a worker replied or ended. */
export function clearHungMark(place: string): void {
  failOpenSync("remove a mark", () => rmSync(markIn(place), { force: true }));
}

function markIn(place: string): string {
  return `${place}/worker-hung`;
}

// Names the worker by inode and creation second of its socket, or of its worker.json.
function workerIn(place: string): string {
  for (const name of ["worker.sock", "worker.json"]) {
    const made = unlessMissing(() => statSync(`${place}/${name}`));
    if (made !== undefined) return `${made.ino}:${Math.floor(made.mtimeMs / 1_000)}`;
  }
  return "none";
}
