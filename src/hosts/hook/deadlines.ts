// Deadlines of a hook. hooks/mem-hook.sh has the same figures in seconds; a test compares them.
import { kebabCase } from "../../text/kebab-case.ts";

// The worker acknowledges a stored event within milliseconds; if it takes longer, the event is spooled.
const captureMs = 1_000;

const sessionEnd = "session-end";

const deadlines: ReadonlyMap<string, number> = new Map([
  // The first context of a session is worth waiting for; a worker that it starts is usually ready in under a second.
  ["session-start", 3_000],
  // The agent waits.
  ["setup", 1_500],
  ["user-prompt-submit", 1_500],
  ["pre-tool-use", 1_500],
  // The same of Gemini CLI, Copilot CLI and Cursor.
  ["before-agent", 1_500],
  ["user-prompt-submitted", 1_500],
  ["before-submit-prompt", 1_500],
  // Claude Code ends these hooks after 1.5 s, and spooling needs time too.
  [sessionEnd, 800],
]);

/**
 * Milliseconds for one delivery of `event`, from connecting to the end of the reply: at least `MEM_HOOK_TIMEOUT_MS` of the
 * environment, which is for slow machines, except for the end of a session.
 */
export function deadlineMs(
  event: string,
  { MEM_HOOK_TIMEOUT_MS: least = "" }: NodeJS.ProcessEnv = {},
): number {
  const own = deadlines.get(kebabCase(event)) ?? captureMs;
  return /^\d{1,5}$/.test(least) && kebabCase(event) !== sessionEnd ? Math.max(own, Number(least)) : own;
}

/** While the mark is younger than this, hooks other than a session start do not ask the worker. */
export const hungBelievedMs = 10_000;

/** How long a session start waits for a worker that is marked as hung. */
export const hungStartMs = 500;

/** A worker without a reply for this long is replaced, unless it answers a last health check. */
export const replaceAfterMs = 10_000;
