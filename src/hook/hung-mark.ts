// A worker that did not answer in time probably will not for a while: the first hook that waited in vain leaves a mark,
// and the next ones spool at once instead of holding up their host for a deadline each.
import { closeSync, constants, futimesSync, openSync, statSync } from "node:fs";
import { systemClock } from "../clock.ts";
import { kebabCase } from "../domain/kebab-case.ts";
import { failOpenSync } from "../errors.ts";

// One hook in ten seconds asks again. hooks/mem-hook.sh has the same rule.
const believedForMs = 10_000;

/** True when a hook was kept waiting just now. The start of a session asks all the same: its context is worth a wait. */
export function hungJustNow(dataDir: string, event: string): boolean {
  if (kebabCase(event) === "session-start") return false;
  const marked = statSync(markOf(dataDir), { throwIfNoEntry: false })?.mtimeMs;
  if (marked === undefined) return false;
  const age = systemClock.now() - marked;
  return age >= 0 && age < believedForMs;
}

/** Leaves the mark. */
export function markHung(dataDir: string): void {
  failOpenSync("mark the worker as hung", () => {
    const { O_CREAT, O_NOFOLLOW = 0, O_WRONLY } = constants;
    const descriptor = openSync(markOf(dataDir), O_WRONLY | O_CREAT | O_NOFOLLOW, 0o600);
    const seconds = systemClock.now() / 1000;
    futimesSync(descriptor, seconds, seconds);
    closeSync(descriptor);
  });
}

function markOf(dataDir: string): string {
  return `${dataDir}/worker-hung`;
}
