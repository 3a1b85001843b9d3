// How long a hook may wait for the worker. hooks/mem-hook.sh has the same figures in seconds; a test compares them.
import { kebabCase } from "../../text/kebab-case.ts";

// What is only stored is acknowledged within milliseconds; more means that something is wrong, and the spool takes it.
const captureMs = 1_000;

const deadlines: ReadonlyMap<string, number> = new Map([
  // The first context of a session is worth a wait, once there is somebody to wait for.
  ["session-start", 3_000],
  // The agent stands still meanwhile.
  ["setup", 1_500],
  ["user-prompt-submit", 1_500],
  ["pre-tool-use", 1_500],
  // Claude Code ends its hooks after 1.5 s here, and the spool may still have to be written.
  ["session-end", 800],
]);

/** Milliseconds that one delivery of `event` may take from connecting to the end of the answer. */
export function deadlineMs(event: string): number {
  return deadlines.get(kebabCase(event)) ?? captureMs;
}

/** A mark younger than this is believed by every hook but the start of a session. */
export const hungBelievedMs = 10_000;

/** How long the start of a session waits for a worker that has kept another hook waiting. */
export const hungStartMs = 500;

/** A worker that has answered nobody for this long is replaced, if it does not answer a last question either. */
export const replaceAfterMs = 10_000;

/** How long the start of a session waits for a worker that it has started itself; one is ready in under a second. */
export const workerStartMs = 3_000;
